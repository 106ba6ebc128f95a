/// Keeps the changes of the log in chunks: 32 bytes for each, of which there may be millions, and more
/// for the few whose events hold a list, a text or two numbers.
struct ChangeStore {
  private struct Entry {
    var time: Int64
    let event: EventLog.Change.Event
    let isOfQueue: Bool
    let number: UInt32
    /// How many entries of the log were written since the first change of the chunk.
    let position: UInt32
  }

  private struct Chunk {
    var position = 0
    var entries: [Entry] = []
  }

  static let chunkSize = 4096
  private var chunks: [Chunk] = []
  private var last = Chunk()
  /// How many chunks were dropped.
  private var dropped = 0
  private var chunkLimit: Int
  private(set) var count = 0
  var hasDropped: Bool { dropped > 0 }
  /// The sequence number of the first change that is kept.
  var oldest: Int { dropped * Self.chunkSize }

  init(capacity: Int) { chunkLimit = Self.limit(for: capacity) }

  private static func limit(for capacity: Int) -> Int { max(0, capacity) / chunkSize + 1 }

  /// Sets how many changes are kept at least.
  mutating func setCapacity(_ capacity: Int) {
    chunkLimit = Self.limit(for: capacity)
    dropExcess()
  }

  private mutating func dropExcess() {
    let excess = chunks.count - chunkLimit
    guard excess > 0 else { return }
    chunks.removeFirst(excess)
    dropped += excess
  }

  mutating func append(
    _ event: EventLog.Change.Event, of subject: EventLog.Change.Subject, at time: Int64,
    position: Int
  ) {
    if last.entries.count == Self.chunkSize {
      chunks.append(last)
      last = Chunk()
      last.entries.reserveCapacity(Self.chunkSize)
      dropExcess()
    }
    if last.entries.isEmpty { last.position = position }
    let (isOfQueue, number) =
      switch subject {
      case .operation(let id): (false, id)
      case .queue(let id): (true, id)
      }
    last.entries.append(
      Entry(
        time: time, event: event, isOfQueue: isOfQueue, number: UInt32(truncatingIfNeeded: number),
        position: UInt32(truncatingIfNeeded: position - last.position)))
    count += 1
  }

  /// Sets the time of the changes of the last chunk.
  mutating func setTimes(to time: Int64) {
    for index in last.entries.indices { last.entries[index].time = time }
  }

  /// How many changes were written before an entry; takes logarithmic time.
  func count(before sequence: Int) -> Int {
    var (low, high) = (oldest, count)
    while low < high {
      let middle = (low + high) / 2
      let (index, place) = (middle - oldest).quotientAndRemainder(dividingBy: Self.chunkSize)
      let chunk = index == chunks.count ? last : chunks[index]
      if chunk.position + Int(chunk.entries[place].position) <= sequence {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  func page(
    from cursor: Int, limit: Int, _ start: EngineStart
  ) -> (changes: [EventLog.Change], next: Int) {
    let first = min(max(cursor, dropped * Self.chunkSize), count)
    let end = first + min(max(limit, 0), count - first)
    let changes = (first..<end).map { sequence in
      let (index, place) = (sequence - dropped * Self.chunkSize)
        .quotientAndRemainder(dividingBy: Self.chunkSize)
      let chunk = index == chunks.count ? last : chunks[index]
      let entry = chunk.entries[place]
      let id = Int(entry.number)
      return EventLog.Change(
        sequence: sequence, position: chunk.position + Int(entry.position),
        time: start.instant(at: entry.time),
        subject: entry.isOfQueue ? .queue(id) : .operation(id), event: entry.event)
    }
    return (changes, end)
  }
}
