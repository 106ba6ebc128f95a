import Foundation
import OpshLocking
import OpshSupport

/// The state of an engine that is not in its operations and queues; guarded by the lock of the engine.
///
/// There is one lock for everything that can touch: a transition of one operation frees a slot,
/// makes others ready, and starts others again, possibly on other queues. With a lock for each
/// object these steps would be seen half done, and two chains of locks taken in opposite order
/// would block each other for ever.
struct EngineState {
  var entries: EntryStore
  /// What else decides what runs.
  var steering: ChangeStore
  var lastOperationID = 0
  var lastQueueID = 0
  var order = DependencyOrder()
  var wakeUps: [WakeUp] = []
  var isWakeUpArmed = true
  /// The changes logged for observers that the reader of the log notifies, until it takes them.
  var changes = ChangeLine()
  /// What the running transaction leaves to be done after the lock is released.
  var actions = DeferredActions()
  /// Which operations have exclusive names, and which wait for them.
  var exclusives = ExclusiveNames()
  private var lastOrder = 0
  /// How many operations have a body that waits for others, or a ``FinishWait``.
  var waitingBodies = 0

  /// How long each operation stays in a phase.
  var phaseTimes: [OperationPhase: Duration] = [:]

  /// Queues on which something may be able to start now.
  private var queuesToSchedule: [InspectableQueue] = []
  /// Whether a cancelled operation may come first on one of them.
  private var looksForCancelled = false
  /// Operations that a dependency's failure stopped, to be ended before a free slot is given.
  private var stopped = FIFO<ObservableOperation>()
  /// How many that never ran may still be ended in the running transaction: the lock must not be
  /// held for long.
  private var endsLeft = 0
  private static let mostEnds = 1024
  /// How many ``StartHold`` there are.
  private var holdCount = 0
  /// How often all of them were ended.
  private var holdGeneration = 0
  /// The time of the running transaction, once it was read; else 0.
  private var transactionTime: Int64 = 0
  /// The latest time that was given out.
  private var lastTime: Int64 = 0
  /// Whether the running transaction has changed the state of an operation.
  private var hasTransitioned = false
  /// The labels of operations that were given no name, by their kind.
  private var labels: [String: OperationLabel] = [:]
  private var lastLabel = OperationLabel(kind: "", givenName: nil)
  private let virtualClock: VirtualClock
  private let clock: PacedClock
  /// How much there was for the reader of the log so far, entries and changes.
  private let newsCount: NewsCount

  init(
    entries: EntryStore, steering: ChangeStore, virtualClock: VirtualClock, clock: PacedClock,
    newsCount: NewsCount
  ) {
    self.newsCount = newsCount
    self.entries = entries
    self.steering = steering
    self.virtualClock = virtualClock
    self.clock = clock
  }

  /// The time of the running transaction, and of what it has done last.
  ///
  /// The clock is read once in a transaction, because that costs as much as the rest of a transition.
  mutating func time() -> Int64 {
    if transactionTime == 0 {
      transactionTime =
        virtualClock.isInUse
        ? virtualClock.next(after: lastTime)
        : max(clock.nanoseconds(), lastTime.addingClamped(1))
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
    endsLeft = Self.mostEnds
  }

  /// The present time, without starting a transaction.
  var presentTime: Int64 {
    virtualClock.isInUse ? virtualClock.nanoseconds : clock.nanoseconds()
  }

  /// Returns the label of a new operation.
  mutating func label(kind: String, name: String?) -> OperationLabel {
    let label = label(kind: kind)
    return name.map { OperationLabel(kind: label.kind, givenName: $0) } ?? label
  }

  /// Returns the label that all operations of a kind share which were given no name.
  private mutating func label(kind: String) -> OperationLabel {
    if kind == lastLabel.kind { return lastLabel }
    if let known = labels[kind] {
      lastLabel = known
      return known
    }
    // Kinds are few; a program that invents new ones all the time does not fill the memory.
    if labels.count >= 1024 { labels = [:] }
    lastLabel = OperationLabel(kind: kind, givenName: nil)
    labels[kind] = lastLabel
    return lastLabel
  }

  /// Has the queue start what can start when everything is settled: only when everything that
  /// becomes ready in this instant is known can the first of them be chosen.
  mutating func needsScheduling(_ queue: InspectableQueue) {
    if queue.core.blockedCount > 0 { exclusives.lookForSlot() }
    if queue.core.cancelledCount > 0 { looksForCancelled = true }
    guard !queue.core.isToBeScheduled, queue.core.hasFreeSlot else { return }
    queue.core.isToBeScheduled = true
    queuesToSchedule.append(queue)
  }

  /// Gives the free slots, once everything has ended that ends in this instant.
  fileprivate mutating func scheduleQueues(of engine: OperationEngine) {
    while true {
      endStopped()
      if actions.needsHold { actions.take(takeHold(of: engine)) }
      guard holdCount == 0, stopped.isEmpty else { return }
      if looksForCancelled, endCancelled() { continue }
      guard
        let queue = queuesToSchedule.popLast() ?? exclusives.nextQueue()
      else { return }
      queue.core.isToBeScheduled = false
      Scheduler.schedule(queue, in: &self)
      actions.released.append(queue)
    }
  }

  /// Notes that an operation on a queue was cancelled.
  mutating func noteCancelled() {
    looksForCancelled = true
  }

  /// Ends a cancelled operation whose turn it is; it only passes through its slot.
  ///
  /// - Returns: Whether there was one.
  private mutating func endCancelled() -> Bool {
    looksForCancelled = queuesToSchedule.contains {
      Scheduler.endNextIfCancelled(on: $0, in: &self)
    }
    return looksForCancelled
  }

  /// Has an operation ended that a dependency's failure stopped.
  mutating func finishWithoutRunning(_ operation: ObservableOperation) {
    stopped.append(operation)
  }

  /// Ends the operations that were stopped, and those that their ends stop.
  mutating func endStopped() {
    while let operation = stopped.popFirst() {
      guard let error = operation.core.extras?.dependencyFailure else { continue }
      if !endUnrun(operation, error) {
        actions.finishWithoutRunning(operation)
        if endsLeft == 0 { return }
      }
    }
  }

  /// Ends an operation that never ran within this transaction, if that calls no client code; the
  /// right to finish it is claimed.
  mutating func endUnrun(_ operation: ObservableOperation, _ error: OperationError) -> Bool {
    guard endsLeft > 0, !operation.callsOutUnrun else { return false }
    endsLeft -= 1
    operation.endUnrun(error, in: &self)
    return true
  }

  /// Whether something keeps free slots from being given.
  var hasHolds: Bool { holdCount > 0 }

  /// Whether nothing is left that ends in this instant.
  var isSettled: Bool { holdCount == 0 && stopped.isEmpty && !actions.isUnsettled }

  /// Keeps free slots from being given until the hold ends.
  mutating func takeHold(of engine: OperationEngine) -> StartHold {
    holdCount += 1
    return StartHold(engine: engine, generation: holdGeneration)
  }

  /// Ends a hold, unless all were ended since it was taken.
  mutating func end(_ hold: StartHold) {
    if hold.generation == holdGeneration { holdCount -= 1 }
  }

  /// Ends all holds.
  mutating func endAllHolds() {
    holdGeneration += 1
    holdCount = 0
  }

  /// The place of an operation that is added, or gets another priority, among its equals.
  mutating func nextOrder() -> Int {
    lastOrder += 1
    return lastOrder
  }

  /// Writes an entry about the operation as it is now.
  mutating func record(
    _ operation: ObservableOperation, _ event: EventLog.Entry.Event, from: OperationState,
    cause: EventLog.Cause
  ) {
    entries.append(operation, event, from: from, at: time(), cause: cause)
    // A resting body may wait for this entry.
    if virtualClock.isInUse { virtualClock.noteMove() }
    wakeReader()
  }

  /// Writes that something changed which decides what runs.
  mutating func note(_ event: EventLog.Change.Event, of operation: ObservableOperation) {
    let time = event.isEdge && operation.core.state == .created ? buildTime : time()
    steering.append(event, of: .operation(operation.id), at: time, position: entries.count)
  }

  /// Writes the same of a queue.
  mutating func note(_ event: EventLog.Change.Event, of queue: InspectableQueue) {
    let isSetUp = lastOperationID == 0 && !virtualClock.isInUse
    let time =
      switch event {
      case .width(old: nil, _) where isSetUp, .renamed(old: nil, _) where isSetUp: buildTime
      // The time of the log stays, because a virtual clock may still begin at the start.
      case _ where isSetUp: max(buildTime, presentTime)
      default: time()
      }
    steering.append(event, of: .queue(queue.id), at: time, position: entries.count)
  }

  /// Has all changes so far the time of the start, where no operation was built: a virtual clock
  /// begins there.
  mutating func moveSetupToStart() {
    guard lastOperationID == 0 else { return }
    steering.setTimes(to: buildTime)
  }

  /// The time of an edge of a graph that is being built: reading the clock takes longer than building
  /// the edge.
  private var buildTime: Int64 { max(lastTime, entries.start.nanoseconds) }

  /// Has the edges that are built next the present time.
  mutating func noteBuildTime() { lastTime = max(lastTime, presentTime) }

  /// Keeps a change for an observer that the reader of the log notifies.
  mutating func log(_ change: Change, of subject: any ObservedSubject, for observer: Observer) {
    // The wake-up that the next entry calls stays armed: a reader may take the changes alone.
    if changes.isEmpty { wakeWaiting() }
    newsCount.increment()
    changes.append(
      LoggedChange(
        time: entries.start.instant(at: time()), position: entries.count,
        operation: (subject as? ObservableOperation)?.identityInTransaction, observer: observer,
        subject: subject, change: change))
  }

  /// Wakes the readers of the log, who have no entry to read: what waits must look again.
  mutating func wakeWaiting() {
    for wakeUp in wakeUps { actions.add(wakeUp: wakeUp.handler) }
  }

  private mutating func wakeReader() {
    newsCount.increment()
    guard isWakeUpArmed else { return }
    isWakeUpArmed = false
    wakeWaiting()
  }
}

extension OperationEngine {
  /// Runs `body` under the lock; it only reads, or makes changes that are not logged or observed.
  @inline(__always) func guarded<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock { (_) throws(Failure) -> Result in try body() }
  }

  /// Runs `body` under the lock; it only reads, also the engine's own state.
  func guardedState<Result>(_ body: (borrowing EngineState) -> Result) -> Result {
    state.withLock { state in body(state) }
  }

  /// Looks at something piece by piece, each under the lock, so that others need not wait for all.
  ///
  /// - Parameters:
  ///   - pause: Called between two pieces, without the lock.
  ///   - piece: Looks at a piece; it returns whether that was the last one.
  func guardedInPieces(
    betweenPieces pause: () -> Void = {}, _ piece: (borrowing EngineState) -> Bool
  ) {
    while !guardedState(piece) {
      // The lock is not fair: a thread that waits needs time to wake up, and would find it taken again.
      usleep(20)
      pause()
    }
  }

  /// Runs `body` under the lock, and then, without the lock, the actions that it deferred.
  func transact<Result, Failure: Error>(
    _ body: (inout EngineState) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var actions = DeferredActions()
    defer { actions.perform() }
    return try collect(into: &actions, body)
  }

  /// Runs `body` under the lock and adds what it asked to be done.
  @inline(__always) func collect<Result, Failure: Error>(
    into actions: inout DeferredActions, backoff: Backoff = .short,
    _ body: (inout EngineState) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock(backoff: backoff) { (state) throws(Failure) -> Result in
      // The transaction adds to the caller's list in place.
      swap(&state.actions, &actions)
      state.begin()
      defer {
        state.scheduleQueues(of: self)
        swap(&state.actions, &actions)
      }
      return try body(&state)
    }
  }
}
