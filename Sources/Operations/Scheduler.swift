import Foundation

/// The decisions: what becomes ready, what starts, what a finish sets free.
///
/// Every function runs in a transaction of the log and leaves to ``Effects`` whatever calls out.
enum Scheduler {
  /// Moves an operation to its next state and writes the entry.
  static func transition(
    _ operation: ObservableOperation, to next: OperationState, cause: EventLog.Cause,
    in domain: inout Domain
  ) {
    let state = operation.core.state
    guard state.canBecome(next) else {
      preconditionFailure(
        "the engine took a transition that is not in the table: \(state), \(next)")
    }
    let now = ContinuousClock.now
    operation.core.state = next
    operation.core.timestamps.enter(next, at: now)
    operation.core.queue?.core.count(from: state, to: next)
    domain.record(operation, .transition, from: state, at: now, cause: cause)
  }

  /// Puts an operation on a queue and as far forwards as it can go without a slot.
  static func admit(
    _ operation: ObservableOperation, to queue: InspectableQueue, in domain: inout Domain
  ) {
    operation.core.queue = queue
    operation.core.serial = queue.core.enroll(operation)
    operation.core.order = queue.core.nextOrder()
    transition(operation, to: .pending, cause: .added(queue: queue.core.name), in: &domain)
    advance(operation, in: &domain)
  }

  /// Moves a pending operation on: to its end if a dependency decided so, or to `ready`.
  static func advance(_ operation: ObservableOperation, in domain: inout Domain) {
    if let verdict = operation.core.verdict {
      operation.core.isFinishing = true
      domain.effects.append(.conclude(operation, verdict))
    } else if operation.core.isReady {
      let cause = readyCause(of: operation)
      transition(operation, to: .ready, cause: cause, in: &domain)
      operation.core.queue?.core.offer(operation)
    }
  }

  /// Says why an operation that has just been added or met its dependencies is ready.
  private static func readyCause(of operation: ObservableOperation) -> EventLog.Cause {
    if operation.core.isCancelled, operation.core.unmet > 0 { return .cancelledWhilePending }
    let edges = operation.core.upstream.edges
    guard !edges.isEmpty else { return .noDependencies }
    let names = edges.prefix(Wording.longestList).map(\.operation.identityInTransaction.name)
    return .dependenciesMet(first: names, count: edges.count)
  }

  /// Makes an operation ready whose last dependency went, announcing it first if somebody asked.
  static func dependenciesMet(_ operation: ObservableOperation, in domain: inout Domain) {
    let cause = readyCause(of: operation)
    if operation.core.observers?.hasPrior(.isReady) == true {
      domain.effects.append(.announceReady(operation, cause))
    } else {
      becomeReady(operation, cause: cause, in: &domain)
    }
  }

  /// Makes an operation ready and starts what can start.
  static func becomeReady(
    _ operation: ObservableOperation, cause: EventLog.Cause, in domain: inout Domain
  ) {
    guard !operation.core.isReady, !operation.core.isFinishing else { return }
    operation.core.isReady = true
    operation.noteFlag(.isReady, true, in: &domain)
    switch operation.core.state {
    case .pending:
      transition(operation, to: .ready, cause: cause, in: &domain)
    case .ready:
      // It was ready before a dependency was added late; states never go back.
      break
    case .created, .executing, .finished:
      return
    }
    guard let queue = operation.core.queue else { return }
    queue.core.offer(operation)
    domain.needsScheduling(queue)
  }

  /// Counts a new edge, or applies its policy if the upstream operation has finished already.
  static func edgeAdded(
    from upstream: ObservableOperation, to operation: ObservableOperation, policy: FailurePolicy,
    in domain: inout Domain
  ) {
    if let outcome = upstream.core.outcome {
      applyPolicy(policy, of: upstream, with: outcome, to: operation, in: &domain)
      return
    }
    operation.core.unmet += 1
    if operation.core.isReady, !operation.core.isCancelled {
      operation.core.isReady = false
      operation.noteFlag(.isReady, false, in: &domain)
    }
  }

  /// Stops an operation if the policy on its edge to one that did not succeed says so.
  private static func applyPolicy(
    _ policy: FailurePolicy, of upstream: ObservableOperation, with outcome: OperationOutcome,
    to operation: ObservableOperation, in domain: inout Domain
  ) {
    guard outcome != .succeeded, policy != .run, operation.core.verdict == nil,
      operation.core.takesDependencies, !operation.core.isCancelled
    else { return }
    let name = upstream.identityInTransaction.name
    operation.core.verdict =
      policy == .skip ? .skipped(name: name) : .dependencyFailed(name: name)
    // One that is not on a queue yet has to be added first: the verdict waits until then.
    if operation.core.state != .created {
      operation.core.isFinishing = true
      domain.effects.append(
        .conclude(operation, operation.core.verdict ?? .skipped(name: name)))
    }
  }

  /// Decides again what those that have finished already mean, after an edge changed.
  static func reconsider(_ operation: ObservableOperation, in domain: inout Domain) {
    guard operation.core.takesDependencies else { return }
    operation.core.verdict = nil
    for edge in operation.core.upstream.edges where edge.policy != .run {
      if let outcome = edge.operation.core.outcome {
        applyPolicy(edge.policy, of: edge.operation, with: outcome, to: operation, in: &domain)
      }
    }
  }

  /// Gives an operation whose priority changed its new place.
  static func rankAgain(_ operation: ObservableOperation, in domain: inout Domain) {
    guard let queue = operation.core.queue, operation.core.takesDependencies else { return }
    operation.core.order = queue.core.nextOrder()
    if operation.core.isStartable { queue.core.offer(operation) }
  }

  /// Starts ready operations as long as there are free slots.
  static func schedule(_ queue: InspectableQueue, in domain: inout Domain) {
    while queue.core.hasFreeSlot, let operation = queue.core.takeNext() {
      operation.core.slot = queue.core.takeSlot(for: operation)
      operation.core.isClaimed = true
      operation.core.handover = .given
      if operation.core.isCancelled {
        // Foundation's queue starts it, and `start()` finishes it.
        domain.effects.append(.handOver(operation, queue))
      } else if operation.core.observers?.hasPrior(.isExecuting) == true {
        domain.effects.append(.announceStart(operation))
      } else {
        execute(operation, on: queue, in: &domain)
      }
    }
  }

  /// Lets an operation that holds a slot execute.
  static func execute(
    _ operation: ObservableOperation, on queue: InspectableQueue, in domain: inout Domain
  ) {
    operation.core.attempts = 1
    transition(
      operation, to: .executing,
      cause: .slot(operation.core.slot, width: queue.core.width, queue: queue.core.name),
      in: &domain)
    operation.noteFlag(.isExecuting, true, in: &domain)
    domain.effects.append(.handOver(operation, queue))
  }

  /// Ends an operation: its state, its slot, its place on the queue, and what waited for it.
  static func finish(
    _ operation: ObservableOperation, _ outcome: OperationOutcome, cause: EventLog.Cause,
    in domain: inout Domain
  ) {
    let wasExecuting = operation.core.state == .executing
    let queue = operation.core.queue
    let old = queue?.core.observedOperations
    let oldCount = queue?.core.members.count ?? 0
    operation.core.outcome = outcome
    transition(operation, to: .finished, cause: cause, in: &domain)
    if wasExecuting { operation.noteFlag(.isExecuting, false, in: &domain) }
    operation.noteFlag(.isFinished, true, in: &domain)
    if operation.core.handover != .given { domain.effects.append(.tellFoundation(operation)) }
    if let queue {
      queue.core.dismiss(operation)
      queue.noteOperations(old: old, oldCount: oldCount, in: &domain)
      if queue.core.isEmpty {
        domain.effects.append(.resume(queue.core.takeWaiters()))
      }
    }
    if !operation.core.waiters.isEmpty {
      domain.effects.append(.resume(operation.core.waiters))
      operation.core.waiters = []
    }
    release(operation, outcome, in: &domain)
    if let queue { domain.needsScheduling(queue) }
  }

  /// Counts a finished operation off at those that depend on it.
  private static func release(
    _ operation: ObservableOperation, _ outcome: OperationOutcome, in domain: inout Domain
  ) {
    let dependents = operation.core.downstream.alive()
    guard !dependents.isEmpty else { return }
    // The references are weak; if somebody lets go of a dependent just now, ours is the last.
    domain.effects.released += dependents as [AnyObject]
    for dependent in dependents {
      guard dependent.core.state != .finished else { continue }
      dependent.core.unmet -= 1
      if outcome != .succeeded, let policy = dependent.core.upstream.policy(of: operation.id) {
        applyPolicy(policy, of: operation, with: outcome, to: dependent, in: &domain)
      }
      if dependent.core.unmet == 0, !dependent.core.isReady, dependent.core.verdict == nil {
        dependenciesMet(dependent, in: &domain)
      }
    }
  }
}
