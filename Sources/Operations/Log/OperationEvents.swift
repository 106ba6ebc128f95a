import OpshLocking

/// The handler that wakes a reader of the log.
struct WakeUp: Sendable {
  let reader: ObjectIdentifier
  let handler: @Sendable () -> Void
}

/// The entries of an engine's log as they are written.
///
/// ```swift
/// for await entry in engine.events where entry.to == .finished {
///   print(entry.operation.name, entry.reason)
/// }
/// ```
///
/// Any number of tasks can iterate, each at its own pace; all get every entry in the same order. One
/// that is slower than the log drops old entries misses those (``EventLog/setCapacity(_:)``), which
/// shows in ``EventLog/Entry/sequence``. The sequence ends only when its task is cancelled.
public struct OperationEvents: AsyncSequence, Sendable {
  let engine: OperationEngine
  let cursor: Int

  /// Creates the state of one iteration.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(engine, cursor) }

  /// One iteration over the entries.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private let reader: LogReader
    private var cursor: Int
    private var page: ArraySlice<EventLog.Entry> = []

    fileprivate init(_ engine: OperationEngine, _ cursor: Int) {
      reader = LogReader(engine)
      self.cursor = cursor
    }

    /// Returns the next entry, and waits until there is one; nil if the task was cancelled.
    public mutating func next() async -> EventLog.Entry? {
      while page.isEmpty {
        let (entries, next) = reader.engine.log.entries(from: cursor, limit: LogChunk.size)
        (page, cursor) = (entries[...], next)
        if page.isEmpty, await !reader.waitForNews() { return nil }
      }
      return Task.isCancelled ? nil : page.popFirst()
    }
  }
}

/// The states of an operation as it passes through them, the present one first.
///
/// It ends with ``OperationState/finished``, or when its task is cancelled. Any number of tasks can
/// iterate. Each reads all entries of the engine's log.
public struct OperationStates: AsyncSequence, Sendable {
  let operation: ObservableOperation

  /// Creates the state of one iteration, which begins with the present state.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(operation) }

  /// One iteration over the states.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private let operation: ObservableOperation
    private var events: OperationEvents.AsyncIterator
    private var first: OperationState?
    private var hasEnded = false
    private var sequence: Int

    fileprivate init(_ operation: ObservableOperation) {
      self.operation = operation
      let (state, cursor) = operation.engine.guardedState {
        (operation.core.state, $0.entries.count)
      }
      (first, sequence) = (state, cursor - 1)
      events = OperationEvents.AsyncIterator(operation.engine, cursor)
    }

    /// Returns the next state, and waits until the operation has it; nil after the last one.
    public mutating func next() async -> OperationState? {
      guard !hasEnded else { return nil }
      let state: OperationState?
      if let first { state = first } else { state = await nextChange() }
      first = nil
      hasEnded = state == nil || state == .finished
      return state
    }

    private mutating func nextChange() async -> OperationState? {
      while let entry = await events.next() {
        let hasMissed = entry.sequence > sequence + 1
        sequence = entry.sequence
        if entry.operation.id == operation.id, entry.from != entry.to { return entry.to }
        // The last entry may be among those that the log has dropped.
        if hasMissed, operation.state == .finished { return .finished }
      }
      return nil
    }
  }
}

extension OperationEngine {
  /// The entries of the log from now on.
  public var events: OperationEvents { OperationEvents(engine: self, cursor: log.count) }
}

extension ObservableOperation {
  /// The states that it passes through, beginning with the present one.
  public var states: OperationStates { OperationStates(operation: self) }
}

/// Wakes one iteration over the log.
private final class LogReader: Sendable {
  let engine: OperationEngine
  private let news: AsyncStream<Void>

  init(_ engine: OperationEngine) {
    self.engine = engine
    let (news, poke) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.news = news
    // Resuming a task may start a thread of the pool that all tasks share.
    engine.log.setWakeUp({ ThreadStarter.perform { poke.yield() } }, of: self)
  }

  deinit { engine.log.setWakeUp(nil, of: self) }

  /// Returns whether there may be something new; false if the task was cancelled.
  func waitForNews() async -> Bool {
    var iterator = news.makeAsyncIterator()
    return await iterator.next() != nil
  }
}
