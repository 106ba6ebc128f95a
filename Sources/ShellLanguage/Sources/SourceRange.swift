/// A stretch of a source text, as UTF-8 offsets from its beginning.
public struct SourceRange: Sendable, Hashable {
  /// The offset of the first byte.
  public let lower: Int

  /// The offset just after the last byte.
  public let upper: Int

  /// Creates a range; an upper bound below the lower one counts as empty.
  public init(_ lower: Int, _ upper: Int) {
    self.lower = lower
    self.upper = max(lower, upper)
  }

  /// Whether the range covers no byte.
  public var isEmpty: Bool { lower == upper }

  /// Returns the smallest range that covers both.
  public func union(_ other: SourceRange) -> SourceRange {
    SourceRange(min(lower, other.lower), max(upper, other.upper))
  }
}
