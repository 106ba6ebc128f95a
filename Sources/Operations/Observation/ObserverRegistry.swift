import Locking

/// The observers of one operation or queue, and the notices they have not had yet.
///
/// Notices go through a list that one thread at a time empties, so that the observers of an
/// operation hear of its changes in the order in which these happened, whichever threads caused
/// them. A change made by an observer joins the list and is told after the present one.
final class ObserverRegistry: @unchecked Sendable {
  // @unchecked because everything but `log` is read and written only in transactions of `log`.
  let log: EventLog
  /// The one observed, which owns this registry.
  private weak var subject: AnyObject?
  private var observers: [Observer] = []
  private var notices: [Notice] = []
  private var isDraining = false
  private var nextID = 0

  init(log: EventLog, subject: AnyObject) {
    self.log = log
    self.subject = subject
  }

  /// Adds an observer that is held back until it has had its initial call.
  func add(
    _ key: ObservedKey, options: ObservationOptions, deliver: @escaping Observer.Delivery
  ) -> Observer {
    nextID += 1
    let observer = Observer(id: nextID, key: key, options: options, deliver: deliver)
    observers.append(observer)
    return observer
  }

  func remove(_ observer: Observer) {
    observer.isActive = false
    observers.removeAll { $0 === observer }
  }

  /// Whether somebody wants to hear of this before it happens.
  func hasPrior(_ key: ObservedKey) -> Bool {
    observers.contains { $0.key == key && $0.options.contains(.prior) }
  }

  func isObserving(_ key: ObservedKey) -> Bool {
    observers.contains { $0.key == key }
  }

  /// Notes a change; the values are asked for only if some observer wants them.
  func note(
    _ key: ObservedKey, old: () -> PropertyValue, new: () -> PropertyValue,
    in domain: inout Domain
  ) {
    let affected = observers.filter { $0.key == key }
    guard !affected.isEmpty else { return }
    let isOldWanted = affected.contains { $0.options.contains(.old) }
    let isNewWanted = affected.contains { $0.options.contains(.new) }
    notices.append(
      Notice(
        observers: affected, subject: subject, old: isOldWanted ? old() : nil,
        new: isNewWanted ? new() : nil))
    if !isDraining {
      isDraining = true
      domain.deliveringCount += 1
      domain.effects.append(.deliver(self))
    }
  }

  /// Calls the observers until no notice is left.
  func drain() {
    while true {
      let (batch, wakeUp) = log.domain.withLock { domain in
        let batch = notices
        notices = []
        guard batch.isEmpty else { return (batch, nil as (@Sendable () -> Void)?) }
        isDraining = false
        domain.deliveringCount -= 1
        return (batch, domain.deliveringCount == 0 ? domain.wakeUp : nil)
      }
      guard !batch.isEmpty else {
        wakeUp?()
        return
      }
      for notice in batch {
        for observer in notice.observers { deliver(notice.change, to: observer, notice.subject) }
      }
    }
  }

  /// Calls those who want to hear of a change before it happens.
  func announce(_ key: ObservedKey, old: PropertyValue) {
    let (affected, subject) = log.guarded {
      (observers.filter { $0.key == key && $0.options.contains(.prior) }, self.subject)
    }
    let change = Change(isPrior: true, isInitial: false, old: old, new: nil)
    for observer in affected { deliver(change, to: observer, subject) }
  }

  /// Makes the initial call of an observer, and then those that came in meanwhile.
  func begin(_ observer: Observer, initial value: PropertyValue, subject: AnyObject) {
    if observer.options.contains(.initial) {
      observer.call(
        Change(isPrior: false, isInitial: true, old: nil, new: value), about: subject)
    }
    while true {
      let held = log.guarded {
        let held = observer.held ?? []
        observer.held = held.isEmpty ? nil : []
        return held
      }
      if held.isEmpty { return }
      for change in held where log.guarded({ observer.isActive }) {
        observer.call(change, about: subject)
      }
    }
  }

  private func deliver(_ change: Change, to observer: Observer, _ subject: AnyObject?) {
    let isDue = log.guarded {
      guard observer.isActive else { return false }
      guard observer.held == nil else {
        observer.held?.append(change)
        return false
      }
      return true
    }
    if isDue, let subject { observer.call(change, about: subject) }
  }

  private struct Notice {
    let observers: [Observer]
    let subject: AnyObject?
    let old: PropertyValue?
    let new: PropertyValue?

    var change: Change { Change(isPrior: false, isInitial: false, old: old, new: new) }
  }
}
