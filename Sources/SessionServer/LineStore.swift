import OpshCompression

/// The lines of a session so far, for all followers together, in bounded memory.
///
/// Lines are numbered in order. When they become too many, the store starts afresh with the lines
/// that its source gives anew, under further numbers; what a follower has is out of date then. All
/// but the last ones are kept compressed, which takes a tenth or less.
package struct LineStore: Sendable {
  /// The number of the first line.
  package private(set) var start: Int = 0
  private var chunks: [Chunk] = []
  /// The last lines.
  private var tail: [String] = []
  private var tailSize = 0
  /// How many bytes all lines have.
  private var size = 0
  /// How many bytes the lines may have together.
  private let limit: Int
  private let compress: @Sendable ([UInt8]) throws -> [UInt8]
  /// At which size of the last lines they are compressed; after a failure a chunk later.
  private var packingSize = Self.chunkSize
  /// The size of what the source gave anew: a session that is larger than the limit is not started
  /// afresh all the time.
  private var freshSize = 0

  /// Lines that are compressed together.
  private struct Chunk {
    /// The number of the line after the last one.
    let end: Int
    let packed: [UInt8]
  }

  /// How many bytes of lines are compressed together.
  private static let chunkSize = 64 << 10

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - limit: How many bytes the lines may have together.
  ///   - compress: What compresses them.
  package init(
    limit: Int,
    compress: @escaping @Sendable ([UInt8]) throws -> [UInt8] = { try Gzip.compress($0, level: 1) }
  ) {
    self.limit = limit
    self.compress = compress
  }

  /// The number of the next line.
  package var end: Int { tailStart + tail.count }

  /// The number of the first line that is not compressed.
  private var tailStart: Int { chunks.last?.end ?? start }

  /// How many bytes it takes.
  var storedSize: Int { chunks.reduce(tailSize) { $0 + $1.packed.count } }

  /// Whether it is time to start afresh.
  package var isFull: Bool { size > max(limit, freshSize * 2) }

  /// Appends lines.
  ///
  /// - Parameters:
  ///   - new: The lines.
  ///   - isFresh: Whether they are of what the source gives anew.
  package mutating func append(_ new: [String], isFresh: Bool = false) {
    let sizeBefore = size
    for line in new {
      tail.append(line)
      size += line.utf8.count
      tailSize += line.utf8.count
      if tailSize >= packingSize { pack() }
    }
    if isFresh { freshSize += size - sizeBefore }
  }

  private mutating func pack() {
    let text = Array(tail.joined(separator: "\n").utf8)
    // Without memory for it they stay as they are.
    guard let packed = try? compress(text) else {
      packingSize = tailSize + Self.chunkSize
      return
    }
    packingSize = Self.chunkSize
    chunks.append(Chunk(end: end, packed: packed))
    (tail, tailSize) = ([], 0)
  }

  /// Removes all lines.
  ///
  /// The next number is left out, so that a follower that had all lines does not
  /// take the first new one for the next of them.
  package mutating func startAfresh() {
    start = end + 1
    (chunks, tail) = ([], [])
    (size, tailSize, freshSize) = (0, 0, 0)
    packingSize = Self.chunkSize
  }

  /// The lines from a number on, as far as they are kept together; empty only at the end, and nil if
  /// they can't be decompressed.
  func lines(from number: Int) -> ArraySlice<String>? {
    guard number < tailStart else { return tail[(number - tailStart)...] }
    let index = chunkIndex(of: number)
    let first = index == 0 ? start : chunks[index - 1].end
    guard let text = try? Gzip.decompress(chunks[index].packed) else { return nil }
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    return lines[(number - first)...].map { String(decoding: $0, as: UTF8.self) }[...]
  }

  /// The chunk with a line, by bisection.
  private func chunkIndex(of number: Int) -> Int {
    var (low, high) = (0, chunks.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if chunks[middle].end > number { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Whether a follower whose next line has this number can go on.
  func continues(at number: Int) -> Bool { (start...end).contains(number) }
}

/// What one follower gets: a place among the lines.
package struct EventStream: Sendable {
  /// The number of the next line; nil before the first message.
  private var next: Int?
  /// The lines from there on that have been looked up.
  private var ahead: ArraySlice<String> = []

  /// Creates a stream.
  ///
  /// - Parameter lastEventID: The number of the last line that the client has; nil for none.
  package init(lastEventID: String?) {
    // No number is near the greatest.
    next = lastEventID.flatMap { Int($0) }.flatMap { (0..<Int.max).contains($0) ? $0 + 1 : nil }
  }

  /// Whether the follower has all lines.
  package func isComplete(in store: LineStore) -> Bool { next == store.end }

  /// Returns the next messages as server-sent events; empty if there are none.
  ///
  /// A follower whose next line is not there any more gets a `snapshot`, which says that all lines
  /// follow from the first one. It has no number of its own, so that a client that gets nothing
  /// after it asks for all lines again.
  ///
  /// - Parameters:
  ///   - store: The lines.
  ///   - size: How many bytes are enough.
  /// - Returns: The bytes of whole messages; nil if the next line can't be read, so that the follower
  ///   has to connect again.
  package mutating func messages(from store: LineStore, upTo size: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var place: Int
    if let next, store.continues(at: next) {
      place = next
    } else {
      bytes += Array("id\nevent: snapshot\ndata:\n\n".utf8)
      place = store.start
      ahead = []
    }
    while bytes.count < size {
      if ahead.isEmpty {
        guard let lines = store.lines(from: place) else { return nil }
        ahead = lines
      }
      guard let line = ahead.popFirst() else { break }
      bytes += Array("id: \(place)\ndata: ".utf8)
      bytes += Array(line.utf8)
      bytes += [0x0A, 0x0A]
      place += 1
    }
    next = place
    return bytes
  }
}
