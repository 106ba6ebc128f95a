import Foundation

/// Everything about an operation that changes; guarded by the lock of its log.
///
/// A million of them may be queued: what few operations need is in ``OperationExtras``. It cannot be
/// copied, because whoever asks for one property would otherwise copy it whole now and then, with a
/// count for each reference in it.
struct OperationCore: ~Copyable {
  /// How it ended, without the failure.
  enum Ending: UInt8 {
    case none, succeeded, failed, cancelled, skipped
  }

  /// What most operations do not have.
  private enum Additions {
    case none
    /// Observers and nothing else: all operations of a program may have some, and the room for the
    /// rest would cost them more than the observers do.
    case observers(ObserverRegistry)
    case extras(OperationExtras)
  }

  // What a dependency looks at comes first, next to the operation's number, so that it is found in
  // one place of the memory. The order leaves no room between, which a million of them would feel.

  var upstream = UpstreamEdges()
  var state: OperationState = .created
  private var flags: Flags = .ready
  var ending: Ending = .none
  var priority: Operation.QueuePriority = .normal
  var downstream = DownstreamList()
  private var additions: Additions = .none
  /// How many things it waits for: upstream operations that have not finished, and its delay.
  var unmet: Int32 = 0
  /// Where it stands in the order of all operations, behind those that it depends on.
  var position = OrderPlace()
  /// Between which barriers of the queue it was added.
  var epoch: Int32 = 0
  private var queueLink = QueueLink.none
  /// The rank until it is claimed, and then the slot; see ``order`` and ``slot``.
  private var orderOrSlot = 0
  var times: StateTimes
  var label: OperationLabel
  /// Its place on the queue's roster.
  var place: Int32 = 0
  /// The properties that somebody wanted to hear of: most changes are of others, and need not look
  /// for those who observe.
  private var everObserved = ObservedKeys()
  var quality: QualityOfService = .default

  /// The queue that it is on, until it has finished; in a transaction.
  var queue: InspectableQueue? {
    get { if case .on(let queue) = queueLink { queue } else { nil } }
    set { queueLink = newValue.map { .on($0) } ?? .none }
  }

  /// What is left of the queue for a finished operation.
  var queueTrace: QueueTrace? {
    switch queueLink {
    case .none: nil
    case .on(let queue): queue.core.trace
    case .left(let trace): trace
    }
  }

  /// Replaces the queue by its trace.
  ///
  /// The caller must keep the queue until the lock is released.
  mutating func leaveQueue() {
    if case .on(let queue) = queueLink { queueLink = .left(queue.core.trace) }
  }

  init(label: OperationLabel, created: Int64) {
    self.label = label
    times = StateTimes(created: created)
  }

  private enum QueueLink {
    case none
    case on(InspectableQueue)
    /// It has finished, and does not keep the queue any more.
    case left(QueueTrace)
  }

  /// Moves what may hold other operations to where it is released without recursion.
  mutating func discard() {
    upstream.discard()
    guard extras?.inputs.isEmpty == false else { return }
    ReleaseBin.release { bin in
      var held: Any? = additions
      additions = .none
      bin.take(&held)
    }
  }

  private struct Flags: OptionSet {
    let rawValue: UInt8

    static let cancelled = Flags(rawValue: 1)
    static let ready = Flags(rawValue: 2)
    static let claimed = Flags(rawValue: 4)
    static let parked = Flags(rawValue: 8)
    static let finishing = Flags(rawValue: 16)
    /// Somebody wanted to hear of changes before they happen.
    static let announced = Flags(rawValue: 32)
    static let valueDropped = Flags(rawValue: 64)

    /// Whether one flag is set.
    subscript(flag: Flags) -> Bool {
      get { contains(flag) }
      set { self = newValue ? union(flag) : subtracting(flag) }
    }
  }

  var isCancelled: Bool {
    get { flags[.cancelled] }
    set { flags[.cancelled] = newValue }
  }

  /// What `isReady` says; it follows from `unmet` and `isCancelled`, but with a delay for those
  /// who asked to hear of it before it changes.
  var isReady: Bool {
    get { flags[.ready] }
    set { flags[.ready] = newValue }
  }

  /// A slot is taken; the change to `executing` is decided.
  var isClaimed: Bool { flags[.claimed] }

  /// It waits for a name that another operation holds, outside its queue's order of starting.
  var isParked: Bool {
    get { flags[.parked] }
    set { flags[.parked] = newValue }
  }

  /// Somebody won the right to finish the operation.
  var isFinishing: Bool {
    get { flags[.finishing] }
    set { flags[.finishing] = newValue }
  }

  /// The value was dropped to free its memory.
  var isValueDropped: Bool {
    get { flags[.valueDropped] }
    set { flags[.valueDropped] = newValue }
  }

  /// Its rank among equals on the queue: the order of adding, or of its last change of priority.
  var order: Int {
    get { isClaimed ? 0 : orderOrSlot }
    set { if !isClaimed { orderOrSlot = newValue } }
  }

  /// The slot it holds, from 1; 0 for none.
  var slot: Int { isClaimed ? orderOrSlot : 0 }

  /// Gives it a slot, or none if it was started by hand; it has no rank any more.
  mutating func claim(slot: Int) {
    flags[.claimed] = true
    orderOrSlot = slot
  }

  /// Gives it back its rank, because it did not start after all.
  mutating func unclaim(rank: Int) {
    flags[.claimed] = false
    orderOrSlot = rank
  }

  /// Takes its slot back.
  mutating func loseSlot() {
    if isClaimed { orderOrSlot = 0 }
  }

  /// Whether the queue may start it.
  var isStartable: Bool {
    state == .ready && flags.intersection([.ready, .claimed, .finishing, .parked]) == .ready
  }

  /// Whether what it depends on may still be changed.
  var takesDependencies: Bool {
    switch state {
    case .created, .pending, .ready: !isClaimed && !isFinishing
    case .executing, .finished: false
    }
  }

  var outcome: OperationOutcome? {
    get {
      switch ending {
      case .none: nil
      case .succeeded: .succeeded
      case .cancelled: .cancelled
      case .skipped: .skipped
      case .failed: .failed(extras?.failure ?? OperationFailure(code: "error", message: "failed"))
      }
    }
    set {
      switch newValue {
      case nil: ending = .none
      case .succeeded: ending = .succeeded
      case .cancelled: ending = .cancelled
      case .skipped: ending = .skipped
      case .failed(let failure):
        ending = .failed
        withExtras { $0.failure = failure }
      }
    }
  }

  /// How many attempts at its work have begun.
  var attempts: Int {
    if let extras, extras.attempts > 0 { return extras.attempts }
    return times.executing > 0 ? 1 : 0
  }

  var givenName: String? {
    get { label.givenName }
    set { label = OperationLabel(like: label, givenName: newValue) }
  }

  var progress: Double? {
    get { extras?.progress }
    set { withExtras { $0.progress = newValue } }
  }

  var extras: OperationExtras? {
    if case .extras(let extras) = additions { extras } else { nil }
  }

  var observers: ObserverRegistry? {
    get {
      switch additions {
      case .none: nil
      case .observers(let observers): observers
      case .extras(let extras): extras.movedObservers
      }
    }
    set {
      if case .extras(let extras) = additions {
        extras.movedObservers = newValue
      } else {
        additions = newValue.map { .observers($0) } ?? .none
      }
    }
  }

  /// Remembers that there is an observer of a property.
  mutating func addObserver(of key: ObservedKey, options: ObservationOptions) {
    everObserved.insert(key)
    if options.contains(.prior) { flags[.announced] = true }
  }

  func mayBeObserved(_ key: ObservedKey) -> Bool { everObserved.contains(key) }

  /// Whether somebody wants to hear of some change before it happens.
  var hasPriorObservers: Bool { flags[.announced] && observers?.hasPrior == true }

  /// Whether somebody wants to hear of a change of this before it happens.
  func hasPriorObservers(of key: ObservedKey) -> Bool {
    flags[.announced] && observers?.hasPrior(key) == true
  }

  /// Drops what only few operations have, if nothing in it matters any more.
  mutating func dropSpentExtras() {
    if let extras, extras.isSpent { additions = .none }
  }

  /// Changes what only few operations have, making room for it first.
  mutating func withExtras<Result>(_ body: (OperationExtras) -> Result) -> Result {
    if let extras { return body(extras) }
    let extras = OperationExtras()
    extras.movedObservers = observers
    additions = .extras(extras)
    return body(extras)
  }
}
