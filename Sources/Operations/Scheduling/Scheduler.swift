import Foundation

/// The decisions about one operation: when it becomes ready, starts, and finishes.
///
/// Every function runs in a transaction of the engine and leaves to ``DeferredActions`` whatever calls out.
enum Scheduler {
  /// Moves an operation to its next state and writes the entry, whose cause is asked for afterwards.
  static func transition(
    _ operation: ObservableOperation, to next: OperationState, on queue: InspectableQueue? = nil,
    outcome: OperationOutcome? = nil, cause: @autoclosure () -> EventLog.Cause,
    in state: inout EngineState
  ) {
    let previous = operation.core.state
    guard previous.canBecome(next) else {
      preconditionFailure(
        "the engine took a transition that is not in the table: \(previous), \(next)")
    }
    state.pass(operation, to: next, on: queue, outcome: outcome, at: state.nextTime())
    state.record(operation, .transition, from: previous, cause: cause())
    // That it has finished shows when everything that follows from it does.
    if next != .finished { operation.publishFlags() }
  }

  /// Puts an operation on a queue and as far forwards as it can go without a slot.
  static func admit(
    _ operation: ObservableOperation, to queue: InspectableQueue, in state: inout EngineState
  ) {
    // A group that has begun waits for it, and perhaps nothing else in the group works.
    if queue.core.membership?.isHeld == false, queue.core.takenSlots == 0 {
      state.exclusives.lookAgain()
    }
    let losesReadiness = operation.core.isDelayed && operation.core.isReady
    transition(
      operation, to: .pending, on: queue, cause: losesReadiness ? .addedWithDelay : .added,
      in: &state)
    if let extras = operation.core.extras, extras.delayEnds > 0 {
      state.actions.append(.delayStart(operation, extras.delayEnds))
    }
    if losesReadiness { lostReadiness(operation, in: &state) }
    if operation.core.isCancelled { state.noteCancelled() }
    advance(operation, in: &state)
  }

  /// Makes a pending operation `ready`, or ends it if the failure of a dependency requires that.
  static func advance(_ operation: ObservableOperation, in state: inout EngineState) {
    if operation.core.extras?.dependencyFailure != nil {
      state.finishWithoutRunning(operation)
    } else if operation.core.isReady {
      transition(operation, to: .ready, cause: readyCause(of: operation), in: &state)
      needsScheduling(operation, in: &state)
    }
  }

  /// Has the queue of an operation that may start look whose turn it is.
  private static func needsScheduling(
    _ operation: ObservableOperation, in state: inout EngineState
  ) {
    if let queue = operation.core.queue { state.needsScheduling(queue) }
  }

  /// Returns why an operation that has just been added or met its dependencies is ready.
  static func readyCause(of operation: ObservableOperation) -> EventLog.Cause {
    if operation.core.isCancelled, operation.core.unmet > 0 { return .cancelledWhilePending }
    return operation.core.upstream.isEmpty ? .noDependencies : .dependenciesMet
  }

  /// Makes an operation ready that waits for nothing more, after notifying `prior` observers.
  private static func conditionsMet(
    _ operation: ObservableOperation, cause: EventLog.Cause?, isAnnounced: Bool,
    in state: inout EngineState
  ) {
    if !isAnnounced, operation.core.hasPriorObservers(of: .isReady) {
      // Until they were notified, the queue starts nothing: this operation could be the next.
      let queue = operation.core.queue
      queue?.core.announcingCount += 1
      state.decide(.announcing(true), of: operation)
      state.actions.append(.announceReady(operation, holding: queue))
    } else {
      becomeReady(operation, cause: cause ?? readyCause(of: operation), in: &state)
    }
  }

  /// Makes an operation ready and starts what can start.
  static func becomeReady(
    _ operation: ObservableOperation, cause: EventLog.Cause, in state: inout EngineState
  ) {
    guard !operation.core.isReady, !operation.core.isFinishing else { return }
    operation.core.isReady = true
    operation.publishFlags()
    operation.noteFlag(.isReady, true, in: &state)
    switch operation.core.state {
    case .pending:
      transition(operation, to: .ready, cause: cause, in: &state)
      needsScheduling(operation, in: &state)
    case .created:
      // A queue of Foundation's may have it.
      state.actions.append(.notifyFoundationReady(operation))
    case .ready, .executing, .finished:
      break
    }
  }

  /// Notes that an operation that was ready waits for something now.
  static func lostReadiness(
    _ operation: ObservableOperation, in state: inout EngineState
  ) {
    operation.publishFlags()
    operation.noteFlag(.isReady, false, in: &state)
  }

  /// Makes an operation ready that waits for nothing more, after one condition was met or removed.
  ///
  /// `isAnnounced` says whether observers with the option `prior` were notified of what follows.
  static func conditionRemoved(
    _ operation: ObservableOperation, cause: EventLog.Cause? = nil, isAnnounced: Bool = false,
    in state: inout EngineState
  ) {
    guard operation.core.unmet == 0, !operation.core.isReady,
      operation.core.extras?.dependencyFailure == nil
    else {
      if operation.core.isReadySilently { operation.publishFlags() }
      return
    }
    conditionsMet(operation, cause: cause, isAnnounced: isAnnounced, in: &state)
  }

  /// Decides what follows from a new edge; `wasReady` says whether the operation was ready before.
  static func edgeAdded(
    from upstream: ObservableOperation, to operation: ObservableOperation, policy: FailurePolicy,
    wasReady: Bool, in state: inout EngineState
  ) {
    guard upstream.core.state != .finished else {
      return applyPolicy(policy, of: upstream, to: operation, in: &state)
    }
    guard wasReady, !operation.core.isReady else { return }
    lostReadiness(operation, in: &state)
    // Its turn at its names goes to the next; it tries again when it is ready.
    takeBack(operation, in: &state)
    guard operation.core.state == .ready else { return }
    let name = upstream.identityInTransaction.name
    transition(operation, to: .pending, cause: .text("now waits for \(name)"), in: &state)
  }

  /// Whether the policy on an edge to an operation that has finished decides how the other one ends.
  static func decides(
    _ policy: FailurePolicy, on upstream: ObservableOperation, for operation: ObservableOperation
  ) -> Bool {
    upstream.core.ending != .succeeded && policy != .run
      && operation.core.extras?.dependencyFailure == nil && operation.core.takesDependencies
      && !operation.core.isCancelled
  }

  /// Stops an operation if the policy on its edge to one that did not succeed says so.
  private static func applyPolicy(
    _ policy: FailurePolicy, of upstream: ObservableOperation,
    to operation: ObservableOperation, in state: inout EngineState
  ) {
    guard decides(policy, on: upstream, for: operation) else { return }
    let wasReady = operation.core.isReady
    let name = upstream.identityInTransaction.name
    let dependencyFailure: OperationError =
      policy == .skip ? .skipped(name: name) : .dependencyFailed(name: name)
    operation.core.withExtras { $0.dependencyFailure = dependencyFailure }
    state.decide(.stopped(upstream.id), of: operation)
    if operation.core.state == .created {
      // One that is not on a queue yet has to be added first: the failure waits until then.
      if wasReady { lostReadiness(operation, in: &state) }
    } else {
      // It does not reserve its names any more.
      takeBack(operation, in: &state)
      state.finishWithoutRunning(operation)
    }
  }

  /// Decides what an edge means that has another policy now.
  static func policyChanged(
    _ policy: FailurePolicy, on upstream: ObservableOperation, for operation: ObservableOperation,
    in state: inout EngineState
  ) {
    if operation.core.extras?.dependencyFailure != nil {
      edgeChanged(to: upstream, of: operation, in: &state)
    } else if upstream.core.state == .finished {
      // The other edges, which may be many, decided nothing before.
      applyPolicy(policy, of: upstream, to: operation, in: &state)
    }
  }

  /// Decides again what those that have finished already mean, after the edge to one of them was
  /// changed or removed, if it was that edge that decided.
  static func edgeChanged(
    to upstream: ObservableOperation, of operation: ObservableOperation,
    in state: inout EngineState
  ) {
    guard let extras = operation.core.extras, extras.dependencyFailure != nil,
      extras.failedDependency == upstream.id, operation.core.takesDependencies
    else { return }
    state.decide(.stopped(nil), of: operation)
    for edge in operation.core.upstream
    where edge.policy != .run && edge.operation.core.state == .finished {
      applyPolicy(edge.policy, of: edge.operation, to: operation, in: &state)
      if extras.dependencyFailure != nil { break }
    }
    // It may have been kept from becoming ready by that failure alone.
    conditionRemoved(operation, in: &state)
  }

  /// Gives an operation whose priority changed its new place.
  static func rankAgain(_ operation: ObservableOperation, in state: inout EngineState) {
    guard operation.core.queue != nil, operation.core.takesDependencies else { return }
    takeBack(operation, in: &state)
    if operation.core.isStartable { needsScheduling(operation, in: &state) }
  }

  /// Puts an operation that was cancelled back among those whose turn comes: it needs no names.
  static func unblock(_ operation: ObservableOperation, in state: inout EngineState) {
    guard operation.core.isBlocked else { return }
    takeBack(operation, in: &state)
    needsScheduling(operation, in: &state)
  }

  /// Has an operation wait for its names no more, if it did.
  static func takeBack(_ operation: ObservableOperation, in state: inout EngineState) {
    if operation.core.isBlocked { state.decide(.setAside(nil), of: operation) }
  }

  /// Lets an operation that holds a slot execute.
  static func execute(_ operation: ObservableOperation, in state: inout EngineState) {
    guard let queue = operation.core.queue else { return }
    transition(
      operation, to: .executing,
      cause: .slot(Int(operation.core.slot), width: queue.core.width), in: &state)
    operation.noteExecuting(in: &state)
    state.actions.append(
      Start(operation: operation, place: SlotRunner.Place(of: operation, on: queue)))
  }

  /// Finishes an operation: frees its slot, takes it off its queue, and advances its dependents.
  static func finish(
    _ operation: ObservableOperation, _ outcome: OperationOutcome, cause: EventLog.Cause,
    in state: inout EngineState
  ) {
    let wasExecuting = operation.core.state == .executing
    let queue = operation.core.queue
    let isObserved = queue?.core.observers != nil
    let old = isObserved ? queue?.core.observedOperations : nil
    let oldCount = queue?.core.unfinished.count ?? 0
    takeBack(operation, in: &state)
    transition(operation, to: .finished, outcome: outcome, cause: cause, in: &state)
    if wasExecuting {
      operation.noteFlag(.isExecuting, false, in: &state)
    } else if operation.isUnguarded {
      operation.noteRedundantly(.isExecuting, in: &state)
    }
    operation.noteFlag(.isFinished, true, in: &state)
    state.actions.append(.notifyFoundation(operation))
    if let queue {
      if queue.core.membership != nil {
        // Perhaps nothing in the group works any more, so that names are reserved no longer.
        if queue.core.slots.count > 64 || !ExclusiveNames.hasWorker(queue.core) {
          state.exclusives.lookAgain()
        }
      }
      if isObserved { queue.noteOperations(old: old, oldCount: oldCount, in: &state) }
      if queue.core.isEmpty { becameEmpty(queue, in: &state) }
    }
    if let extras = operation.core.extras { release(extras, of: operation, in: &state) }
    operation.core.dropSpentExtras()
    release(operation, in: &state)
    operation.publishFlags()
    if let queue {
      // With a lesser width than before, only those that do not work may be left in the slots.
      if queue.core.blockedCount > 0, !queue.core.hasRoom { state.exclusives.lookAgain() }
      state.needsScheduling(queue)
      operation.core.leaveQueue()
      // While others are on it, they keep it.
      if queue.core.isEmpty { state.actions.released.append(queue) }
    }
  }

  private static func becameEmpty(_ queue: InspectableQueue, in state: inout EngineState) {
    for waiter in queue.core.takeWaiters() { state.actions.append(.resume(waiter)) }
    if let group = queue.core.membership?.kept { state.actions.finishGroup(group) }
  }

  private static func release(
    _ extras: OperationExtras, of operation: ObservableOperation, in state: inout EngineState
  ) {
    for waiter in extras.waiters {
      waiter.end()
      state.actions.append(.resume(waiter))
    }
    extras.waiters = []
    for handler in extras.completions.after { state.actions.append(.complete(operation, handler)) }
    extras.completions.after = []
    for timer in extras.timers { state.actions.append(.cancelTimer(timer)) }
    extras.timers = []
    state.actions.released += extras.inputs.takeAll() as [AnyObject]
    if let gate = extras.gate { state.actions.released.append(gate) }
    extras.gate = nil
  }

  /// Counts a finished operation off at those that depend on it.
  private static func release(_ operation: ObservableOperation, in state: inout EngineState) {
    let succeeded = operation.core.ending == .succeeded
    state.countOff(operation) { dependent, state in
      if !succeeded, let policy = dependent.core.upstream.policy(of: operation) {
        applyPolicy(policy, of: operation, to: dependent, in: &state)
      }
      conditionRemoved(dependent, in: &state)
    }
  }
}
