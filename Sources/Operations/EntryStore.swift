/// Keeps entries in chunks, so that appending never copies what is there already.
struct EntryStore {
  private static let chunkSize = 4096
  private let chunkLimit: Int
  private var chunks: [[EventLog.Entry]] = []
  /// How many chunks at the front of `chunks` were let go and are empty.
  private var emptied = 0
  /// The sequence number of the first entry of the first chunk.
  private var base = 0
  private(set) var count = 0

  init(capacity: Int) {
    chunkLimit = max(1, capacity / Self.chunkSize) + 1
  }

  mutating func append(_ entry: EventLog.Entry) {
    if count % Self.chunkSize == 0 {
      var chunk: [EventLog.Entry] = []
      // The first chunk grows as it fills: many logs stay short.
      if count > 0 { chunk.reserveCapacity(Self.chunkSize) }
      chunks.append(chunk)
      dropOldest()
    }
    chunks[chunks.count - 1].append(entry)
    count += 1
  }

  func page(from cursor: Int, limit: Int) -> (entries: [EventLog.Entry], next: Int) {
    let oldest = base + emptied * Self.chunkSize
    let start = min(max(cursor, oldest), count)
    let end = start + min(max(limit, 0), count - start)
    var page: [EventLog.Entry] = []
    page.reserveCapacity(end - start)
    var position = start
    while position < end {
      let chunk = (position - base) / Self.chunkSize
      let first = (position - base) % Self.chunkSize
      let last = min(first + end - position, Self.chunkSize)
      page += chunks[chunk][first..<last]
      position += last - first
    }
    return (page, end)
  }

  private mutating func dropOldest() {
    guard chunks.count - emptied > chunkLimit else { return }
    chunks[emptied] = []
    emptied += 1
    // Moving the array up once per many chunks keeps appending cheap.
    if emptied > chunkLimit {
      chunks.removeFirst(emptied)
      base += emptied * Self.chunkSize
      emptied = 0
    }
  }
}
