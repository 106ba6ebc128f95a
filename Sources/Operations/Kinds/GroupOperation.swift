/// An operation that consists of others: it executes while they do, and finishes last.
///
/// Its operations are on a queue of its own, which starts them when the group executes. They may
/// add further ones to the group as long as it has not finished. Cancelling the group cancels them
/// all, and those that are added later; it still finishes last. An open group (``isOpen``) also
/// waits for more when nothing is left in it. If some of its operations failed, the group fails and
/// says which; else, if some were cancelled, its outcome is cancelled, although `isCancelled` of
/// the group itself stays false; else, if some were skipped, it is skipped; else it succeeds.
///
/// ```swift
/// let group = GroupOperation(name: "sync")
/// try group.addOperation(DelayOperation(name: "download", duration: .milliseconds(20)))
/// try group.addOperation(DelayOperation(name: "save", duration: .milliseconds(20)))
/// ```
open class GroupOperation: ObservableOperation, @unchecked Sendable {
  // @unchecked because the variables are read and written only in transactions of `engine`.

  /// How the operations of a group ended so far.
  public struct Summary: Sendable, Equatable {
    /// How many succeeded.
    public var succeeded: Int = 0
    /// How many failed.
    public var failed: Int = 0
    /// How many were cancelled.
    public var cancelled: Int = 0
    /// How many were skipped.
    public var skipped: Int = 0
    /// The first failures, each with the member that failed.
    public var failures: [Failure] = []

    /// A failure in a group.
    public struct Failure: Sendable, Equatable {
      /// The member that failed.
      public let operation: OperationIdentity
      /// With what.
      public let failure: OperationFailure
    }

    /// How many ended.
    public var finished: Int { succeeded + failed + cancelled + skipped }
  }

  /// How many failures a summary names.
  private static let longestList = 16

  /// The queue that its operations are on.
  public let innerQueue: InspectableQueue
  private var collected = Summary()
  /// The first that were cancelled, and by whom.
  private var cancelledMembers: [(operation: OperationIdentity, request: CancelRequest?)] = []
  /// The numbers of those that were cancelled, or skipped because of them, which this excuses.
  private var excused: Set<Int> = []
  private var excusesCancelled = false
  /// Why the group never ran, until the last of its operations has ended.
  private var unrun: OperationError?
  private(set) var staysOpen = false

  /// Creates a group that is on no queue and has no operations yet.
  ///
  /// - Parameters:
  ///   - name: Its name; without one it is called by the last word of its kind and its number.
  ///   - kind: What it does.
  ///   - maxConcurrentOperationCount: How many of its operations execute at once at most; -1 for
  ///     no limit.
  ///   - engine: Its engine; the same as its queue's.
  public init(
    name: String? = nil, kind: String = "group", maxConcurrentOperationCount: Int = -1,
    engine: OperationEngine = .shared
  ) {
    innerQueue = InspectableQueue(
      name: name ?? kind, maxConcurrentOperationCount: maxConcurrentOperationCount, engine: engine,
      driver: nil, isOfGroup: true)
    super.init(name: name, kind: kind, engine: engine)
    engine.transact { state in
      innerQueue.core.membership = GroupMembership(group: self)
      // Before its name: a reader creates the queue with the group.
      state.note(.group(id), of: innerQueue)
      innerQueue.rename(identityInTransaction.name, in: &state)
    }
  }

  /// Creates a group of a log that is folded, with the numbers that it and its queue have there.
  package init(folded identity: OperationIdentity, queue: Int, engine: OperationEngine) {
    innerQueue = InspectableQueue(
      folded: queue, name: identity.name, width: -1, isRemembered: true, engine: engine)
    super.init(folded: identity, engine: engine)
    innerQueue.core.membership = GroupMembership(group: self)
  }

  deinit {
    // Its operations can never run any more, and would keep the queue, which keeps them.
    var (kept, timers) = innerQueue.abandonAll()
    for timer in timers { timer.cancel() }
    timers = []
    // Groups in groups can be as long a chain as dependencies.
    kept.discard()
  }

  /// Its operations that have not finished, in the order in which they were added.
  public final var operations: [ObservableOperation] { innerQueue.operations }

  /// Whether it goes on executing when nothing is left in it, and takes more operations, until this
  /// is set to false.
  ///
  /// While it waits like that, `finishWait` is `FinishWait.close`. Cancelling the group, or its
  /// time limit, ends it as well. Setting it after the end does nothing.
  public final var isOpen: Bool {
    get { engine.guarded { staysOpen && core.state != .finished } }
    set {
      engine.transact { state in
        guard core.state != .finished, !core.isFinishing, staysOpen != newValue else { return }
        state.decide(.open(newValue), of: self)
        if !newValue { state.actions.finishGroup(self) }
      }
    }
  }

  /// Whether the group succeeds although some of its operations were cancelled, or skipped because
  /// of cancelled ones; false unless it is set before they end.
  public final var membersMayBeCancelled: Bool {
    get { engine.guarded { excusesCancelled } }
    set { engine.guarded { excusesCancelled = newValue } }
  }

  /// How its operations ended so far.
  public final var summary: Summary { engine.guarded { collected } }

  /// Adds an operation to the group; one of its own operations may do so.
  ///
  /// - Parameter operation: An operation that is on no queue and was not started.
  /// - Throws: ``QueueError`` if it cannot be added, or the group has finished.
  public final func addOperation(_ operation: ObservableOperation) throws(QueueError) {
    try innerQueue.addOperation(operation)
  }

  /// Adds operations to the group, all together.
  ///
  /// - Parameter operations: Operations that are on no queue and were not started.
  /// - Throws: ``QueueError`` if one of them cannot be added, or the group has finished; none has
  ///   been added then.
  public final func addOperations(_ operations: [ObservableOperation]) throws(QueueError) {
    try innerQueue.addOperations(operations, waitUntilFinished: false)
  }

  /// What became of its operations: `3 succeeded, 1 cancelled`; nil if it never ran.
  open override var outcomeSummary: String? {
    guard let summary = engine.guarded({ core.times.executing > 0 ? collected : nil }) else {
      return nil
    }
    let parts = [
      (summary.succeeded, "succeeded"), (summary.failed, "failed"),
      (summary.cancelled, "cancelled"), (summary.skipped, "skipped"),
    ]
    let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return told.isEmpty ? "nothing to do" : told.joined(separator: ", ")
  }

  /// True: it holds no thread while its operations work.
  open override var isAsynchronous: Bool { true }

  /// Sets whether it stays open, in a transaction.
  final func setOpen(_ isOpen: Bool) { staysOpen = isOpen }

  /// Counts an operation of the group that has just finished, in a transaction.
  final func collect(_ operation: ObservableOperation) {
    switch operation.core.ending {
    case .none: break
    case .succeeded: collected.succeeded += 1
    case .cancelled:
      collected.cancelled += 1
      if excusesCancelled { excused.insert(operation.id) }
      if cancelledMembers.count < Wording.longestList {
        cancelledMembers.append((operation.identityInTransaction, operation.core.cancelRequest))
      }
    case .skipped:
      collected.skipped += 1
      let cause = operation.core.extras?.failedDependency ?? 0
      if excused.contains(cause) { excused.insert(operation.id) }
    case .failed:
      collected.failed += 1
      if collected.failures.count < Self.longestList, let failure = operation.core.extras?.failure {
        collected.failures.append(
          Summary.Failure(operation: operation.identityInTransaction, failure: failure))
      }
    }
  }

  final override func begin(on runner: SlotRunner) {
    takeInputs()
    begin(followedBy: &runner.actions)
  }

  final override func beginsInline(followedBy actions: inout DeferredActions) -> Bool {
    guard !engine.virtualClock.isInUse, !awaitsInputs else { return false }
    begin(followedBy: &actions)
    return true
  }

  private func begin(followedBy actions: inout DeferredActions) {
    engine.collect(into: &actions) { state in
      release(in: &state)
      // Later, because that calls client code.
      if innerQueue.core.isEmpty { state.actions.finishGroup(self) }
    }
  }

  private func release(in state: inout EngineState) {
    if innerQueue.core.membership?.isHeld == true { state.decide(.began, of: innerQueue) }
    innerQueue.core.membership?.kept = self
    // Perhaps nothing in it can work at once.
    state.exclusives.lookAgain()
    state.needsScheduling(innerQueue)
  }

  final override var worksOnItsThread: Bool { false }

  final override var callsOutUnrun: Bool { true }

  /// Cancelling the group cancels its members at once, even before the group has begun.
  final override var isInterruptedEarly: Bool { true }

  final override func interrupt(followedBy actions: inout DeferredActions) {
    let (operations, name) = engine.guarded { () -> ([ObservableOperation], String) in
      innerQueue.core.membership?.isCancelled = true
      return (innerQueue.core.operations, identityInTransaction.name)
    }
    ObservableOperation.cancelAll(
      operations, of: engine, by: "group '\(name)'", followedBy: &actions)
    // An open group may wait with nothing in it.
    actions.finishGroup(self)
  }

  final override func nameChanged(in state: inout EngineState) {
    innerQueue.rename(identityInTransaction.name, in: &state)
  }

  final override func complete(
    unrun error: OperationError, commit: @escaping @Sendable () -> Void
  ) -> Bool {
    let isEmpty = engine.guarded {
      if innerQueue.core.isEmpty {
        innerQueue.core.membership?.isClosed = true
        return true
      }
      unrun = error
      return false
    }
    if isEmpty { return true }
    var actions = DeferredActions()
    interrupt(followedBy: &actions)
    engine.collect(into: &actions) { state in release(in: &state) }
    // The last of them may have been skipped just before the queue was released.
    finishIfEmpty(followedBy: &actions)
    actions.perform()
    return false
  }

  /// How a group ends.
  private enum Ending {
    case unrun(OperationError)
    case outcome(OperationOutcome)
  }

  /// Ends the group if it has begun, or was stopped, and nothing is left in it.
  final func finishIfEmpty(followedBy actions: inout DeferredActions) {
    if awaitsClosing(followedBy: &actions) { return }
    let (ending, kept) = engine.guarded { () -> (Ending?, GroupOperation?) in
      guard innerQueue.core.isEmpty, innerQueue.core.membership?.isHeld == false else {
        return (nil, nil)
      }
      let ending: Ending
      if let unrun {
        ending = .unrun(unrun)
        self.unrun = nil
      } else {
        guard core.state == .executing, !core.isFinishing else { return (nil, nil) }
        ending = .outcome(outcomeOfAll)
      }
      core.isFinishing = true
      let kept = innerQueue.core.membership?.kept
      innerQueue.core.membership?.isClosed = true
      innerQueue.core.membership?.kept = nil
      return (ending, kept)
    }
    switch ending {
    case .unrun(let error): settle(unrun: error, followedBy: &actions)
    case .outcome(let outcome):
      settle(outcome, reason: reason(ifStopped: outcome), followedBy: &actions)
    case nil: break
    }
    // The last reference, perhaps, and released without the lock.
    withExtendedLifetime(kept) {}
  }

  /// Whether the group waits for more operations, or to be closed, as the log says from now on.
  private func awaitsClosing(followedBy actions: inout DeferredActions) -> Bool {
    engine.collect(into: &actions) { state in
      guard staysOpen, core.state == .executing, !core.isFinishing, !core.isCancelled,
        innerQueue.core.isEmpty
      else { return false }
      guard core.extras?.finishWait == nil else { return true }
      state.decide(.finishWait(.close), of: self)
      let text = Wording.finishWait(.close, of: self)
      state.record(self, .awaitsFinish, from: core.state, cause: .text(text))
      return true
    }
  }

  /// What to say of a group that was stopped from outside: what stopped it, before how many of its
  /// operations ended in which way.
  private func reason(ifStopped outcome: OperationOutcome) -> String? {
    guard case .failed(let failure) = outcome, failure.code != Self.failureCode else { return nil }
    let counts = outcomeSummary.map { "; \($0)" } ?? ""
    return "\(failure.code): \(failure.message)\(counts)"
  }

  /// Which of its operations were cancelled, unless the group itself was; in a transaction.
  final override var cancellationText: String {
    guard !core.isCancelled else { return super.cancellationText }
    let first = cancelledMembers.map { operation, request in
      "'\(operation.name)'" + (request.map { " by \($0.requester)" } ?? "")
    }
    let rest = collected.cancelled - first.count
    let names = first.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    let verb = collected.cancelled == 1 ? "was" : "were"
    return "\(collected.cancelled) of \(collected.finished) \(verb) cancelled: \(names)"
  }

  /// The code of a group some of whose operations failed.
  private static let failureCode = "group-failed"

  /// How the group ends, in a transaction.
  private var outcomeOfAll: OperationOutcome {
    if let error = core.extras?.dependencyFailure { return .failed(OperationFailure(error)) }
    if core.isCancelled { return .cancelled }
    guard collected.failed > 0 else {
      // Whatever was cancelled or skipped and is not excused.
      guard collected.cancelled + collected.skipped > excused.count else { return .succeeded }
      return collected.cancelled > 0 && !excusesCancelled ? .cancelled : .skipped
    }
    let first = collected.failures.prefix(Wording.longestList).map {
      "'\($0.operation.name)' (\($0.failure.code))"
    }
    let rest = collected.failed - first.count
    let names = first.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    return .failed(
      OperationFailure(
        code: Self.failureCode,
        message: "\(collected.failed) of \(collected.finished) failed: \(names)"))
  }
}

extension ObservableOperation {
  /// The group that it is in, if it is in one.
  public var group: GroupOperation? {
    // The queue must not go under the lock.
    let queue = queue
    return engine.guarded { queue?.core.membership?.group }
  }
}
