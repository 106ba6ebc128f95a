/// Stores the end of a program's output.
///
/// The end and not the start, because that is where a program reports why it failed.
struct TailBuffer: Sendable {
  private let limit: Int
  private var bytes: [UInt8] = []
  /// The total number of bytes.
  private(set) var count = 0

  package init(limit: Int) { self.limit = limit }

  /// The kept bytes.
  package var tail: [UInt8] { bytes.count > limit ? Array(bytes.suffix(limit)) : bytes }

  /// The number of discarded bytes.
  package var omitted: Int { count - min(bytes.count, limit) }

  /// Discards the kept bytes, and keeps only their number.
  package mutating func clear() { bytes = [] }

  package mutating func append(_ more: ArraySlice<UInt8>) {
    bytes += more
    count += more.count
    // Rarely, because all bytes are moved.
    if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
  }

  /// Returns the bytes from a position on.
  ///
  /// - Parameter position: Counted from the first byte ever added.
  /// - Returns: The bytes, the position after them, and how many in between were discarded.
  package func read(from position: Int) -> (bytes: [UInt8], next: Int, missed: Int) {
    let first = count - bytes.count
    let start = max(position, first)
    return (Array(bytes[(start - first)...]), count, start - position)
  }
}
