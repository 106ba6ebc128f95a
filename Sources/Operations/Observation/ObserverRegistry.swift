import Locking
import Synchronization

/// The observers of one operation or queue, and the notices they have not had yet.
///
/// Notices go through a list that one thread at a time empties, so that the observers of an
/// operation hear of its changes in the order in which these happened, whichever threads caused
/// them. A change made by an observer joins the list and is told after the present one.
final class ObserverRegistry: @unchecked Sendable {
  // @unchecked because everything but `log` and `subject` is read and written only in transactions
  // of `log`; `firstNotice` also by the one thread that empties the list.

  let log: EventLog
  /// The one observed, which owns this registry and may be gone before it: it is used only by
  /// functions that the subject calls, and while notices are told, which keeps it alive.
  private unowned(unsafe) let subject: any ObservedSubject

  // That nobody else has access meanwhile is for the lock to see to; having it checked for each of
  // these too takes a tenth of the time of a notice.

  /// The list of observers in the order of adding, which their tokens own.
  ///
  /// It is linked, so that
  /// any of a hundred thousand is removed at once, and the one of most operations needs no array.
  @exclusivity(unchecked) private unowned(unsafe) var first: Observer?
  @exclusivity(unchecked) private unowned(unsafe) var last: Observer?
  /// The properties that some observer wants to hear of, and to hear of before they change; after
  /// an observer went, perhaps more.
  @exclusivity(unchecked) private var observedKeys = ObservedKeys()
  @exclusivity(unchecked) private var priorKeys = ObservedKeys()
  @exclusivity(unchecked) private var areKeysExact = true

  /// How many notices have been noted and not been told.
  ///
  /// Whoever notes the first one tells all, and
  /// has done so when he has brought the count to zero.
  private let untoldCount = Atomic<Int>(0)
  /// The notice that made that thread begin; mostly there is no other.
  @exclusivity(unchecked) private var firstNotice: Notice?
  /// The notices that came after it.
  @exclusivity(unchecked) private var notices: [Notice] = []
  /// The calls held back from observers that have not had their initial one.
  @exclusivity(unchecked) private var heldCalls: [HeldCall] = []

  init(log: EventLog, subject: any ObservedSubject) {
    self.log = log
    self.subject = subject
  }

  /// A change, and whom to tell.
  private struct Notice {
    let audience: Audience
    let values: Change.Values

    var change: Change { Change(moment: .after, values: values) }
  }

  private struct HeldCall {
    let observer: Observer
    let change: Change
  }

  /// Observers in the order of adding.
  private enum Audience {
    case one(Observer)
    case several([Observer])
  }

  // MARK: - The list, in transactions

  /// Adds an observer; if it wants an initial call, other calls are held back until `begin`.
  func add(_ observer: Observer) {
    observer.registry = self
    if let last {
      last.next = observer
      observer.previous = last
    } else {
      first = observer
    }
    last = observer
    count(observer)
  }

  /// Removes an observer, which its token is about to let go.
  func remove(_ observer: Observer) {
    let (next, previous) = (observer.next, observer.previous)
    observer.next = nil
    observer.previous = nil
    if let previous { previous.next = next } else { first = next }
    if let next { next.previous = previous } else { last = previous }
    areKeysExact = false
  }

  private func count(_ observer: Observer) {
    observedKeys.insert(observer.key)
    if observer.options.contains(.prior) { priorKeys.insert(observer.key) }
  }

  private func makeKeysExact() {
    guard !areKeysExact else { return }
    areKeysExact = true
    observedKeys = ObservedKeys()
    priorKeys = ObservedKeys()
    forEach { count($0) }
  }

  private func forEach(_ body: (Observer) -> Void) {
    var next = first
    while let observer = next {
      body(observer)
      next = observer.next
    }
  }

  /// Whether somebody wants to hear of some change before it happens.
  var hasPrior: Bool {
    makeKeysExact()
    return !priorKeys.isEmpty
  }

  /// Whether somebody wants to hear of this before it happens.
  func hasPrior(_ key: ObservedKey) -> Bool {
    makeKeysExact()
    return priorKeys.contains(key)
  }

  func isObserving(_ key: ObservedKey) -> Bool {
    makeKeysExact()
    return observedKeys.contains(key)
  }

  /// Whether somebody wants the value before a change of this, which is then to be taken in time.
  func isOldWanted(_ key: ObservedKey) -> Bool {
    guard isObserving(key) else { return false }
    return audience(of: key)?.options.contains(.old) == true
  }

  /// Finds those who observe a property with certain options, and all the options they have.
  private func audience(
    of key: ObservedKey, for required: ObservationOptions = []
  ) -> (observers: Audience, options: ObservationOptions)? {
    guard let first else { return nil }
    if first.next == nil {
      let isOne = first.key == key && first.options.isSuperset(of: required)
      return isOne ? (.one(first), first.options) : nil
    }
    var sole: Observer?
    var several: [Observer] = []
    var options: ObservationOptions = []
    forEach { observer in
      guard observer.key == key, observer.options.isSuperset(of: required) else { return }
      options.formUnion(observer.options)
      if let one = sole {
        several = [one, observer]
        sole = nil
      } else if several.isEmpty {
        sole = observer
      } else {
        several.append(observer)
      }
    }
    if let sole { return (.one(sole), options) }
    return several.isEmpty ? nil : (.several(several), options)
  }

  // MARK: - Changes

  /// Notes a change, in a transaction; the values are asked for only if some observer wants them.
  func note(
    _ key: ObservedKey, old: () -> PropertyValue, new: () -> PropertyValue,
    in domain: inout Domain
  ) {
    guard observedKeys.contains(key), let (observers, options) = audience(of: key) else { return }
    var values = Change.Values.none
    if !options.isDisjoint(with: [.old, .new]) {
      let old = options.contains(.old) ? old() : nil
      let new = options.contains(.new) ? new() : nil
      values = .pair(Change.Pair(old: old, new: new))
    }
    add(Notice(audience: observers, values: values), &domain)
  }

  /// Notes that a flag has taken a value, in a transaction.
  func noteFlag(_ key: ObservedKey, _ value: Bool, in domain: inout Domain) {
    guard observedKeys.contains(key), let (observers, _) = audience(of: key) else { return }
    add(Notice(audience: observers, values: .flag(value)), &domain)
  }

  private func add(_ notice: Notice, _ domain: inout Domain) {
    guard let audience = log(notice.change, for: notice.audience, in: &domain) else { return }
    let notice = Notice(audience: audience, values: notice.values)
    guard untoldCount.wrappingAdd(1, ordering: .acquiring).oldValue == 0 else {
      notices.append(notice)
      return
    }
    // What the handlers do must not end the one that they are told about.
    _ = Unmanaged<AnyObject>.passUnretained(subject).retain()
    firstNotice = notice
    log.deliveries.begin()
    domain.effects.append(.deliver(self))
  }

  /// Logs a change for those who are told by the reader of the log, in a transaction.
  ///
  /// - Returns: The others; nil if there are none.
  private func log(
    _ change: Change, for audience: Audience, in domain: inout Domain
  ) -> Audience? {
    switch audience {
    case .one(let observer):
      guard observer.isLogged else { return audience }
      domain.log(change, of: subject, for: observer)
      return nil
    case .several(let observers):
      guard observers.contains(where: \.isLogged) else { return audience }
      for observer in observers where observer.isLogged {
        domain.log(change, of: subject, for: observer)
      }
      let others = observers.filter { !$0.isLogged }
      return others.isEmpty ? nil : .several(others)
    }
  }

  /// Calls the observers until no notice is left, outside any transaction.
  ///
  /// It runs once for each time that `note` asked for it.
  func drain() {
    guard !StackRoom.isShort else { return StackRoom.callElsewhere { self.drainHere() } }
    drainHere()
  }

  private func drainHere() {
    // Nobody else touches this one, and mostly it is the only one: then no lock is needed.
    guard let notice = firstNotice.take() else { return }
    tell(notice.change, to: notice.audience)
    var toldCount = 1
    while untoldCount.wrappingSubtract(toldCount, ordering: .releasing).newValue > 0 {
      var batch: [Notice] = []
      log.guarded { swap(&batch, &notices) }
      for notice in batch { tell(notice.change, to: notice.audience) }
      toldCount = batch.count
    }
    let mustWake = log.deliveries.end()
    Unmanaged<AnyObject>.passUnretained(subject).release()
    if mustWake { log.domain.withLock { $0.wakeUp }?() }
  }

  /// Calls those who want to hear of changes before they happen, outside any transaction.
  ///
  /// - Parameters:
  ///   - keys: What is about to change.
  ///   - value: Returns the present value of a property, in a transaction.
  func announce(_ keys: some Sequence<ObservedKey>, value: (ObservedKey) -> PropertyValue) {
    let due = log.transact { domain -> [(Audience, Change)] in
      guard hasPrior else { return [] }
      return keys.compactMap { key in
        guard let (observers, options) = audience(of: key, for: .prior) else { return nil }
        var values = Change.Values.none
        if options.contains(.old) { values = .pair(Change.Pair(old: value(key), new: nil)) }
        let change = Change(moment: .before, values: values)
        return log(change, for: observers, in: &domain).map { ($0, change) }
      }
    }
    guard !due.isEmpty else { return }
    StackRoom.call {
      for (observers, change) in due { self.tell(change, to: observers) }
    }
  }

  /// Calls those who want to hear of a change before it happens, outside any transaction.
  func announce(_ key: ObservedKey, old: PropertyValue) {
    announce(CollectionOfOne(key)) { _ in old }
  }

  /// Makes the initial call of an observer, and then those that came in meanwhile.
  func begin(_ observer: Observer, initial value: PropertyValue?, subject: AnyObject) {
    let values = Change.Values.pair(Change.Pair(old: nil, new: value))
    observer.deliver(Change(moment: .initial, values: values), about: subject)
    while true {
      let held = log.guarded { () -> [HeldCall] in
        let held = heldCalls.filter { $0.observer === observer }
        if held.isEmpty {
          observer.standing.store(.active, ordering: .releasing)
        } else {
          heldCalls.removeAll { $0.observer === observer }
        }
        return held
      }
      if held.isEmpty { return }
      for call in held { observer.deliver(call.change, about: subject) }
    }
  }

  private func tell(_ change: Change, to audience: Audience) {
    let subject: AnyObject = subject
    switch audience {
    case .one(let observer):
      if isDue(change, for: observer) { observer.deliver(change, about: subject) }
    case .several(let observers):
      for observer in observers where isDue(change, for: observer) {
        observer.deliver(change, about: subject)
      }
    }
  }

  /// Whether an observer is to be told now, and not later or never.
  private func isDue(_ change: Change, for observer: Observer) -> Bool {
    switch observer.standing.load(ordering: .acquiring) {
    case .active: return true
    case .ended: return false
    case .held:
      return log.guarded {
        let isHeld = observer.standing.load(ordering: .relaxed) == .held
        if isHeld { heldCalls.append(HeldCall(observer: observer, change: change)) }
        return !isHeld
      }
    }
  }
}
