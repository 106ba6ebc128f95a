/// How much there is in a list, the lists in it included.
///
/// Lists do not grow beyond some size, so that a doubling loop cannot take all memory. A list of twice
/// the same one takes no more memory than that, but its text takes twice as much: after 40 of them
/// nothing could be done with it in any time.
struct ListSize: Sendable {
  static let maximumCount = 1_000_000
  /// The same as that of statements.
  private static let maximumDepth = 1000

  private var count = 0
  private var bytes = 0
  private var depth = 0

  /// Measures elements, and refuses too many of them, too much text or too many lists in one another.
  init(of elements: [Value]) throws(UnplacedError) { try add(elements, depth: 1) }

  private mutating func add(_ elements: [Value], depth: Int) throws(UnplacedError) {
    count += elements.count
    self.depth = max(self.depth, depth)
    try check()
    for element in elements {
      switch element {
      case .list(let inner): try add(inner, depth: depth + 1)
      case .string(let text):
        bytes += text.utf8.count
        try check()
      default: break
      }
    }
  }

  /// Adds the size of elements that follow.
  mutating func append(_ other: ListSize) throws(UnplacedError) {
    count += other.count
    bytes += other.bytes
    depth = max(depth, other.depth)
    try check()
  }

  private func check() throws(UnplacedError) {
    guard count <= Self.maximumCount, bytes <= Evaluator.maximumTextLength,
      depth <= Self.maximumDepth
    else { throw .tooLarge }
  }
}
