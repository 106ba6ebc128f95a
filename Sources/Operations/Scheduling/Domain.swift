import Foundation
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
  var order = TopologicalOrder()
  var wakeUp: (@Sendable () -> Void)?
  var isWakeUpArmed = true
  /// The changes logged for observers that the reader of the log tells, until it takes them.
  var changes = ChangeLine()
  /// What the running transaction wants done after the lock is released.
  var effects = Effects()
  /// Who has what for itself.
  var exclusives = ExclusiveAccess()

  /// Queues on which something may be able to start now.
  private var queuesToSchedule: [InspectableQueue] = []
  /// The time of the running transaction, once somebody asked for it.
  private var transactionTime: Int64 = 0
  /// The latest time that was given out.
  private var lastTime: Int64 = 0
  /// Whether the running transaction has changed the state of an operation.
  private var hasTransitioned = false
  /// The labels of operations that were given no name, by their kind.
  private var labels: [String: OperationLabel] = [:]
  private var lastLabel = OperationLabel(kind: "", givenName: nil)
  private let virtualClock: VirtualClock

  init(entries: EntryStore, virtualClock: VirtualClock) {
    self.entries = entries
    self.virtualClock = virtualClock
  }

  /// The time of the running transaction, and of what it has done last.
  ///
  /// The clock is read once in a transaction, because that costs as much as the rest of a transition.
  mutating func time() -> Int64 {
    if transactionTime == 0 {
      transactionTime =
        virtualClock.isInUse
        ? virtualClock.next(after: lastTime)
        : max(EngineClock.nanoseconds(), lastTime.addingClamped(1))
      lastTime = transactionTime
    }
    return transactionTime
  }

  /// Returns a time later than that of everything before: of two transitions one comes first, also
  /// where one follows from the other in the same transaction.
  mutating func nextTime() -> Int64 {
    guard transactionTime != 0, hasTransitioned else {
      hasTransitioned = true
      return time()
    }
    lastTime = lastTime.addingClamped(1)
    transactionTime = lastTime
    return transactionTime
  }

  fileprivate mutating func begin() {
    transactionTime = 0
    hasTransitioned = false
  }

  /// The present time, for those who only look.
  var presentTime: Int64 {
    virtualClock.isInUse ? virtualClock.nanoseconds : EngineClock.nanoseconds()
  }

  /// Returns the label of a new operation.
  mutating func label(kind: String, name: String?) -> OperationLabel {
    let label = label(kind: kind)
    return name.map { OperationLabel(like: label, givenName: $0) } ?? label
  }

  /// Returns the label that all operations of a kind share which were given no name.
  private mutating func label(kind: String) -> OperationLabel {
    if kind == lastLabel.kind { return lastLabel }
    if let known = labels[kind] {
      lastLabel = known
      return known
    }
    // Kinds are few; should somebody make them up as he goes, they are not hoarded.
    if labels.count >= 1024 { labels = [:] }
    lastLabel = OperationLabel(kind: kind, givenName: nil)
    labels[kind] = lastLabel
    return lastLabel
  }

  /// Has the queue start what can start, at the end of the transaction: only when everything that
  /// became ready is known can the first of them be chosen.
  mutating func needsScheduling(_ queue: InspectableQueue) {
    guard !queue.core.isToBeScheduled, queue.core.hasFreeSlot else { return }
    queue.core.isToBeScheduled = true
    queuesToSchedule.append(queue)
  }

  fileprivate mutating func scheduleQueues() {
    while true {
      // Who waits for a name goes first, so that a queue does not take it again and again.
      let next = exclusives.popNext(released: &effects.released)
      if let next { Scheduler.offer(next, in: &self) }
      guard let queue = queuesToSchedule.popLast() else {
        if next == nil { return }
        continue
      }
      queue.core.isToBeScheduled = false
      Scheduler.schedule(queue, in: &self)
      effects.released.append(queue)
    }
  }

  /// Writes an entry about the operation as it is now.
  mutating func record(
    _ operation: ObservableOperation, _ event: EventLog.Entry.Event, from: OperationState,
    cause: EventLog.Cause
  ) {
    entries.append(operation, event, from: from, at: time(), cause: cause)
    // Whoever rests may wait for just this.
    if virtualClock.isInUse { virtualClock.noteMove() }
    wakeReader()
  }

  /// Keeps a change for an observer that the reader of the log tells of it.
  mutating func log(_ change: Change, of subject: any ObservedSubject, for observer: Observer) {
    // The wake-up that the next entry calls stays armed: a reader may take the changes alone.
    if changes.isEmpty { effects.add(wakeUp: wakeUp) }
    changes.append(
      LoggedChange(
        time: entries.start.instant(at: time()), position: entries.count,
        operation: (subject as? ObservableOperation)?.identityInTransaction, observer: observer,
        subject: subject, change: change))
  }

  private mutating func wakeReader() {
    guard isWakeUpArmed else { return }
    isWakeUpArmed = false
    effects.add(wakeUp: wakeUp)
  }
}

extension EventLog {
  /// Runs `body` under the lock; it only looks, or changes what nobody is told of.
  @inline(__always) func guarded<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try domain.withLock { (_) throws(Failure) -> Result in try body() }
  }

  /// Runs `body` under the lock; it only looks, also at what is the domain's own.
  func guardedDomain<Result>(_ body: (borrowing Domain) -> Result) -> Result {
    domain.withLock { domain in body(domain) }
  }

  /// Looks at something piece by piece, each under the lock, so that others need not wait for all.
  ///
  /// - Parameters:
  ///   - pause: Called between two pieces, without the lock.
  ///   - piece: Looks at a piece; it returns whether that was the last one.
  func guardedInPieces(
    betweenPieces pause: () -> Void = {}, _ piece: (borrowing Domain) -> Bool
  ) {
    while !guardedDomain(piece) {
      // The lock is not fair: a thread that waits needs time to wake up, and would find it taken again.
      usleep(20)
      pause()
    }
  }

  /// Runs `body` under the lock, and afterwards, without the lock, what it asked to be done.
  func transact<Result, Failure: Error>(
    _ body: (inout Domain) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var effects = Effects()
    defer { effects.perform() }
    return try collect(into: &effects, body)
  }

  /// Runs `body` under the lock and adds what it asked to be done.
  @inline(__always) func collect<Result, Failure: Error>(
    into effects: inout Effects, backoff: Backoff = .short,
    _ body: (inout Domain) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try domain.withLock(backoff: backoff) { (domain) throws(Failure) -> Result in
      // The transaction adds to the caller's list in place.
      swap(&domain.effects, &effects)
      domain.begin()
      defer {
        domain.scheduleQueues()
        swap(&domain.effects, &effects)
      }
      return try body(&domain)
    }
  }
}
