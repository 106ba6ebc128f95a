/// Something that may stand at the cursor.
public struct CompletionCandidate: Sendable, Equatable {
  /// What is put into the line.
  public var text: String
  /// What is said about it in the list; may be empty.
  public var summary: String
  /// Whether a space follows where it is the only one.
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
  /// What a candidate replaces, counted in characters.
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
