import Foundation

/// What each event does to the operations and queues.
///
/// This is the only code that changes what decides what runs. The engine decides an event, applies it
/// here, and writes it to the log, all under its lock; a ``WorldFold`` applies the events of a log in
/// the same way. Nothing here decides anything: what follows from an event is an event of its own.
extension EngineState {
  // MARK: Transitions

  /// Moves an operation to a state; an end is followed by ``countOff(_:_:)``.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - next: The state.
  ///   - queue: The queue that it is added to, if it is added to one.
  ///   - outcome: How it ends, if it does.
  ///   - time: When.
  mutating func pass(
    _ operation: ObservableOperation, to next: OperationState, on queue: InspectableQueue? = nil,
    outcome: OperationOutcome? = nil, at time: Int64
  ) {
    let previous = operation.core.state
    if let queue, previous == .created {
      operation.core.queue = queue
      operation.core.order = nextOrder()
      queue.core.enroll(operation)
      if operation.core.isCancelled { queue.core.cancelledCount += 1 }
    }
    operation.core.state = next
    operation.core.times.enter(next, at: time)
    operation.core.queue?.core.count(from: previous, to: next)
    switch next {
    case .created: break
    case .pending:
      // What is started by hand has no delay, and one that goes back has waited for it.
      if queue != nil, previous == .created { beginDelay(of: operation, at: time) }
      // A dependency has decided before that it ends.
      if operation.core.extras?.dependencyFailure != nil { operation.core.isFinishing = true }
    case .ready:
      operation.core.isReady = true
      operation.core.queue?.core.enqueue(operation, released: &actions.released)
    case .executing:
      claim(operation, at: time)
      inheritQuality(operation)
    case .finished: end(operation, outcome)
    }
  }

  /// Settles with which class of service an operation works; what is in a group begins with that of
  /// the group.
  private func inheritQuality(_ operation: ObservableOperation) {
    let quality = operation.core.effectiveQuality(on: operation.core.queue)
    guard quality != .default else { return }
    operation.core.startQuality = quality
    (operation as? GroupOperation)?.innerQueue.core.inheritedQuality = quality
  }

  private mutating func beginDelay(of operation: ObservableOperation, at time: Int64) {
    guard operation.core.isDelayed, let extras = operation.core.extras else { return }
    extras.delayEnds = time.addingClamped(extras.startDelay)
    addCondition(operation)
  }

  private mutating func end(_ operation: ObservableOperation, _ outcome: OperationOutcome?) {
    close(operation)
    operation.core.extras?.phase = nil
    operation.core.outcome = outcome
    endWaits(of: operation)
    if let core = operation.core.queue?.core {
      core.dismiss(operation, released: &actions.released)
      if let group = core.membership?.group {
        group.collect(operation)
        actions.released.append(group)
      }
    }
    releaseExclusives(operation)
  }

  /// Has the body of an operation that ends wait for nothing.
  private mutating func endWaits(of operation: ObservableOperation) {
    guard let extras = operation.core.extras else { return }
    setFinishWait(nil, of: operation)
    extras.isExpecting = false
    guard !extras.awaited.isEmpty else { return }
    actions.released += extras.awaited as [AnyObject]
    extras.awaited = []
    waitingBodies -= 1
  }

  /// Has nothing else decide how an operation ends, and a group take no more operations.
  private func close(_ operation: ObservableOperation) {
    operation.core.isFinishing = true
    (operation as? GroupOperation)?.innerQueue.core.membership?.isClosed = true
  }

  /// Counts a finished operation off at those that depend on it.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - follow: What follows for each dependent.
  mutating func countOff(
    _ operation: ObservableOperation,
    _ follow: (ObservableOperation, inout EngineState) -> Void
  ) {
    guard !operation.core.downstream.isEmpty else { return }
    var released: [AnyObject] = []
    operation.core.downstream.forEachUnfinished(released: &released) { dependent in
      dependent.core.unmet -= 1
      follow(dependent, &self)
    }
    if !released.isEmpty { actions.released += released }
  }

  /// Gives an operation a slot of its queue and its exclusive names, as it executes or before.
  ///
  /// A cancelled one, which only ends, needs no names.
  mutating func claim(_ operation: ObservableOperation, at time: Int64) {
    guard !operation.core.isClaimed else { return }
    operation.core.isClaimed = true
    if let core = operation.core.queue?.core {
      core.takeSlot(for: operation)
      if core.pace > 0, !operation.core.isCancelled { core.lastStart = time }
    }
    if !operation.core.isCancelled { exclusives.take(operation) }
  }

  /// Takes the slot and the names back from an operation that did not start after all.
  private mutating func unclaim(_ operation: ObservableOperation) {
    guard operation.core.isClaimed, let core = operation.core.queue?.core else { return }
    core.freeSlot(of: operation)
    operation.core.isClaimed = false
    core.enqueue(operation, released: &actions.released)
    releaseExclusives(operation)
  }

  /// Marks an operation as cancelled; a pending one becomes ready by a transition of its own.
  mutating func cancel(
    _ operation: ObservableOperation, by request: CancelRequest?, at time: Int64
  ) {
    operation.core.isCancelled = true
    if let request { operation.core.keep(request) }
    operation.core.times.cancelled = time
    operation.core.queue?.core.cancelledCount += 1
  }

  // MARK: Conditions

  private mutating func addCondition(_ operation: ObservableOperation) {
    operation.core.unmet += 1
    if !operation.core.isCancelled { operation.core.isReady = false }
  }

  /// Makes an operation depend on another one.
  mutating func link(
    _ operation: ObservableOperation, to upstream: ObservableOperation, _ policy: FailurePolicy
  ) {
    if let position = operation.core.upstream.position(of: upstream) {
      return operation.core.upstream.setPolicy(policy, at: position)
    }
    upstream.core.downstream.append(operation)
    operation.core.upstream.append(DependencyEdge(operation: upstream, policy: policy))
    if upstream.core.state != .finished { addCondition(operation) }
  }

  /// Makes an operation no longer depend on another one; returns the policy if it did.
  ///
  /// Asking for the policy before would look at all dependencies for each that is removed.
  @discardableResult
  mutating func unlink(
    _ operation: ObservableOperation, from upstream: ObservableOperation
  ) -> FailurePolicy? {
    guard let edge = operation.core.upstream.remove(upstream) else { return nil }
    upstream.core.downstream.remove(operation)
    actions.released.append(edge.operation)
    if upstream.core.state != .finished { operation.core.unmet -= 1 }
    return edge.policy
  }

  /// Sets the mistakes of its code; its own readiness is a condition like a dependency.
  private mutating func setDefects(
    _ defects: OperationDefects, of operation: ObservableOperation
  ) {
    let lackedReadiness = operation.core.extras?.defects.lacksReadiness == true
    operation.core.withExtras { $0.defects = defects }
    guard defects.lacksReadiness != lackedReadiness else { return }
    if defects.lacksReadiness { addCondition(operation) } else { operation.core.unmet -= 1 }
  }

  /// Has an operation wait outside of the order of starting for its names, or no more.
  private mutating func setAside(_ operation: ObservableOperation, _ isAside: Bool) {
    if operation.core.isBlocked {
      exclusives.unblock(operation)
      if operation.core.isStartable {
        operation.core.queue?.core.enqueue(operation, released: &actions.released)
      }
    }
    if isAside, operation.core.isStartable { exclusives.block(operation) }
  }

  private mutating func releaseExclusives(_ operation: ObservableOperation) {
    guard operation.core.extras?.exclusiveNames.isEmpty == false else { return }
    exclusives.release(operation)
  }

  // MARK: Changes

  /// Applies a change of an operation that is told without other operations.
  mutating func apply(
    _ event: EventLog.Change.Event, to operation: ObservableOperation, at time: Int64
  ) {
    switch event {
    case .priority(_, let priority):
      operation.core.priority = priority
      rankAgain(operation)
    case .quality(_, let quality): operation.core.quality = quality
    case .barrier:
      guard operation.core.state == .created else { return }
      operation.core.withExtras { $0.isBarrier = true }
    case .exclusiveNames(_, let names):
      // It waits by its names.
      setAside(operation, false)
      releaseExclusives(operation)
      operation.core.withExtras { $0.exclusiveNames = names }
    case .setAside(let name): setAside(operation, name != nil)
    case .claimed(true):
      claim(operation, at: time)
      // A cancelled one needs its slot only to end, unless its code does not look at that.
      if operation.endsUnrun { operation.core.isFinishing = true }
    case .claimed(false): unclaim(operation)
    case .ending: close(operation)
    case .announcing(let isAnnouncing):
      operation.core.withExtras { $0.announcements += isAnnouncing ? 1 : -1 }
    case .stopped(let id): stop(operation, by: id)
    case .startDelay(_, let delay):
      operation.core.withExtras { $0.startDelay = max(0, delay.wholeNanoseconds) }
    case .delayEnded:
      guard let extras = operation.core.extras, extras.delayEnds > 0 else { return }
      extras.delayEnds = 0
      operation.core.unmet -= 1
    case .awaitsForeground(let awaits):
      guard operation.core.extras?.awaitsForeground ?? false != awaits else { return }
      operation.core.withExtras { $0.awaitsForeground = awaits }
      if awaits { addCondition(operation) } else { operation.core.unmet -= 1 }
    case .timeLimit(let limit):
      operation.core.withExtras { $0.timeLimit = limit?.wholeNanoseconds }
    case .defects(let defects): setDefects(OperationDefects(rawValue: defects), of: operation)
    case .foreign: operation.core.withExtras { $0.isForeign = true }
    case .obstacle(let text): operation.core.withExtras { $0.obstacle = text }
    case .nextAttempt(let next):
      operation.core.withExtras {
        $0.phase = nil
        $0.attemptPause = NextAttempt(
          number: next.attempt, limit: next.limit, delay: next.remaining,
          start: time.addingClamped(next.remaining.wholeNanoseconds), code: next.code, note: "")
      }
    case .attempt(let number):
      operation.core.withExtras { extras in
        extras.attempts = number
        extras.attemptPause = nil
      }
    case .finishWait(let wait): setFinishWait(wait, of: operation)
    case .phase(let progress): operation.core.withExtras { $0.phase = progress }
    case .expecting(let isExpecting):
      operation.core.withExtras { $0.isExpecting = isExpecting }
    case .renamed(_, let name):
      operation.core.givenName = name
    case .open(let isOpen): (operation as? GroupOperation)?.setOpen(isOpen)
    case .pause(let duration):
      operation.core.withExtras {
        $0.pauseDue = time.addingClamped(max(0, duration.wholeNanoseconds))
      }
    case .dependency, .awaited, .hostPause, .held: break
    // These are changes of queues.
    case .width, .group, .suspended, .pace, .step, .began, .poolHolders: break
    }
  }

  /// Puts an operation with another priority at the end of its new level.
  private mutating func rankAgain(_ operation: ObservableOperation) {
    guard let core = operation.core.queue?.core, operation.core.takesDependencies else { return }
    operation.core.order = nextOrder()
    if operation.core.isStartable { core.enqueue(operation, released: &actions.released) }
  }

  /// Notes that the failure of a dependency decides how the operation ends; nil for none any more.
  ///
  /// One that is not on a queue yet has to be added first.
  private mutating func stop(_ operation: ObservableOperation, by id: Int?) {
    operation.core.withExtras { extras in
      extras.failedDependency = id ?? 0
      if id == nil {
        extras.dependencyFailure = nil
      } else if extras.dependencyFailure == nil {
        extras.dependencyFailure = .dependencyFailed(name: "")
      }
    }
    guard id != nil else { return }
    if operation.core.state != .created {
      operation.core.isFinishing = true
    } else if !operation.core.isCancelled {
      operation.core.isReady = false
    }
  }

  private mutating func setFinishWait(_ wait: FinishWait?, of operation: ObservableOperation) {
    guard operation.core.extras?.finishWait != wait else { return }
    waitingBodies += (wait == nil ? 0 : 1) - (operation.core.extras?.finishWait == nil ? 0 : 1)
    operation.core.withExtras { $0.finishWait = wait }
    exclusives.lookAgain()
  }

  /// Stores what a body waits for, and returns in its place what it waited for, which is to be
  /// released without the lock.
  mutating func exchangeAwaited(
    of operation: ObservableOperation, with others: inout [ObservableOperation], isLimited: Bool
  ) {
    waitingBodies += others.isEmpty ? 0 : 1
    operation.core.withExtras { extras in
      swap(&extras.awaited, &others)
      extras.isAwaitLimited = isLimited
    }
    waitingBodies -= others.isEmpty ? 0 : 1
    // One that waits keeps those from reserving names which wait for it.
    exclusives.lookAgain()
  }

  /// Applies a change of a queue.
  mutating func apply(_ event: EventLog.Change.Event, to queue: InspectableQueue) {
    switch event {
    case .width(_, let width): queue.core.width = width
    case .suspended(let isSuspended): queue.core.isSuspended = isSuspended
    case .pace(_, let pace): queue.core.pace = max(0, pace.wholeNanoseconds)
    case .quality(_, let quality): queue.core.quality = quality
    case .poolHolders(let ids): queue.core.poolHolders = ids
    case .began: queue.core.membership?.isHeld = false
    case .renamed(_, let name):
      if let name { queue.core.label = QueueLabel(name: name, id: queue.id) }
    default: break
    }
  }

  // MARK: The log

  /// Applies a change of an operation and writes it to the log.
  mutating func decide(_ event: EventLog.Change.Event, of operation: ObservableOperation) {
    apply(event, to: operation, at: time())
    note(event, of: operation)
  }

  /// Applies a change of a queue and writes it to the log.
  mutating func decide(_ event: EventLog.Change.Event, of queue: InspectableQueue) {
    apply(event, to: queue)
    note(event, of: queue)
  }
}
