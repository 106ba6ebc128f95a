import Locking

/// What the lock of a log guards besides the operations and queues that use the log.
///
/// There is one lock for everything that can touch: a transition of one operation frees a slot,
/// makes others ready, and starts others again, possibly on other queues. With a lock for each
/// object these steps would be seen half done, and two chains of locks taken in opposite order
/// would block each other for ever.
struct Domain {
  var entries: EntryStore
  var lastOperationID = 0
  var wakeUp: (@Sendable () -> Void)?
  var isWakeUpArmed = true
  /// What the running transaction wants done after the lock is released.
  var effects = Effects()

  /// How many registries have notices that their observers have not all had.
  var deliveringCount = 0

  /// Queues on which something may be able to start now.
  private var queuesToSchedule: [InspectableQueue] = []

  init(entries: EntryStore) {
    self.entries = entries
  }

  /// Has the queue start what can start, at the end of the transaction: only when everything that
  /// became ready is known can the first of them be chosen.
  mutating func needsScheduling(_ queue: InspectableQueue) {
    guard !queue.core.isToBeScheduled else { return }
    queue.core.isToBeScheduled = true
    queuesToSchedule.append(queue)
  }

  mutating func scheduleQueues() {
    guard !queuesToSchedule.isEmpty else { return }
    effects.released += queuesToSchedule as [AnyObject]
    let queues = queuesToSchedule
    queuesToSchedule = []
    for queue in queues {
      queue.core.isToBeScheduled = false
      Scheduler.schedule(queue, in: &self)
    }
  }

  /// Writes an entry about the operation as it is now.
  mutating func record(
    _ operation: ObservableOperation, _ event: EventLog.Entry.Event, from: OperationState,
    at time: ContinuousClock.Instant, cause: EventLog.Cause
  ) {
    entries.append(
      EventLog.Entry(
        sequence: entries.count, time: time, operation: operation.identityInTransaction,
        queue: operation.core.queue?.core.name, event: event, from: from,
        to: operation.core.state, isCancelled: operation.core.isCancelled,
        outcome: operation.core.outcome, cause: cause))
    if isWakeUpArmed {
      isWakeUpArmed = false
      effects.wakeUp = wakeUp
    }
  }
}

extension EventLog {
  /// Runs `body` under the lock; it only looks, or changes what nobody is told of.
  func guarded<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try domain.withLock { (_) throws(Failure) -> Result in try body() }
  }

  /// Runs `body` under the lock, and afterwards, without the lock, what it asked to be done.
  func transact<Result, Failure: Error>(
    _ body: (inout Domain) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var effects = Effects()
    defer { effects.perform() }
    return try collect(into: &effects, body)
  }

  /// Runs `body` under the lock and hands out what it asked to be done.
  func collect<Result, Failure: Error>(
    into effects: inout Effects, _ body: (inout Domain) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try domain.withLock { (domain) throws(Failure) -> Result in
      defer {
        domain.scheduleQueues()
        effects.take(&domain.effects)
      }
      return try body(&domain)
    }
  }
}
