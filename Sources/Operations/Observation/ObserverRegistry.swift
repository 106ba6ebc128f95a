import OpshLocking
import Synchronization

/// The observers of one operation or queue, and the changes of which they are still to be notified.
///
/// One thread at a time notifies the observers, so that they receive the changes in the order in
/// which these happened, whichever threads made them. A change that an observer makes is delivered
/// after the present one.
final class ObserverRegistry: @unchecked Sendable {
  // @unchecked because everything but `engine` and `subject` is read and written only in
  // transactions of `engine`; `firstNotice` also by the one thread that notifies the observers.

  let engine: OperationEngine
  /// The operation or queue, which owns this registry and may be gone before it: it is used only by
  /// functions that the subject calls, and during notifications, which keep it alive.
  private unowned(unsafe) let subject: any ObservedSubject

  // Unchecked, because the lock of the engine makes overlapping access impossible.

  /// In the order of adding; each stays until its token ends it.
  @exclusivity(unchecked) private var observers: [Observer] = []
  /// Whether there are none any more.
  var isEmpty: Bool { observers.isEmpty }
  /// How many notices are still to be delivered.
  ///
  /// The thread that adds the first one delivers all, until the count is zero again.
  private let untoldCount = Atomic(0)
  /// The first of them, read by that thread alone; mostly there is no other.
  @exclusivity(unchecked) private var firstNotice: Notice?
  @exclusivity(unchecked) private var furtherNotices: [Notice] = []

  /// A change, and the observers to notify.
  private struct Notice {
    let observers: [Observer]
    let change: Change
  }

  init(engine: OperationEngine, subject: any ObservedSubject) {
    self.engine = engine
    self.subject = subject
  }

  // MARK: - Observers, in transactions

  /// Adds an observer; if it wants an initial call, other calls are held back until `begin`.
  func add(_ observer: Observer) {
    observer.registry = self
    observers.append(observer)
  }

  /// Removes an observer, which the caller keeps until the lock is released.
  func remove(_ observer: Observer) {
    guard let index = observers.firstIndex(where: { $0 === observer }) else { return }
    observers.remove(at: index)
  }

  /// Whether there is an observer with the option `prior`.
  var hasPrior: Bool { observers.contains { $0.options.contains(.prior) } }

  /// Whether there is an observer of a property with certain options.
  func hasObserver(of key: ObservedKey, with options: ObservationOptions = []) -> Bool {
    observers.contains { $0.key == key && $0.options.isSuperset(of: options) }
  }

  /// The observers of a property that have certain options, and all the options they have.
  private func audience(
    of key: ObservedKey, with required: ObservationOptions = []
  ) -> (observers: [Observer], options: ObservationOptions) {
    var options: ObservationOptions = []
    var count = 0
    for observer in observers where observer.key == key {
      guard observer.options.isSuperset(of: required) else { continue }
      options.formUnion(observer.options)
      count += 1
    }
    // Mostly there is one observer, or none of this property: neither needs a new array.
    if count == 0 { return ([], []) }
    if count == observers.count { return (observers, options) }
    let selected = observers.filter { $0.key == key && $0.options.isSuperset(of: required) }
    return (selected, options)
  }

  // MARK: - Changes

  /// Notes a change, in a transaction; the values are asked for only if some observer wants them.
  func note(
    _ key: ObservedKey, old: () -> PropertyValue, new: () -> PropertyValue,
    in state: inout EngineState
  ) {
    let (observers, options) = audience(of: key)
    guard !observers.isEmpty else { return }
    var values = Change.Values.none
    if !options.isDisjoint(with: [.old, .new]) {
      let old = options.contains(.old) ? old() : nil
      let new = options.contains(.new) ? new() : nil
      values = .pair(Change.Pair(old: old, new: new))
    }
    add(Change(moment: .after, values: values), for: observers, in: &state)
  }

  /// Notes that a flag has taken a value, in a transaction.
  func noteFlag(_ key: ObservedKey, _ value: Bool, in state: inout EngineState) {
    let observers = audience(of: key).observers
    guard !observers.isEmpty else { return }
    add(Change(moment: .after, values: .flag(value)), for: observers, in: &state)
  }

  private func add(_ change: Change, for observers: [Observer], in state: inout EngineState) {
    let observers = log(change, for: observers, in: &state)
    guard !observers.isEmpty else { return }
    let notice = Notice(observers: observers, change: change)
    guard untoldCount.wrappingAdd(1, ordering: .acquiring).oldValue == 0 else {
      furtherNotices.append(notice)
      return
    }
    firstNotice = notice
    engine.deliveries.begin()
    // What the handlers do must not end the operation or queue that they are told about.
    _ = Unmanaged<AnyObject>.passUnretained(subject).retain()
    state.actions.append(.deliver(self))
  }

  /// Logs a change for the observers that the reader of the log notifies, in a transaction.
  private func log(
    _ change: Change, for observers: [Observer], in state: inout EngineState
  ) -> [Observer] {
    guard observers.contains(where: \.isLogged) else { return observers }
    for observer in observers where observer.isLogged {
      state.log(change, of: subject, for: observer)
    }
    return observers.filter { !$0.isLogged }
  }

  /// Tells the observers until no notice is left, outside any transaction.
  ///
  /// It runs once for each time that a notice asked for it.
  func deliver() {
    guard !StackOverflowGuard.isShort else {
      return StackOverflowGuard.callElsewhere { self.deliverHere() }
    }
    deliverHere()
  }

  private func deliverHere() {
    guard let notice = firstNotice.take() else { return }
    tell(notice.change, to: notice.observers)
    var toldCount = 1
    while untoldCount.wrappingSubtract(toldCount, ordering: .releasing).newValue > 0 {
      var batch: [Notice] = []
      engine.guarded { swap(&batch, &furtherNotices) }
      for notice in batch { tell(notice.change, to: notice.observers) }
      toldCount = batch.count
    }
    let isLast = engine.deliveries.end()
    Unmanaged<AnyObject>.passUnretained(subject).release()
    if isLast { for wakeUp in engine.state.withLock({ $0.wakeUps }) { wakeUp.handler() } }
  }

  /// Tells observers with the option `prior` of changes before they happen, outside any transaction.
  ///
  /// - Parameters:
  ///   - keys: What is about to change.
  ///   - value: Returns the present value of a property, in a transaction.
  func announce(_ keys: [ObservedKey], value: (ObservedKey) -> PropertyValue) {
    let due = engine.transact { state -> [Notice] in
      keys.compactMap { key in
        let (observers, options) = audience(of: key, with: .prior)
        guard !observers.isEmpty else { return nil }
        var values = Change.Values.none
        if options.contains(.old) { values = .pair(Change.Pair(old: value(key), new: nil)) }
        let change = Change(moment: .before, values: values)
        return Notice(observers: log(change, for: observers, in: &state), change: change)
      }
    }
    guard !due.isEmpty else { return }
    StackOverflowGuard.call {
      for notice in due { self.tell(notice.change, to: notice.observers) }
    }
  }

  /// Makes the initial call of an observer, and then those that were held back meanwhile.
  func begin(_ observer: Observer, initial value: PropertyValue?, subject: AnyObject) {
    let values = Change.Values.pair(Change.Pair(old: nil, new: value))
    observer.deliver(Change(moment: .initial, values: values), about: subject)
    while true {
      var held: [Change] = []
      engine.guarded {
        swap(&held, &observer.heldChanges)
        if held.isEmpty { observer.status.store(.active, ordering: .releasing) }
      }
      if held.isEmpty { return }
      for change in held { observer.deliver(change, about: subject) }
    }
  }

  private func tell(_ change: Change, to observers: [Observer]) {
    for observer in observers where isDue(change, for: observer) {
      observer.deliver(change, about: subject)
    }
  }

  /// Whether an observer is to be told now, and not later or never.
  private func isDue(_ change: Change, for observer: Observer) -> Bool {
    switch observer.status.load(ordering: .acquiring) {
    case .active: return true
    case .ended: return false
    case .held:
      return engine.guarded {
        let isHeld = observer.status.load(ordering: .relaxed) == .held
        if isHeld { observer.heldChanges.append(change) }
        return !isHeld
      }
    }
  }
}
