/// A candidate for the text at the cursor.
public struct CompletionCandidate: Sendable, Equatable {
  /// The inserted text.
  public var text: String
  /// The description in the list; may be empty.
  public var summary: String
  /// Whether a space is inserted after it if it is the only candidate.
  public var appendsSpace: Bool

  /// Creates a candidate.
  public init(_ text: String, summary: String = "", appendsSpace: Bool = true) {
    self.text = text
    self.summary = summary
    self.appendsSpace = appendsSpace
  }
}

/// The candidates for a place in the line.
public struct CompletionResult: Sendable, Equatable {
  /// The range that a candidate replaces, counted in characters.
  public var range: Range<Int>
  /// The candidates in the order they are listed.
  public var candidates: [CompletionCandidate]

  /// Creates a result.
  public init(range: Range<Int>, candidates: [CompletionCandidate]) {
    self.range = range
    self.candidates = candidates
  }

  /// No candidate.
  public static let none: CompletionResult = CompletionResult(range: 0..<0, candidates: [])
}
