import Foundation

/// Everything about an operation that changes; guarded by the lock of its engine.
///
/// A million of them may be queued: what few operations need is in ``OperationExtras``. It cannot be
/// copied, because reading one property would otherwise copy it whole now and then, with a
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
    /// Who cancelled it and nothing else: all operations of a program may be cancelled.
    case cancelRequest(CancelRequest)
    case extras(OperationExtras)
  }

  // What a dependency looks at comes first, next to the operation's number, so that it is found in
  // one place of the memory. The order leaves no room between, which a million of them would feel.

  var upstream = UpstreamEdges()
  var state: OperationState = .created
  private var flags: Flags = .ready
  var ending: Ending = .none
  /// Its place on the list of unfinished operations of its queue.
  var place: Int32 = 0
  var downstream = DownstreamList()
  private var additions: Additions = .none
  /// Its position in the ``DependencyOrder``, after everything it depends on.
  var position: Int
  /// How many things it waits for: upstream operations that have not finished, and its delay.
  var unmet: Int32 = 0
  /// Between which barriers of the queue it was added.
  var epoch: Int32 = 0
  private var queueLink = QueueLink.none
  /// Its rank among equals of the engine: the order of adding, or of its last change of priority.
  var order = 0
  var times: StateTimes
  var label: OperationLabel
  /// The slot it holds, from 1; 0 for none.
  var slot: Int32 = 0
  var priority: Operation.QueuePriority = .normal
  var quality: QualityOfService = .default
  /// The class of service with which it works, settled when it begins to execute.
  var startQuality: QualityOfService = .default
  /// The flags that have had an observer, a bit for each.
  private var observedFlags: UInt8 = 0

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

  init(label: OperationLabel, position: Int, created: Int64) {
    self.label = label
    self.position = position
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
    ReleasePool.release { pool in
      var held: Any? = additions
      additions = .none
      pool.take(&held)
    }
  }

  private struct Flags: OptionSet {
    let rawValue: UInt8

    static let cancelled = Flags(rawValue: 1)
    static let ready = Flags(rawValue: 2)
    static let claimed = Flags(rawValue: 4)
    static let blocked = Flags(rawValue: 8)
    static let finishing = Flags(rawValue: 16)
    static let valueDropped = Flags(rawValue: 32)

    /// Whether one flag is set.
    subscript(flag: Flags) -> Bool {
      get { contains(flag) }
      set { self = newValue ? union(flag) : subtracting(flag) }
    }
  }

  /// What the properties say; for an operation with ``OperationDefects`` or a ``FinishWait`` they may
  /// differ from what the engine knows.
  var showsReady: Bool {
    if isReadySilently { return true }
    return isReady
      && (state.ordinal < OperationState.executing.ordinal
        || extras?.defects.contains(.ownReadiness) != true)
  }
  /// Whether it waits for nothing more, and sent no notification of that.
  var isReadySilently: Bool {
    state == .pending && !isReady && unmetDependencies == 0
      && extras?.defects.contains(.silentReady) == true
  }
  var showsExecuting: Bool { state == .executing && extras?.finishWait != .notification }
  var showsFinished: Bool { state == .finished || extras?.finishWait == .notification }

  var isCancelled: Bool {
    get { flags[.cancelled] }
    set { flags[.cancelled] = newValue }
  }

  /// Whether it must wait for its start delay when it is added.
  var isDelayed: Bool { extras?.startDelay ?? 0 > 0 && !isCancelled }

  /// The value of `isReady`.
  ///
  /// It follows from `unmet` and `isCancelled`, but only after `prior` observers were notified.
  var isReady: Bool {
    get { flags[.ready] }
    set { flags[.ready] = newValue }
  }

  /// The change to `executing` is decided, and on a queue it holds a slot.
  var isClaimed: Bool {
    get { flags[.claimed] }
    set { flags[.claimed] = newValue }
  }

  /// It waits for exclusive names, outside of its queue's order of starting.
  var isBlocked: Bool {
    get { flags[.blocked] }
    set { flags[.blocked] = newValue }
  }

  /// The right to finish the operation is taken.
  var isFinishing: Bool {
    get { flags[.finishing] }
    set { flags[.finishing] = newValue }
  }

  /// The value was dropped to free its memory.
  var isValueDropped: Bool {
    get { flags[.valueDropped] }
    set { flags[.valueDropped] = newValue }
  }

  /// Whether the queue may start it.
  var isStartable: Bool {
    state == .ready && flags.intersection([.ready, .claimed, .finishing, .blocked]) == .ready
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

  /// Whether it may execute only for a certain time.
  var hasTimeLimit: Bool { extras?.timeLimit != nil }

  /// How many attempts at its work have begun.
  var attempts: Int {
    if let extras, extras.attempts > 0 { return extras.attempts }
    return times.executing > 0 ? 1 : 0
  }

  var givenName: String? {
    get { label.givenName }
    set { label = OperationLabel(kind: label.kind, givenName: newValue) }
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
      case .none, .cancelRequest: nil
      case .observers(let observers): observers
      case .extras(let extras): extras.movedObservers
      }
    }
    set {
      if case .cancelRequest = additions {
        if newValue == nil { return }
        withExtras { _ in }
      }
      if case .extras(let extras) = additions {
        extras.movedObservers = newValue
      } else {
        additions = newValue.map { .observers($0) } ?? .none
      }
    }
  }

  /// Who cancelled it, if that was said.
  var cancelRequest: CancelRequest? {
    switch additions {
    case .none, .observers: nil
    case .cancelRequest(let request): request
    case .extras(let extras): extras.cancelRequest
    }
  }

  /// Keeps who cancelled it.
  mutating func keep(_ request: CancelRequest) {
    if case .none = additions {
      additions = .cancelRequest(request)
    } else {
      withExtras { $0.cancelRequest = request }
    }
  }

  /// Remembers that there is an observer of a property.
  mutating func noteObserver(of key: ObservedKey) {
    observedFlags |= key.bit
  }

  /// Whether there may be an observer of a flag.
  ///
  /// Most changes are of other flags than the observed ones. Looking at the observers for each, which
  /// are elsewhere in memory, made the benchmark `engine/independent/100000/total-observer` a tenth
  /// slower.
  func mayBeObserved(_ flag: ObservedKey) -> Bool { observedFlags & flag.bit != 0 }

  /// Whether there is an observer with the option `prior`.
  var hasPriorObservers: Bool { observers?.hasPrior == true }

  /// Whether there is an observer of this property with the option `prior`.
  func hasPriorObservers(of key: ObservedKey) -> Bool {
    observers?.hasObserver(of: key, with: .prior) == true
  }

  /// Drops what only few operations have, if nothing in it matters any more.
  mutating func dropSpentExtras() {
    guard let extras, extras.isSpent else { return }
    additions = extras.cancelRequest.map { .cancelRequest($0) } ?? .none
  }

  /// Changes what only few operations have, making room for it first.
  mutating func withExtras<Result>(_ body: (OperationExtras) -> Result) -> Result {
    if let extras { return body(extras) }
    let extras = OperationExtras()
    extras.movedObservers = observers
    extras.cancelRequest = cancelRequest
    additions = .extras(extras)
    return body(extras)
  }
}
