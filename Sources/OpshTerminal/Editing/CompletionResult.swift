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
  /// The candidates in the order they are listed; of very many, the first ones, and those that come
  /// first and last in the alphabet.
  public var candidates: [CompletionCandidate]
  /// The number of all candidates.
  public var count: Int

  /// Creates a result.
  ///
  /// - Parameters:
  ///   - range: The range that a candidate replaces.
  ///   - candidates: The candidates.
  ///   - count: The number of all candidates; nil if there are no others.
  public init(range: Range<Int>, candidates: [CompletionCandidate], count: Int? = nil) {
    self.range = range
    self.candidates = candidates
    self.count = count ?? candidates.count
  }

  /// No candidate.
  public static let none: CompletionResult = CompletionResult(range: 0..<0, candidates: [])
}
