import Foundation

/// The decisions about one operation: when it becomes ready, starts, and finishes.
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
    operation.core.state = next
    operation.core.times.enter(next, at: domain.nextTime())
    operation.core.queue?.core.count(from: state, to: next)
    domain.record(operation, .transition, from: state, cause: cause)
    // That it has finished shows when everything that follows from it does.
    if next != .finished { operation.publishFlags() }
  }

  /// Puts an operation on a queue and as far forwards as it can go without a slot.
  static func admit(
    _ operation: ObservableOperation, to queue: InspectableQueue, in domain: inout Domain
  ) {
    operation.core.queue = queue
    queue.core.enroll(operation)
    transition(operation, to: .pending, cause: .added, in: &domain)
    if let extras = operation.core.extras, extras.startDelay > 0, !operation.core.isCancelled {
      extras.delayEnds = domain.time().addingClamped(extras.startDelay)
      domain.effects.append(.delayStart(operation, extras.delayEnds))
      addCondition(operation, in: &domain)
    }
    advance(operation, in: &domain)
  }

  /// Moves a pending operation on: to its end if a dependency decided so, or to `ready`.
  static func advance(_ operation: ObservableOperation, in domain: inout Domain) {
    if operation.core.extras?.verdict != nil {
      operation.core.isFinishing = true
      domain.effects.concludeUnrun(operation)
    } else if operation.core.isReady {
      transition(operation, to: .ready, cause: readyCause(of: operation), in: &domain)
      offer(operation, in: &domain)
    }
  }

  /// Puts an operation that may start among those whose turn comes.
  static func offer(_ operation: ObservableOperation, in domain: inout Domain) {
    guard let queue = operation.core.queue else { return }
    queue.core.offer(operation, released: &domain.effects.released)
    domain.needsScheduling(queue)
  }

  /// Says why an operation that has just been added or met its dependencies is ready.
  static func readyCause(of operation: ObservableOperation) -> EventLog.Cause {
    if operation.core.isCancelled, operation.core.unmet > 0 { return .cancelledWhilePending }
    return operation.core.upstream.isEmpty ? .noDependencies : .dependenciesMet
  }

  /// Makes an operation ready that waits for nothing more, announcing it first if somebody asked.
  private static func conditionsMet(
    _ operation: ObservableOperation, cause: EventLog.Cause?, isAnnounced: Bool,
    in domain: inout Domain
  ) {
    if !isAnnounced, operation.core.hasPriorObservers(of: .isReady) {
      // Until they have heard, nothing else may take what could be this one's turn.
      let queue = operation.core.queue
      queue?.core.announcingCount += 1
      domain.effects.append(.announceReady(operation, holding: queue))
    } else {
      becomeReady(operation, cause: cause ?? readyCause(of: operation), in: &domain)
    }
  }

  /// Makes an operation ready and starts what can start.
  static func becomeReady(
    _ operation: ObservableOperation, cause: EventLog.Cause, in domain: inout Domain
  ) {
    guard !operation.core.isReady, !operation.core.isFinishing else { return }
    operation.core.isReady = true
    operation.publishFlags()
    operation.noteFlag(.isReady, true, in: &domain)
    switch operation.core.state {
    case .pending:
      transition(operation, to: .ready, cause: cause, in: &domain)
    case .ready:
      // It was ready before a dependency was added late; states never go back.
      break
    case .created:
      // A queue of Foundation's may have it.
      return domain.effects.append(.tellFoundationReady(operation))
    case .executing, .finished:
      return
    }
    offer(operation, in: &domain)
  }

  /// Counts one more thing that an operation has to wait for.
  private static func addCondition(_ operation: ObservableOperation, in domain: inout Domain) {
    operation.core.unmet += 1
    if operation.core.isReady, !operation.core.isCancelled {
      operation.core.isReady = false
      operation.publishFlags()
      operation.noteFlag(.isReady, false, in: &domain)
      // Its turn at a name goes to the next; it tries again when it is ready.
      if operation.core.isParked {
        domain.exclusives.unpark(operation, released: &domain.effects.released)
      }
      yieldExclusives(operation, in: &domain)
    }
  }

  /// Counts one thing off that an operation had to wait for; `isAnnounced` says whether those who
  /// want to hear before of what that means have heard.
  static func removeCondition(
    _ operation: ObservableOperation, cause: EventLog.Cause? = nil, isAnnounced: Bool = false,
    in domain: inout Domain
  ) {
    operation.core.unmet -= 1
    guard operation.core.unmet == 0, !operation.core.isReady,
      operation.core.extras?.verdict == nil
    else { return }
    conditionsMet(operation, cause: cause, isAnnounced: isAnnounced, in: &domain)
  }

  /// Counts a new edge, or applies its policy if the upstream operation has finished already.
  static func edgeAdded(
    from upstream: ObservableOperation, to operation: ObservableOperation, policy: FailurePolicy,
    in domain: inout Domain
  ) {
    if upstream.core.state == .finished {
      applyPolicy(policy, of: upstream, to: operation, in: &domain)
    } else {
      addCondition(operation, in: &domain)
    }
  }

  /// Stops an operation if the policy on its edge to one that did not succeed says so.
  private static func applyPolicy(
    _ policy: FailurePolicy, of upstream: ObservableOperation,
    to operation: ObservableOperation, in domain: inout Domain
  ) {
    guard upstream.core.ending != .succeeded, policy != .run,
      operation.core.extras?.verdict == nil, operation.core.takesDependencies,
      !operation.core.isCancelled
    else { return }
    let name = upstream.identityInTransaction.name
    let verdict: OperationError =
      policy == .skip ? .skipped(name: name) : .dependencyFailed(name: name)
    operation.core.withExtras { extras in
      extras.verdict = verdict
      extras.verdictSource = upstream.id
    }
    // One that is not on a queue yet has to be added first: the verdict waits until then.
    if operation.core.state != .created {
      operation.core.isFinishing = true
      // It does not take a turn at a name from those that wait there with it.
      if operation.core.isParked {
        domain.exclusives.unpark(operation, released: &domain.effects.released)
      }
      domain.effects.concludeUnrun(operation)
    }
  }

  /// Decides what an edge means that has another policy now.
  static func policyChanged(
    _ policy: FailurePolicy, on upstream: ObservableOperation, for operation: ObservableOperation,
    in domain: inout Domain
  ) {
    if operation.core.extras?.verdict != nil {
      edgeChanged(to: upstream, of: operation, in: &domain)
    } else if upstream.core.state == .finished {
      // The other edges, which may be many, decided nothing before.
      applyPolicy(policy, of: upstream, to: operation, in: &domain)
    }
  }

  /// Decides again what those that have finished already mean, after the edge to one of them was
  /// changed or removed, if it was that edge that decided.
  static func edgeChanged(
    to upstream: ObservableOperation, of operation: ObservableOperation, in domain: inout Domain
  ) {
    guard let extras = operation.core.extras, extras.verdict != nil,
      extras.verdictSource == upstream.id, operation.core.takesDependencies
    else { return }
    extras.verdict = nil
    for edge in operation.core.upstream
    where edge.policy != .run && edge.operation.core.state == .finished {
      applyPolicy(edge.policy, of: edge.operation, to: operation, in: &domain)
      if extras.verdict != nil { break }
    }
    // It may have been kept from becoming ready by the verdict alone.
    if operation.core.unmet == 0, !operation.core.isReady, operation.core.extras?.verdict == nil {
      conditionsMet(operation, cause: nil, isAnnounced: false, in: &domain)
    }
  }

  /// Gives an operation whose priority changed its new place.
  static func rankAgain(_ operation: ObservableOperation, in domain: inout Domain) {
    guard let queue = operation.core.queue, operation.core.takesDependencies else { return }
    operation.core.order = queue.core.nextOrder()
    if operation.core.isParked {
      domain.exclusives.unpark(operation, released: &domain.effects.released)
    }
    if operation.core.isStartable { offer(operation, in: &domain) }
    yieldExclusives(operation, in: &domain)
  }

  /// Lets others try for the names that an operation has, or competed for; they do so at the end of
  /// the transaction.
  static func yieldExclusives(_ operation: ObservableOperation, in domain: inout Domain) {
    guard operation.core.extras?.exclusiveNames.isEmpty == false else { return }
    domain.exclusives.yield(operation)
  }

  /// Puts an operation that was cancelled back among those whose turn comes: it needs no names.
  static func unpark(_ operation: ObservableOperation, in domain: inout Domain) {
    guard operation.core.isParked else { return }
    domain.exclusives.unpark(operation, released: &domain.effects.released)
    offer(operation, in: &domain)
  }

  /// Lets an operation that holds a slot execute.
  static func execute(_ operation: ObservableOperation, in domain: inout Domain) {
    guard let queue = operation.core.queue else { return }
    transition(
      operation, to: .executing,
      cause: .slot(operation.core.slot, width: queue.core.width), in: &domain)
    operation.noteFlag(.isExecuting, true, in: &domain)
    if let limit = operation.core.extras?.timeLimit, limit > 0 {
      domain.effects.append(.limitTime(operation, domain.time().addingClamped(limit)))
    }
    domain.effects.append(
      Start(operation: operation, place: SlotRunner.Place(of: operation, on: queue)))
  }

  /// Ends an operation: its state, its slot, its place on the queue, and what waited for it.
  static func finish(
    _ operation: ObservableOperation, _ outcome: OperationOutcome, cause: EventLog.Cause,
    in domain: inout Domain
  ) {
    let wasExecuting = operation.core.state == .executing
    let queue = operation.core.queue
    let isObserved = queue?.core.observers != nil
    let old = isObserved ? queue?.core.observedOperations : nil
    let oldCount = queue?.core.roster.count ?? 0
    operation.core.outcome = outcome
    if operation.core.isParked {
      domain.exclusives.unpark(operation, released: &domain.effects.released)
    }
    domain.order.forget(operation)
    transition(operation, to: .finished, cause: cause, in: &domain)
    if wasExecuting { operation.noteFlag(.isExecuting, false, in: &domain) }
    operation.noteFlag(.isFinished, true, in: &domain)
    domain.effects.append(.tellFoundation(operation))
    if let queue {
      queue.core.dismiss(operation, released: &domain.effects.released)
      if let group = queue.core.membership?.group {
        group.collect(operation)
        domain.effects.released.append(group)
      }
      if isObserved { queue.noteOperations(old: old, oldCount: oldCount, in: &domain) }
      if queue.core.isEmpty { becameEmpty(queue, in: &domain) }
    }
    if let extras = operation.core.extras { letGo(extras, of: operation, in: &domain) }
    operation.core.dropSpentExtras()
    release(operation, in: &domain)
    operation.publishFlags()
    if let queue {
      domain.needsScheduling(queue)
      operation.core.leaveQueue()
      // While others are on it, they keep it.
      if queue.core.isEmpty { domain.effects.released.append(queue) }
    }
  }

  private static func becameEmpty(_ queue: InspectableQueue, in domain: inout Domain) {
    for waiter in queue.core.takeWaiters() { domain.effects.append(.resume(waiter)) }
    if let group = queue.core.membership?.kept { domain.effects.append(.concludeGroup(group)) }
  }

  private static func letGo(
    _ extras: OperationExtras, of operation: ObservableOperation, in domain: inout Domain
  ) {
    for waiter in extras.waiters {
      waiter.end()
      domain.effects.append(.resume(waiter))
    }
    extras.waiters = []
    for timer in extras.timers { domain.effects.append(.cancelTimer(timer)) }
    extras.timers = []
    domain.effects.released += extras.inputs.takeAll() as [AnyObject]
    yieldExclusives(operation, in: &domain)
  }

  /// Counts a finished operation off at those that depend on it.
  private static func release(_ operation: ObservableOperation, in domain: inout Domain) {
    guard !operation.core.downstream.isEmpty else { return }
    let succeeded = operation.core.ending == .succeeded
    var released: [AnyObject] = []
    operation.core.downstream.forEachUnfinished(released: &released) { dependent in
      if !succeeded, let policy = dependent.core.upstream.policy(of: operation) {
        applyPolicy(policy, of: operation, to: dependent, in: &domain)
      }
      removeCondition(dependent, in: &domain)
    }
    if !released.isEmpty { domain.effects.released += released }
  }
}
