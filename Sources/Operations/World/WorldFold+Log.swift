import OpshLocking

/// A fold of the log of an engine that runs: any moment of its past.
extension WorldFold {
  /// Creates the world at the beginning of a log, with operations that do nothing.
  ///
  /// - Parameter log: The log.
  package convenience init(of log: EventLog) {
    self.init(
      of: log, keepingLog: false, makeOperation: { ObservableOperation(folded: $0, engine: $1) },
      makeGroup: { GroupOperation(folded: $0, queue: $1, engine: $2) })
  }

  /// Creates the world at the beginning of a log, with operations of the caller's choice.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - keepsLog: Whether its engine gets the log, as far as it is followed.
  ///   - makeOperation: Creates the operation of an identity, which lacks its name if the log has no
  ///     entry of it by then.
  ///   - makeGroup: Creates the group of an identity, with an inner queue of a number.
  package convenience init(
    of log: EventLog, keepingLog keepsLog: Bool,
    makeOperation: @escaping (OperationIdentity, OperationEngine) -> ObservableOperation,
    makeGroup: @escaping (OperationIdentity, _ queue: Int, OperationEngine) -> GroupOperation
  ) {
    let source = log.engine
    let engine = OperationEngine(start: source.start, startDate: source.startDate)
    let recorded = source.recorded
    self.init(
      engine: engine,
      recorded: RecordedStart(
        date: recorded?.date ?? source.startDate,
        isVirtual: recorded?.isVirtual ?? source.virtualClock.isInUse),
      keepingLog: keepsLog, mayLackBeginning: !log.isWhole,
      makeOperation: { makeOperation($0, engine) }, makeGroup: { makeGroup($0, $1, engine) })
  }

  /// Applies the events of a log from where the last call ended.
  ///
  /// It takes time in proportion to their number.
  ///
  /// - Parameters:
  ///   - log: The log that the fold was created with.
  ///   - end: Where to stop.
  package func follow(_ log: EventLog, to end: LogPosition.Limit = .end) {
    var end = end
    while true {
      let start = position
      let batch = log.batch(from: &position, to: &end)
      // What was dropped meanwhile is missing from here on.
      if position.number - start.number > batch.count { mayLackBeginning = true }
      if batch.isEmpty { return }
      follow(batch)
    }
  }

  /// Applies events, those of a series of entries while the lock is held once.
  private func follow(_ batch: [EventLog.Event]) {
    var index = batch.startIndex
    while index < batch.endIndex {
      if case .change = batch[index] {
        follow(batch[index])
        index += 1
        continue
      }
      withoutRelease { state in
        while index < batch.endIndex, case .entry(let entry) = batch[index],
          apply(entry, in: &state)
        {
          index += 1
        }
      }
      // One that is on a queue of which nothing was told.
      if index < batch.endIndex, case .entry(let entry) = batch[index],
        let queue = entry.queueID
      {
        _ = try? self.queue(queue)
        withoutRelease { state in if !apply(entry, in: &state) { assertionFailure("no queue") } }
        index += 1
      }
    }
  }

  /// Applies an entry in a transaction; returns false if its queue is not known yet.
  private func apply(_ entry: EventLog.Entry, in state: inout EngineState) -> Bool {
    let queue = entry.queueID.flatMap { queues[$0] }
    guard queue != nil || entry.queueID == nil else { return false }
    if hasForgotten(entry.operation.id) { return true }
    guard let operation = operation(of: entry, in: &state) else { return true }
    let problem = apply(
      WorldFold.Entry(entry), to: operation, on: queue, at: time(of: entry.time), in: &state)
    assert(
      problem == nil || mayLackBeginning, "the log of an engine has an entry that cannot follow")
    return true
  }

  package func follow(_ event: EventLog.Event) {
    do throws(Mismatch) {
      try apply(event)
    } catch {
      // A log that lacks its beginning can have an edge to what is not known.
      assert(
        mayLackBeginning, "the log of an engine has an event that cannot follow: \(error.message)")
    }
  }
}

extension WorldFold {
  /// Applies an event of the log.
  func apply(_ event: EventLog.Event) throws(Mismatch) {
    switch event {
    case .change(let change):
      try apply(change.event, of: change.subject, at: change.time - engine.startInstant)
    case .entry(let entry):
      if let queue = entry.queueID { _ = try self.queue(queue) }
      withoutRelease { state in _ = apply(entry, in: &state) }
    }
  }
}

extension ObservableOperation {
  /// Notes that it is kept off a queue until something adds it.
  package final func noteHeld(for queue: InspectableQueue) {
    engine.transact { $0.note(.held(queue.id), of: self) }
  }
}

extension WorldFold.Entry {
  init(_ entry: EventLog.Entry) {
    self.init(
      operation: entry.operation.id, named: nil, event: entry.event,
      from: entry.from, to: entry.to, isCancelled: entry.isCancelled, outcome: entry.outcome,
      reason: entry.event == .pause ? entry.reason : "", queue: entry.queueID, named: entry.queue)
    cause = entry.cause
  }
}

/// A position in a log: how many of its entries and changes come before it.
///
/// Their sum is the position as it is told.
package struct LogPosition: Sendable, Equatable {
  package var entries = 0
  package var changes = 0

  package init(entries: Int = 0, changes: Int = 0) {
    (self.entries, self.changes) = (entries, changes)
  }

  /// How many events come before it.
  package var number: Int { entries + changes }

  /// Where to stop reading a log.
  package enum Limit: Sendable {
    /// At its end.
    case end
    /// At the position of this number.
    case position(Int)
    /// Before the entry with this sequence number and the changes that come right before it.
    case entry(Int)
    /// After what happened up to this time, and what happened at once with the last of it.
    case time(ContinuousClock.Instant)
  }

  fileprivate func isBefore(_ limit: Limit) -> Bool {
    switch limit {
    case .end, .time: true
    case .position(let number): self.number < number
    case .entry(let sequence): entries < sequence
    }
  }
}

extension LogPosition.Limit {
  /// What happens in one transaction is a nanosecond apart.
  private static let step = Duration.nanoseconds(1)

  /// Whether what happened at a time comes before a limit that is a time; what follows from it then
  /// does, too.
  fileprivate mutating func admits(_ time: ContinuousClock.Instant) -> Bool {
    guard case .time(let limit) = self else { return true }
    guard time <= limit else { return false }
    self = .time(max(limit, time + Self.step))
    return true
  }
}

extension EventLog {
  /// The present position: how many entries and changes were ever written.
  public var position: Int { engine.state.withLock { $0.entries.count + $0.steering.count } }

  /// The position right after an entry.
  ///
  /// It takes logarithmic time. Changes that the log no longer keeps count as if they came before.
  ///
  /// - Parameter entry: An entry of this log.
  /// - Returns: How many entries and changes had been written then.
  public func position(after entry: Entry) -> Int {
    engine.state.withLock { entry.sequence + 1 + $0.steering.count(before: entry.sequence) }
  }

  /// Takes a fold that stands at an entry, or before it: the one that was kept, or a new one.
  ///
  /// - Parameter sequence: The sequence number of the first entry that is not to be applied.
  /// - Returns: The fold at that entry; ``keep(_:)`` gives it back for the next call.
  package func takeFold(at sequence: Int) -> WorldFold {
    let kept = engine.keptFold.withLock { kept -> WorldFold? in
      guard let fold = kept, fold.position.entries <= sequence else { return nil }
      kept = nil
      return fold
    }.flatMap { hasDropped(after: $0.position) ? nil : $0 }
    let fold = kept ?? WorldFold(of: self)
    if kept == nil { fold.forgetFinished() }
    fold.follow(self, to: .entry(sequence))
    return fold
  }

  /// Whether the log no longer has something that comes after a position.
  private func hasDropped(after position: LogPosition) -> Bool {
    engine.state.withLock {
      position.entries < $0.entries.oldest || position.changes < $0.steering.oldest
    }
  }

  /// Keeps a fold for the next that takes one, in place of one that was kept before.
  package func keep(_ fold: WorldFold) {
    let old = engine.keptFold.withLock { kept -> WorldFold? in
      defer { kept = fold }
      return kept
    }
    withExtendedLifetime(old) {}
  }

  /// An entry or a change.
  package enum Event: Sendable {
    case entry(Entry)
    case change(Change)
  }

  private static let batchSize = 1024

  /// Returns the next events in order; none at the end.
  ///
  /// - Parameters:
  ///   - cursor: The position of the first; it is moved behind the last.
  ///   - end: Where to stop.
  /// - Returns: The events.
  func batch(from cursor: inout LogPosition, to end: inout LogPosition.Limit) -> [Event] {
    let start = cursor
    let (entries, changes, oldest) = engine.state.withLock { state in
      // Whatever was dropped counts as passed.
      let first = LogPosition(
        entries: max(start.entries, state.entries.oldest),
        changes: max(start.changes, state.steering.oldest))
      return (
        state.entries.page(from: first.entries, limit: Self.batchSize).entries,
        state.steering.page(from: first.changes, limit: Self.batchSize, state.entries.start)
          .changes,
        first
      )
    }
    cursor = oldest
    var events: [Event] = []
    events.reserveCapacity(entries.count + changes.count)
    var (nextEntry, nextChange) = (entries.startIndex, changes.startIndex)
    while cursor.isBefore(end) {
      let isChangeNext: Bool
      switch (nextEntry < entries.endIndex, nextChange < changes.endIndex) {
      case (false, false): return events
      case (true, true):
        isChangeNext = changes[nextChange].position <= entries[nextEntry].sequence
      // The other kind may go on in the next batch.
      case (true, false):
        guard changes.count < Self.batchSize else { return events }
        isChangeNext = false
      case (false, true):
        guard entries.count < Self.batchSize else { return events }
        isChangeNext = true
      }
      guard
        end.admits(isChangeNext ? changes[nextChange].time : entries[nextEntry].time)
      else { return events }
      if isChangeNext {
        events.append(.change(changes[nextChange]))
        nextChange += 1
        cursor.changes += 1
      } else {
        events.append(.entry(entries[nextEntry]))
        nextEntry += 1
        cursor.entries += 1
      }
    }
    return events
  }
}
