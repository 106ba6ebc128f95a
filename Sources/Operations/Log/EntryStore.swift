import OpshSupport

/// Keeps entries in chunks, so that appending never copies what is there already.
struct EntryStore {
  private var chunkLimit: Int
  private var chunks: [LogChunk] = []
  /// The chunk that is being filled.
  private var last = LogChunk()
  /// How many chunks were let go.
  private var dropped = 0
  private(set) var count = 0
  let start: EngineStart
  /// What the texts of all entries may take, in bytes.
  private var textLimit: Int
  private(set) var textBytes = 0
  /// The first entry whose texts were not dropped.
  private var firstWithText = 0

  /// How many entries are looked at in one step of dropping texts.
  static let longestStep = LogChunk.size

  init(capacity: Int, textLimit: Int = .max, start: EngineStart) {
    chunkLimit = Self.chunkLimit(for: capacity)
    self.textLimit = textLimit
    self.start = start
  }

  private static func chunkLimit(for capacity: Int) -> Int {
    // The last chunk may hold a single entry.
    let (full, rest) = max(0, capacity).quotientAndRemainder(dividingBy: LogChunk.size)
    return full + (rest > 1 ? 2 : 1)
  }

  /// Sets how many entries are kept at least; returns what is not kept any more, which the caller
  /// lets go without the lock.
  mutating func setCapacity(_ capacity: Int) -> [LogChunk] {
    chunkLimit = Self.chunkLimit(for: capacity)
    return takeExcess()
  }

  mutating func append(
    _ operation: ObservableOperation, _ event: EventLog.Entry.Event, from: OperationState,
    at time: Int64, cause: EventLog.Cause
  ) {
    if last.count == LogChunk.size {
      chunks.append(last)
      last = LogChunk()
      last.reserve()
      _ = takeExcess()
    }
    let bytes = last.textBytes
    last.append(operation, event, from: from, at: time, cause: cause)
    count += 1
    textBytes += last.textBytes - bytes
    if textBytes > textLimit { _ = dropTexts() }
  }

  /// Sets how many bytes the texts of all entries may take; ``dropTexts()`` drops the others.
  mutating func setTextLimit(_ limit: Int) { textLimit = limit }

  /// Drops texts beyond the limit, those of the oldest entries first; the newest keeps its own.
  ///
  /// It looks at ``longestStep`` entries at most: each is looked at once in its life, so that no
  /// entry pays for more than a few others.
  ///
  /// - Returns: Whether there is more to drop.
  mutating func dropTexts() -> Bool {
    var next = max(firstWithText, oldest)
    var steps = 0
    while textBytes > textLimit, next < count - 1, steps < Self.longestStep {
      let (chunk, position) = (next - oldest).quotientAndRemainder(dividingBy: LogChunk.size)
      steps += 1
      if chunk == chunks.count {
        textBytes -= last.dropText(at: position)
        next += 1
      } else if chunks[chunk].textBytes == 0 {
        next += LogChunk.size - position
      } else {
        textBytes -= chunks[chunk].dropText(at: position)
        next += 1
      }
    }
    firstWithText = next
    return textBytes > textLimit && next < count - 1
  }

  /// The sequence number of the first entry that is kept.
  var oldest: Int { dropped * LogChunk.size }

  func page(from cursor: Int, limit: Int) -> (entries: [EventLog.Entry], next: Int) {
    let first = min(max(cursor, oldest), count)
    let end = first + min(max(limit, 0), count - first)
    var page: [EventLog.Entry] = []
    page.reserveCapacity(end - first)
    for sequence in first..<end {
      let (chunk, position) = (sequence - oldest).quotientAndRemainder(dividingBy: LogChunk.size)
      page.append(
        chunk == chunks.count
          ? last.entry(at: position, sequence: sequence, start: start)
          : chunks[chunk].entry(at: position, sequence: sequence, start: start))
    }
    return (page, end)
  }

  /// Takes out the oldest chunks, if there are too many.
  private mutating func takeExcess() -> [LogChunk] {
    let excess = chunks.count + 1 - chunkLimit
    guard excess > 0 else { return [] }
    let taken = Array(chunks.prefix(excess))
    chunks.removeFirst(excess)
    dropped += excess
    for chunk in taken { textBytes -= chunk.textBytes }
    return taken
  }
}

/// When the engine's clock and the world's were read together.
struct EngineStart {
  let nanoseconds: Int64
  let instant: ContinuousClock.Instant

  init(of clock: PacedClock = PacedClock()) {
    nanoseconds = clock.startNanoseconds
    instant = clock.startInstant
  }

  /// The start of an engine now, by a clock that others have used before.
  init(now clock: PacedClock) {
    nanoseconds = clock.nanoseconds()
    instant = clock.startInstant + .nanoseconds(nanoseconds - clock.startNanoseconds)
  }

  func instant(at nanoseconds: Int64) -> ContinuousClock.Instant {
    instant + .nanoseconds(nanoseconds - self.nanoseconds)
  }
}
