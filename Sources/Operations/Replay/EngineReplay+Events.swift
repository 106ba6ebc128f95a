import Foundation
import Locking

/// What the events of a recording do.
///
/// It mirrors what the ``Scheduler`` does, without deciding anything.
extension EngineReplay {
  /// An entry of the log as a recording has it.
  package struct RecordedEntry {
    package var operation: Int
    /// The name that the operation had then; nil if it is as before.
    package var name: String?
    package var event: EventLog.Entry.Event
    package var from: OperationState
    package var to: OperationState
    package var isCancelled: Bool
    /// How the operation ended, if the entry says that it finished.
    package var outcome: OperationOutcome?
    package var reason: String
    /// The number of the queue that the operation is on.
    package var queue: Int?
    /// The name that the queue had then; nil if it is as before.
    package var queueName: String?

    package init(
      operation: Int, named name: String? = nil, event: EventLog.Entry.Event,
      from: OperationState, to: OperationState, isCancelled: Bool, outcome: OperationOutcome?,
      reason: String, queue: Int?, named queueName: String? = nil
    ) {
      (self.operation, self.name) = (operation, name)
      self.event = event
      (self.from, self.to) = (from, to)
      self.isCancelled = isCancelled
      self.outcome = outcome
      self.reason = reason
      (self.queue, self.queueName) = (queue, queueName)
    }
  }

  // MARK: Changes

  /// Applies a change that decides what runs.
  ///
  /// - Parameters:
  ///   - event: What changed.
  ///   - subject: The operation or the queue.
  ///   - name: The name of a queue that is created.
  ///   - elapsed: When, since the engine was created.
  /// - Throws: ``Mismatch`` if it cannot follow what was applied before.
  package func apply(
    _ event: EventLog.Change.Event, of subject: EventLog.Change.Subject, named name: String? = nil,
    at elapsed: Duration
  ) throws(Mismatch) {
    let time = nanoseconds(at: elapsed)
    switch subject {
    case .queue(let id): try apply(event, toQueue: id, named: name)
    case .operation(let id): try apply(event, to: operation(id))
    }
    engine.state.withLock { state in
      state.steering.append(event, of: subject, at: time, position: state.entries.count)
    }
  }

  private func apply(
    _ event: EventLog.Change.Event, toQueue id: Int, named name: String?
  ) throws(Mismatch) {
    switch event {
    case .width(nil, let width): return try noteQueue(id, name: name ?? "queue-\(id)", width: width)
    case .group(let group): return try noteGroup(group, ofQueue: id)
    default: break
    }
    let core = try queue(id).core
    engine.guarded {
      switch event {
      case .width(_, let width): core.width = width
      case .suspended(let isSuspended): core.isSuspended = isSuspended
      case .pace(_, let pace): core.pace = max(0, pace.wholeNanoseconds)
      default: break
      }
    }
  }

  private func apply(
    _ event: EventLog.Change.Event, to operation: ObservableOperation
  ) throws(Mismatch) {
    switch event {
    case .dependency(let other, _, let policy):
      return try setDependency(of: operation, on: self.operation(other), policy)
    case .awaited(let ids):
      var awaited = try ids.map { id throws(Mismatch) in try self.operation(id) }
      engine.state.withLock { operation.exchangeAwaited(with: &awaited, in: &$0) }
      return withExtendedLifetime(awaited) {}
    default: break
    }
    engine.state.withLock { state in
      switch event {
      case .priority(_, let priority):
        operation.core.priority = priority
        rank(operation, in: &state)
      case .barrier: operation.core.withExtras { $0.isBarrier = true }
      case .exclusiveNames(_, let names): operation.core.withExtras { $0.exclusiveNames = names }
      case .setAside(let name): setAside(operation, name != nil, in: &state)
      case .startDelay(_, let delay):
        operation.core.withExtras { $0.startDelay = max(0, delay.wholeNanoseconds) }
      case .delayEnded:
        guard operation.core.extras?.delayEnds ?? 0 > 0 else { return }
        operation.core.extras?.delayEnds = 0
        operation.core.unmet -= 1
      default: break
      }
    }
  }

  /// Has an operation wait outside of the order of starting for its names, or no more.
  private func setAside(
    _ operation: ObservableOperation, _ isAside: Bool, in state: inout EngineState
  ) {
    guard let queue = operation.core.queue else { return }
    if operation.core.isBlocked {
      state.exclusives.unblock(operation)
      if operation.core.isStartable {
        queue.core.enqueue(operation, released: &state.actions.released)
      }
    }
    if isAside, operation.core.isStartable { state.exclusives.block(operation) }
  }

  /// Puts an operation with another priority at the end of its new level.
  private func rank(_ operation: ObservableOperation, in state: inout EngineState) {
    guard let queue = operation.core.queue, operation.core.takesDependencies else { return }
    operation.core.order = state.nextOrder()
    guard operation.core.isStartable else { return }
    queue.core.enqueue(operation, released: &state.actions.released)
  }

  private func setDependency(
    of operation: ObservableOperation, on other: ObservableOperation, _ policy: FailurePolicy?
  ) throws(Mismatch) {
    let isPossible = engine.state.withLock { state -> Bool in
      let isUnmet = other.core.state != .finished
      guard let policy else {
        guard let edge = operation.core.upstream.remove(other) else { return true }
        other.core.downstream.remove(operation)
        state.actions.released.append(edge.operation)
        if isUnmet { removeCondition(of: operation, in: &state) }
        return true
      }
      if let position = operation.core.upstream.position(of: other) {
        operation.core.upstream.setPolicy(policy, at: position)
        return true
      }
      guard other !== operation, operation.core.takesDependencies,
        state.order.makeRoom(for: operation, after: other) == nil
      else { return false }
      other.core.downstream.append(operation)
      operation.core.upstream.append(DependencyEdge(operation: other, policy: policy))
      guard isUnmet else { return true }
      operation.core.unmet += 1
      if !operation.core.isCancelled { operation.core.isReady = false }
      operation.publishFlags()
      return true
    }
    guard isPossible else {
      throw Mismatch(
        message: "operation \(operation.id) cannot depend on operation \(other.id) here")
    }
  }

  // MARK: Entries

  /// Applies an entry of the log.
  ///
  /// - Parameters:
  ///   - entry: What it says.
  ///   - elapsed: When it was written, since the engine was created.
  /// - Throws: ``Mismatch`` if it cannot follow what was applied before.
  package func apply(_ entry: RecordedEntry, at elapsed: Duration) throws(Mismatch) {
    let operation = try operation(entry.operation)
    let queue = try entry.queue.map { id throws(Mismatch) in try self.queue(id) }
    if entry.to == .pending, let queue, isInside(queue, of: operation) {
      throw Mismatch(message: "operation \(entry.operation) cannot be in itself")
    }
    let time = nanoseconds(at: elapsed)
    let state = operation.state
    let isLegal =
      entry.event == .transition ? entry.from.canBecome(entry.to) : entry.from == entry.to
    guard state == entry.from, isLegal else {
      throw Mismatch(
        message: "operation \(entry.operation) is \(state.rawValue), and cannot go from "
          + "\(entry.from.rawValue) to \(entry.to.rawValue)")
    }
    if let name = entry.name, name != operation.displayName { operation.name = name }
    if let queue, let name = entry.queueName, name != queue.name { queue.name = name }
    // What goes out of date is released without the lock.
    let released = engine.state.withLock { state -> [AnyObject] in
      if entry.isCancelled { markCancelled(operation, at: time) }
      if entry.event == .transition {
        pass(entry, of: operation, to: queue, at: time, in: &state)
      } else {
        note(entry, of: operation, at: time, in: &state)
      }
      operation.publishFlags()
      defer { state.actions.released = [] }
      return state.actions.released
    }
    withExtendedLifetime(released) {}
  }

  /// Whether a queue is that of an operation, or of a group in it.
  private func isInside(_ queue: InspectableQueue, of operation: ObservableOperation) -> Bool {
    var next: InspectableQueue? = queue
    while let group = next.flatMap({ queue in engine.guarded { queue.core.membership?.group } }) {
      if group === operation { return true }
      next = group.queue
    }
    return false
  }

  private func markCancelled(_ operation: ObservableOperation, at time: Int64) {
    guard !operation.core.isCancelled else { return }
    operation.core.isCancelled = true
    operation.core.times.cancelled = time
    if operation.core.state != .finished { operation.core.isReady = true }
    (operation as? GroupOperation)?.innerQueue.core.membership?.isCancelled = true
  }

  private func note(
    _ entry: RecordedEntry, of operation: ObservableOperation, at time: Int64,
    in state: inout EngineState
  ) {
    switch entry.event {
    case .pause: operation.addPause(at: time, reason: entry.reason)
    case .attempt: operation.endPause(at: time)
    default: break
    }
    state.entries.append(
      operation, entry.event, from: entry.from, at: time, cause: .text(entry.reason))
  }

  private func pass(
    _ entry: RecordedEntry, of operation: ObservableOperation, to queue: InspectableQueue?,
    at time: Int64, in state: inout EngineState
  ) {
    if entry.to == .pending, let queue {
      operation.core.queue = queue
      operation.core.order = state.nextOrder()
      queue.core.enroll(operation)
    }
    let core = operation.core.queue?.core
    setAside(operation, false, in: &state)
    operation.core.state = entry.to
    operation.core.times.enter(entry.to, at: time)
    core?.count(from: entry.from, to: entry.to)
    if entry.to == .finished { operation.core.outcome = entry.outcome ?? .succeeded }
    let losesReadiness = operation.core.isReady && operation.core.isDelayed
    state.entries.append(
      operation, .transition, from: entry.from, at: time,
      cause: entry.to == .pending && losesReadiness
        ? .addedWithDelay : EventLog.Cause(recorded: entry.reason))
    switch entry.to {
    case .created: break
    case .pending: beginDelay(of: operation, at: time)
    case .ready:
      operation.core.isReady = true
      core?.enqueue(operation, released: &state.actions.released)
    case .executing: begin(operation, on: core, at: time, in: &state)
    case .finished: end(operation, on: core, in: &state)
    }
  }

  private func beginDelay(of operation: ObservableOperation, at time: Int64) {
    guard let extras = operation.core.extras, operation.core.isDelayed else { return }
    extras.delayEnds = time.addingClamped(extras.startDelay)
    operation.core.unmet += 1
    operation.core.isReady = false
  }

  private func begin(
    _ operation: ObservableOperation, on core: QueueCore?, at time: Int64,
    in state: inout EngineState
  ) {
    core?.takeSlot(for: operation)
    operation.core.isClaimed = true
    if let core, core.pace > 0 { core.lastStart = time }
    state.exclusives.take(operation)
    guard let group = operation as? GroupOperation else { return }
    group.innerQueue.core.membership?.isHeld = false
  }

  private func end(
    _ operation: ObservableOperation, on core: QueueCore?, in state: inout EngineState
  ) {
    operation.core.isFinishing = true
    operation.setFinishWait(nil, in: &state)
    if let core {
      core.dismiss(operation, released: &state.actions.released)
      if let group = core.membership?.group {
        group.collect(operation)
        state.actions.released.append(group)
      }
    }
    (operation as? GroupOperation)?.innerQueue.core.membership?.isClosed = true
    state.exclusives.release(operation)
    var released: [AnyObject] = []
    operation.core.downstream.forEachUnfinished(released: &released) { dependent in
      removeCondition(of: dependent, in: &state)
    }
    state.actions.released += released
    operation.core.leaveQueue()
  }

  /// Counts one thing off that an operation had to wait for.
  ///
  /// A pending one becomes ready by an entry of its own; one that got a dependency late was ready
  /// already.
  private func removeCondition(of operation: ObservableOperation, in state: inout EngineState) {
    operation.core.unmet -= 1
    guard operation.core.unmet == 0, !operation.core.isReady,
      operation.core.state == .created || operation.core.state == .ready
    else { return }
    operation.core.isReady = true
    operation.publishFlags()
    guard operation.core.state == .ready else { return }
    operation.core.queue?.core.enqueue(operation, released: &state.actions.released)
  }

  // MARK: What an operation waits for while it executes

  /// Sets what the log does not have about an operation.
  ///
  /// - Parameters:
  ///   - rest: What else is known of it.
  ///   - id: Its number.
  /// - Throws: ``Mismatch`` for an unknown operation.
  package func set(_ rest: OperationRemainder, of id: Int) throws(Mismatch) {
    let operation = try operation(id)
    let cause = rest.stoppedBy.flatMap { operations[$0]?.identity }
    engine.state.withLock { state in
      operation.core.quality = rest.quality
      operation.core.times.created = nanoseconds(since: rest.created)
      if rest.attempts > 1 { operation.core.withExtras { $0.attempts = rest.attempts } }
      if let thread = rest.thread { operation.noteThread(thread) }
      if let cause, operation.core.state == .finished {
        operation.core.withExtras { extras in
          extras.failedDependency = cause.id
          extras.dependencyFailure = .dependencyFailed(name: cause.name)
        }
      }
      if let obstacle = rest.obstacle { operation.core.withExtras { $0.obstacle = obstacle } }
      guard operation.core.state == .executing else { return }
      operation.setFinishWait(rest.finishWait, in: &state)
      if let next = rest.nextAttempt {
        let start = nanoseconds(since: rest.recorded).addingClamped(next.remaining.wholeNanoseconds)
        operation.core.withExtras {
          $0.attemptPause = NextAttempt(
            number: next.attempt, limit: next.limit, delay: next.remaining, start: start,
            code: next.code, note: "")
        }
      }
      operation.publishFlags()
    }
  }

  private func nanoseconds(since elapsed: Duration) -> Int64 {
    engine.start.nanoseconds.addingClamped(elapsed.wholeNanoseconds)
  }
}
