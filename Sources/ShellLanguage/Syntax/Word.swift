/// One word of a command: text, quoted text and variables in any mixture.
public final class Word: Sendable {
  /// One piece of a word.
  public struct Segment: Sendable {
    /// The kinds of pieces.
    public enum Content: Sendable {
      /// Text as it is meant, escapes resolved.
      case text(String)
      /// A variable with its properties, or `${ … }`.
      case expression(Expression)
    }

    /// What it is.
    public let content: Content
    /// Whether it stands in quotes.
    public let isQuoted: Bool
    /// Where it stands, quotes not included.
    public let range: SourceRange
  }

  /// Where it stands, quotes included.
  public let range: SourceRange
  /// Its pieces.
  public let segments: [Segment]
  /// Its text, if no variable is in it.
  public let constant: String?
  /// Its text, if no variable and no quote is in it.
  public let bareText: String?

  init(range: SourceRange, segments: [Segment]) {
    self.range = range
    self.segments = segments
    // Nearly all words are one piece of text.
    if segments.count == 1, case .text(let only) = segments[0].content {
      self.constant = only
      self.bareText = segments[0].isQuoted ? nil : only
      return
    }
    var text: String? = ""
    var isBare = !segments.isEmpty
    for segment in segments {
      if segment.isQuoted { isBare = false }
      if case .text(let part) = segment.content { text?.append(part) } else { text = nil }
    }
    self.constant = text
    self.bareText = isBare ? text : nil
  }

  /// The one unquoted variable or `${ … }` that the word consists of; it keeps its kind, and a
  /// list gives several words.
  public var soleExpression: Expression? {
    guard segments.count == 1, !segments[0].isQuoted,
      case .expression(let expression) = segments[0].content
    else { return nil }
    return expression
  }

  /// Where the text stands letter by letter, if it does: not so after an escape.
  func verbatimRange(in source: SourceText) -> SourceRange? {
    guard segments.count == 1, let constant, source.text(in: segments[0].range) == constant
    else { return nil }
    return segments[0].range
  }
}
