import OpshLocking

/// Applies the events of a log again, one after the other, to an engine that runs nothing.
///
/// What an event says is done and nothing that would follow from it: the log has that too. So after
/// each event the operations and queues are as they were at that position of the log, and whatever is
/// asked of them has the answer that it had then. Nothing runs: the queues start nothing, and the clock
/// stands still.
///
/// One thread applies the events. An event that cannot follow those before it throws.
package final class WorldFold: @unchecked Sendable {
  // @unchecked because one thread uses it at a time.

  /// Why an event cannot follow those before it, in words.
  package struct Mismatch: Error {
    package let message: String

    package init(message: String) { self.message = message }
  }

  /// An entry of a log.
  package struct Entry {
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
    /// The reason as data, in place of the words of it.
    var cause: EventLog.Cause?
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

  package let engine: OperationEngine
  /// Creates the operation of an identity, whose number has not been used; nil if it is not known.
  private let makeOperation: (OperationIdentity) -> ObservableOperation?
  /// Creates the group of an identity, with an inner queue of that number.
  private let makeGroup: (OperationIdentity, _ queue: Int) -> GroupOperation?
  package private(set) var operations: [Int: ObservableOperation] = [:]
  package private(set) var queues: [Int: InspectableQueue] = [:]
  /// The numbers of the queues that operations were held for.
  package private(set) var destinations: [Int: Int] = [:]
  /// The position of the log after what was applied, where it follows one.
  package internal(set) var position = LogPosition()
  /// What looks at the world after each event; it owns the fold, and takes itself away at its end.
  unowned var observer: (any WorldObserver)?
  /// Queues of which only the creation was told: which are those of groups comes next.
  private var newQueues: [Int: (name: String?, width: Int)] = [:]
  private var lastTime: Int64
  /// Whether the engine keeps the log that is applied.
  private let keepsLog: Bool
  /// Whether the log that is applied may lack its beginning, or something in between.
  var mayLackBeginning: Bool
  /// The numbers of the finished operations that are not kept, a bit for each; nil if all are.
  private var forgotten: [UInt64]?
  /// What the engine had before.
  private let before: (entries: EntryStore, changes: ChangeStore, queueID: Int, operationID: Int)

  /// Stops the clock of an engine, and empties its log.
  ///
  /// - Parameters:
  ///   - engine: A new engine. Queues that it has are not part of the log.
  ///   - start: When the recorded engine was created, as the engine is to tell.
  ///   - keepsLog: Whether the engine gets the log.
  ///   - mayLackBeginning: Whether operations and queues may be met in the middle of their lives.
  ///   - makeOperation: Creates the operation of an identity, in the engine; nil if it is not known.
  ///   - makeGroup: Creates the group of an identity, in the engine, with an inner queue of a number.
  package init(
    engine: OperationEngine, recorded start: RecordedStart, keepingLog keepsLog: Bool = true,
    mayLackBeginning: Bool = false,
    makeOperation: @escaping (OperationIdentity) -> ObservableOperation?,
    makeGroup: @escaping (OperationIdentity, _ queue: Int) -> GroupOperation?
  ) {
    self.engine = engine
    (self.makeOperation, self.makeGroup) = (makeOperation, makeGroup)
    (self.keepsLog, self.mayLackBeginning) = (keepsLog, mayLackBeginning)
    lastTime = engine.start.nanoseconds
    engine.virtualClock.begin(at: engine.startInstant)
    engine.recordedStart.withLock { $0 = start }
    before = engine.state.withLock { state in
      defer {
        state.entries = EntryStore(capacity: .max, textLimit: .max, start: engine.start)
        state.steering = ChangeStore(capacity: .max)
      }
      return (state.entries, state.steering, state.lastQueueID, state.lastOperationID)
    }
  }

  deinit {
    // Those of a recording go on in its session.
    if !keepsLog { abandon() }
  }

  /// Releases what has not finished, of which nothing is asked any more.
  package func abandon() {
    // Unfinished operations and their queues keep one another, and holders of names the engine.
    for queue in queues.values {
      var kept = queue.abandonAll().kept
      kept.discard()
    }
    withoutRelease { $0.exclusives = ExclusiveNames() }
  }

  /// Makes the engine what it was before, after an event that cannot be applied.
  package func undo() {
    engine.virtualClock.end()
    engine.recordedStart.withLock { $0 = nil }
    withoutRelease { state in
      (state.entries, state.steering) = (before.entries, before.changes)
      (state.lastQueueID, state.lastOperationID) = (before.queueID, before.operationID)
      state.exclusives = ExclusiveNames()
    }
  }

  /// Has the clock stand at a time for good.
  ///
  /// - Parameter elapsed: The time since the engine was created.
  package func end(at elapsed: Duration) {
    for id in newQueues.keys.sorted() { _ = try? queue(id) }
    engine.virtualClock.skip(to: engine.startInstant + elapsed)
  }

  // MARK: Operations and queues

  /// The operation of a number, which is created if it is known.
  package func operation(_ id: Int) throws(Mismatch) -> ObservableOperation {
    try operation(OperationIdentity(id: id, label: Self.noLabel))
  }

  /// Stands for the label of an operation that has had no entry yet.
  private static let noLabel = OperationLabel(kind: "operation", givenName: nil)

  private func operation(_ identity: OperationIdentity) throws(Mismatch) -> ObservableOperation {
    let id = identity.id
    if let known = operations[id] { return known }
    guard id > 0 else { throw Mismatch(message: "there is no operation \(id)") }
    guard let made = makeOperation(identity) else {
      throw Mismatch(message: "operation \(id) was not described before")
    }
    if hasForgotten(id) {
      engine.guarded { made.core.state = .finished }
      return made
    }
    operations[id] = made
    engine.state.withLock { $0.keepNumber(ofOperation: id) }
    return made
  }

  /// Has operations that have finished be kept only as long as others depend on them.
  func forgetFinished() { forgotten = [] }

  /// Whether an operation has finished and is not kept any more.
  package func hasForgotten(_ id: Int) -> Bool {
    guard let forgotten, id / 64 < forgotten.count else { return false }
    return forgotten[id / 64] & (1 << UInt64(id % 64)) != 0
  }

  private func forget(_ id: Int) {
    guard forgotten != nil else { return }
    while forgotten?.count ?? 0 <= id / 64 { forgotten?.append(0) }
    forgotten?[id / 64] |= 1 << UInt64(id % 64)
    operations[id] = nil
  }

  /// The operation of an entry of a live log, in a transaction.
  func operation(of entry: EventLog.Entry, in state: inout EngineState) -> ObservableOperation? {
    if let known = operations[entry.operation.id] {
      if known.core.label !== entry.operation.label { known.core.label = entry.operation.label }
      return known
    }
    let made = makeOperation(entry.operation)
    operations[entry.operation.id] = made
    state.keepNumber(ofOperation: entry.operation.id)
    return made
  }

  /// The queue of a number.
  package func queue(_ id: Int) throws(Mismatch) -> InspectableQueue {
    if let known = queues[id] { return known }
    let unknown: (name: String?, width: Int)? = mayLackBeginning ? (nil, -1) : nil
    guard let new = newQueues.removeValue(forKey: id) ?? unknown else {
      throw Mismatch(message: "queue \(id) was not created before")
    }
    let queue = InspectableQueue(
      folded: id, name: new.name ?? "queue-\(id)", width: new.width, isRemembered: keepsLog,
      engine: engine)
    queues[id] = queue
    engine.state.withLock { $0.lastQueueID = max($0.lastQueueID, id) }
    return queue
  }

  private func noteQueue(_ id: Int, name: String?, width: Int) throws(Mismatch) {
    guard id > 0, queues[id] == nil, newQueues[id] == nil else {
      throw Mismatch(message: "queue \(id) is created twice")
    }
    newQueues[id] = (name, width)
  }

  /// Creates the group to which a new queue belongs.
  private func noteGroup(_ id: Int, ofQueue queueID: Int) throws(Mismatch) {
    guard id > 0, operations[id] == nil, let new = newQueues.removeValue(forKey: queueID) else {
      throw Mismatch(message: "queue \(queueID) cannot become that of operation \(id)")
    }
    let identity = OperationIdentity(id: id, label: Self.noLabel)
    guard let group = makeGroup(identity, queueID) else {
      throw Mismatch(message: "operation \(id) is not a group")
    }
    engine.state.withLock { state in
      group.innerQueue.core.width = new.width
      let name = new.name ?? group.identityInTransaction.name
      group.innerQueue.core.label = QueueLabel(name: name, id: queueID)
      state.keepNumber(ofOperation: id)
      state.lastQueueID = max(state.lastQueueID, queueID)
    }
    (operations[id], queues[queueID]) = (group, group.innerQueue)
  }

  /// The time of what was applied last.
  package var instant: ContinuousClock.Instant { engine.start.instant(at: lastTime) }

  /// A time of a log of the same start on the engine's clock; never before what was applied last.
  func time(of instant: ContinuousClock.Instant) -> Int64 {
    nanoseconds(at: instant - engine.startInstant)
  }

  /// A time of the log on the engine's clock; never before what was applied last.
  private func nanoseconds(at elapsed: Duration) -> Int64 {
    lastTime = max(lastTime, engine.start.nanoseconds.addingClamped(elapsed.wholeNanoseconds))
    return lastTime
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
    case .operation(let id): try apply(event, to: operation(id), at: time)
    }
    engine.state.withLock { state in
      if keepsLog {
        state.steering.append(event, of: subject, at: time, position: state.entries.count)
      }
      guard let observer else { return }
      switch subject {
      case .queue(let id):
        if let queue = queues[id] { observer.changed(event, of: queue, at: time, in: &state) }
      case .operation(let id):
        guard let operation = operations[id] else { return }
        observer.changed(event, of: operation, at: time, in: &state)
      }
    }
  }

  private func apply(
    _ event: EventLog.Change.Event, toQueue id: Int, named name: String?
  ) throws(Mismatch) {
    switch event {
    case .width(nil, let width): try noteQueue(id, name: name, width: width)
    case .group(let group): try noteGroup(group, ofQueue: id)
    // The name of a queue follows its creation.
    case .renamed(_, let name?) where newQueues[id] != nil: newQueues[id]?.name = name
    default:
      let queue = try queue(id)
      engine.state.withLock { $0.apply(event, to: queue) }
    }
  }

  private func apply(
    _ event: EventLog.Change.Event, to operation: ObservableOperation, at time: Int64
  ) throws(Mismatch) {
    switch event {
    case .dependency(let other, _, let policy):
      try setDependency(of: operation, on: self.operation(other), policy)
    case .awaited(let ids, let isLimited):
      var awaited = try ids.map { id throws(Mismatch) in try self.operation(id) }
      engine.state.withLock {
        $0.exchangeAwaited(of: operation, with: &awaited, isLimited: isLimited)
      }
      withExtendedLifetime(awaited) {}
    case .held(let queue): destinations[operation.id] = queue
    default:
      withoutRelease { state in
        state.apply(event, to: operation, at: time)
        state.settleCreated(operation)
      }
    }
  }

  private func setDependency(
    of operation: ObservableOperation, on other: ObservableOperation, _ policy: FailurePolicy?
  ) throws(Mismatch) {
    let isPossible = withoutRelease { state -> Bool in
      defer { state.settleCreated(operation) }
      guard let policy else {
        state.unlink(operation, from: other)
        return true
      }
      if operation.core.upstream.position(of: other) == nil {
        guard other !== operation, operation.core.takesDependencies,
          state.order.makeRoom(for: operation, after: other) == nil
        else { return false }
      }
      state.link(operation, to: other, policy)
      return true
    }
    guard isPossible else {
      throw Mismatch(
        message: "operation \(operation.id) cannot depend on operation \(other.id) here")
    }
  }

  /// Changes the world; what goes out of date is released without the lock.
  func withoutRelease<Result>(_ body: (inout EngineState) -> Result) -> Result {
    let (result, released) = engine.state.withLock { state -> (Result, [AnyObject]) in
      let result = body(&state)
      var released: [AnyObject] = []
      swap(&released, &state.actions.released)
      return (result, released)
    }
    withExtendedLifetime(released) {}
    return result
  }

  // MARK: Entries

  /// Applies an entry of the log.
  ///
  /// - Parameters:
  ///   - entry: What it says.
  ///   - elapsed: When it was written, since the engine was created.
  /// - Throws: ``Mismatch`` if it cannot follow what was applied before.
  package func apply(_ entry: Entry, at elapsed: Duration) throws(Mismatch) {
    let operation = try operation(entry.operation)
    let queue = try entry.queue.map { id throws(Mismatch) in try self.queue(id) }
    if entry.from == .created || entry.to == .pending, let queue, isInside(queue, of: operation) {
      throw Mismatch(message: "operation \(entry.operation) cannot be in itself")
    }
    try apply(entry, to: operation, on: queue, at: nanoseconds(at: elapsed))
  }

  private func apply(
    _ entry: Entry, to operation: ObservableOperation, on queue: InspectableQueue?, at time: Int64
  ) throws(Mismatch) {
    let problem = withoutRelease { state in
      if let name = entry.name, name != operation.identityInTransaction.name {
        operation.core.givenName = name
      }
      return apply(entry, to: operation, on: queue, at: time, in: &state)
    }
    guard let problem else { return }
    throw Mismatch(
      message: "operation \(operation.id) is \(problem.rawValue), and cannot go from "
        + "\(entry.from.rawValue) to \(entry.to.rawValue)")
  }

  /// Applies an entry in a transaction; returns the state of the operation if it cannot follow.
  func apply(
    _ entry: Entry, to operation: ObservableOperation, on queue: InspectableQueue?, at time: Int64,
    in state: inout EngineState
  ) -> OperationState? {
    let isTransition = entry.event == .transition
    if mayLackBeginning { state.adopt(operation, in: entry.from, on: queue) }
    let isLegal = isTransition ? entry.from.canBecome(entry.to) : entry.from == entry.to
    guard operation.core.state == entry.from, isLegal else { return operation.core.state }
    if let queue, let name = entry.queueName, name != queue.core.name {
      queue.core.label = QueueLabel(name: name, id: queue.id)
    }
    let cause = entry.cause ?? EventLog.Cause(recorded: entry.reason, of: entry.event)
    let loses = entry.to == .pending && operation.core.isReady && operation.core.isDelayed
    state.apply(
      entry.event, to: operation, entry.to, on: queue, isCancelled: entry.isCancelled,
      outcome: entry.outcome, cause: cause, at: time)
    if keepsLog {
      state.entries.append(
        operation, entry.event, from: entry.from, at: time,
        cause: loses ? .addedWithDelay : cause)
    }
    operation.publishFlags()
    observer?.passed(entry, of: operation, at: time, in: &state)
    if isTransition, entry.to == .finished {
      operation.core.leaveQueue()
      if forgotten != nil {
        state.actions.released.append(operation)
        forget(operation.id)
      }
    }
    return nil
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

  /// Sets what the log does not have about an operation.
  ///
  /// - Parameters:
  ///   - rest: What else is known of it.
  ///   - id: Its number.
  /// - Throws: ``Mismatch`` for an unknown operation.
  package func set(_ rest: OperationRemainder, of id: Int) throws(Mismatch) {
    let operation = try operation(id)
    engine.state.withLock { _ in
      operation.core.times.created = engine.start.nanoseconds.addingClamped(
        rest.created.wholeNanoseconds)
      if let thread = rest.thread { operation.noteThread(thread) }
    }
  }
}

extension EngineState {
  /// Applies an entry of a log.
  mutating func apply(
    _ event: EventLog.Entry.Event, to operation: ObservableOperation, _ next: OperationState,
    on queue: InspectableQueue?, isCancelled: Bool, outcome: OperationOutcome?,
    cause: EventLog.Cause, at time: Int64
  ) {
    if isCancelled, !operation.core.isCancelled {
      cancel(operation, by: cause.cancelRequest, at: time)
      settleCreated(operation)
    }
    switch event {
    case .transition:
      pass(operation, to: next, on: queue, outcome: outcome, at: time)
      if next == .finished { countOff(operation) { $1.settleCreated($0) } }
    case .pause: operation.addPause(at: time, reason: cause.text ?? "")
    case .attempt: operation.endPause(at: time)
    case .cancelling, .refusal, .awaitsFinish, .completion, .phase: break
    }
  }

  /// Brings an operation, whose beginning a log lacks, into the state that its first entry tells of.
  mutating func adopt(
    _ operation: ObservableOperation, in state: OperationState, on queue: InspectableQueue?
  ) {
    guard operation.core.state == .created, state != .created, state != .finished else { return }
    for next in [OperationState.pending, .ready, .executing] where next.ordinal <= state.ordinal {
      pass(operation, to: next, on: queue, at: 0)
    }
  }

  /// Makes an operation on no queue ready if it waits for nothing: no entry tells of that.
  mutating func settleCreated(_ operation: ObservableOperation) {
    guard operation.core.state == .created else { return }
    operation.core.isReady =
      operation.core.isCancelled
      || operation.core.unmet == 0 && operation.core.extras?.announcements ?? 0 == 0
        && operation.core.extras?.dependencyFailure == nil
    operation.publishFlags()
  }

  /// Keeps the number of an operation that the engine has not created from being assigned.
  mutating func keepNumber(ofOperation id: Int) {
    lastOperationID = max(lastOperationID, id)
    order.keepPosition(id)
  }
}
