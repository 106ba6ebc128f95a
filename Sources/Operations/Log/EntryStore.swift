/// Keeps entries in chunks, so that appending never copies what is there already.
struct EntryStore {
  private var chunkLimit: Int
  private var chunks: [LogChunk] = []
  /// The chunk that is being filled.
  private var last = LogChunk()
  /// How many chunks at the front of `chunks` were let go and are empty.
  private var emptied = 0
  /// The sequence number of the first entry of the first chunk.
  private var base = 0
  private(set) var count = 0
  private let start: EngineStart

  init(capacity: Int, start: EngineStart) {
    chunkLimit = Self.chunkLimit(for: capacity)
    self.start = start
  }

  private static func chunkLimit(for capacity: Int) -> Int {
    // The last chunk may hold a single entry.
    let (full, rest) = max(0, capacity).quotientAndRemainder(dividingBy: LogChunk.size)
    return full + (rest > 1 ? 2 : 1)
  }

  /// Sets how many entries are kept at least.
  ///
  /// - Returns: What is not kept any more, which the caller lets go without the lock.
  mutating func setCapacity(_ capacity: Int) -> [LogChunk] {
    chunkLimit = Self.chunkLimit(for: capacity)
    var dropped: [LogChunk] = []
    while let chunk = takeOldest() { dropped.append(chunk) }
    return dropped
  }

  mutating func append(
    _ operation: ObservableOperation, _ event: EventLog.Entry.Event, from: OperationState,
    at time: Int64, cause: EventLog.Cause
  ) {
    if last.count == LogChunk.size {
      chunks.append(last)
      last = LogChunk()
      last.reserve()
      _ = takeOldest()
    }
    last.append(operation, event, from: from, at: time, cause: cause)
    count += 1
  }

  func page(from cursor: Int, limit: Int) -> (entries: [EventLog.Entry], next: Int) {
    let oldest = base + emptied * LogChunk.size
    let first = min(max(cursor, oldest), count)
    let end = first + min(max(limit, 0), count - first)
    var page: [EventLog.Entry] = []
    page.reserveCapacity(end - first)
    for sequence in first..<end {
      let (chunk, position) = (sequence - base).quotientAndRemainder(dividingBy: LogChunk.size)
      page.append(
        chunk == chunks.count
          ? last.entry(at: position, sequence: sequence, start: start)
          : chunks[chunk].entry(at: position, sequence: sequence, start: start))
    }
    return (page, end)
  }

  /// Takes out the oldest chunk, if there are too many.
  private mutating func takeOldest() -> LogChunk? {
    guard chunks.count + 1 - emptied > chunkLimit else { return nil }
    let oldest = chunks[emptied]
    chunks[emptied] = LogChunk()
    emptied += 1
    // Moving the array up once per many chunks keeps appending cheap.
    if emptied > chunkLimit {
      chunks.removeFirst(emptied)
      base += emptied * LogChunk.size
      emptied = 0
    }
    return oldest
  }
}

/// When the engine's clock and the world's were read together.
struct EngineStart {
  let nanoseconds: Int64
  let instant: ContinuousClock.Instant

  init() {
    nanoseconds = EngineClock.nanoseconds()
    instant = .now
  }

  func instant(at nanoseconds: Int64) -> ContinuousClock.Instant {
    instant + .nanoseconds(nanoseconds - self.nanoseconds)
  }
}
