/// Keeps the end of what a program prints.
///
/// The end and not the beginning, for that is where a program says why it failed.
struct TailBuffer: Sendable {
  private let limit: Int
  private var bytes: [UInt8] = []
  /// How many came in all.
  private(set) var count = 0

  init(limit: Int) { self.limit = limit }

  /// What is kept.
  var tail: [UInt8] { bytes.count > limit ? Array(bytes.suffix(limit)) : bytes }

  /// How many were thrown away.
  var omitted: Int { count - min(bytes.count, limit) }

  /// Throws away what is kept, of which only the number of bytes stays known.
  mutating func clear() { bytes = [] }

  mutating func append(_ more: ArraySlice<UInt8>) {
    bytes += more
    count += more.count
    // Rarely, because everything is moved.
    if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
  }

  /// What came from a position on.
  ///
  /// - Parameter position: Counted from the first byte that ever came.
  /// - Returns: The bytes, the position behind them, and how many between were thrown away.
  func read(from position: Int) -> (bytes: [UInt8], next: Int, missed: Int) {
    let first = count - bytes.count
    let start = max(position, first)
    return (Array(bytes[(start - first)...]), count, start - position)
  }
}
