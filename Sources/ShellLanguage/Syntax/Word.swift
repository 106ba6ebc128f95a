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

    /// Whether it is an expression in braces: `${ … }`, and not `$name.property`.
    var isBraced: Bool {
      if case .expression(let expression) = content { expression.range != range } else { false }
    }
  }

  /// Where it stands, quotes included.
  public let range: SourceRange
  /// Its pieces.
  public let segments: Segments
  /// Its text, if no variable is in it.
  public let constant: String?
  /// Whether no quote is in it.
  private let isBare: Bool
  /// Its text, if no variable and no quote is in it.
  public var bareText: String? { isBare ? constant : nil }

  init(range: SourceRange, segments: Segments) {
    self.range = range
    self.segments = segments
    // Nearly all words are one piece of text.
    if segments.count == 1, let only = segments.first, case .text(let text) = only.content {
      self.constant = text
      self.isBare = !only.isQuoted
      return
    }
    var text: String? = ""
    var isBare = !segments.isEmpty
    for segment in segments {
      if segment.isQuoted { isBare = false }
      if case .text(let part) = segment.content { text?.append(part) } else { text = nil }
    }
    self.constant = text
    self.isBare = isBare
  }

  /// The one unquoted variable or `${ … }` that the word consists of; it keeps its kind, and a
  /// list gives several words.
  public var soleExpression: Expression? {
    guard constant == nil, segments.count == 1, let only = segments.first, !only.isQuoted,
      case .expression(let expression) = only.content
    else { return nil }
    return expression
  }

  /// Whether it is `$@`, which gives several words also where a list is one argument.
  var isAllArguments: Bool {
    if case .variable("@")? = soleExpression?.kind { true } else { false }
  }

  /// Where the text stands letter by letter, if it does: not so after an escape.
  func verbatimRange(in source: SourceText) -> SourceRange? {
    guard segments.count == 1, let only = segments.first, let constant,
      source.text(in: only.range) == constant
    else { return nil }
    return only.range
  }

  /// How it is written.
  func text(in source: SourceText) -> String {
    // A single bare piece is its own text.
    if isBare, segments.count == 1, let constant { return constant }
    return source.text(in: range)
  }
}

extension Word {
  /// The pieces of a word, in order.
  ///
  /// The first one needs no memory of its own, and few words have more.
  public struct Segments: RandomAccessCollection, ExpressibleByArrayLiteral, Sendable {
    private var head: Segment?
    private var rest: [Segment] = []

    init() {}

    init(_ segments: some Sequence<Segment>) {
      for segment in segments { append(segment) }
    }

    /// Creates the pieces of a word written out.
    public init(arrayLiteral elements: Segment...) { self.init(elements) }

    /// Always 0.
    public var startIndex: Int { 0 }

    /// How many there are.
    public var endIndex: Int { head == nil ? 0 : 1 + rest.count }

    /// Returns the piece at a place.
    public subscript(position: Int) -> Segment {
      if position == 0, let head { return head }
      return rest[position - 1]
    }

    mutating func append(_ segment: Segment) {
      if head == nil { head = segment } else { rest.append(segment) }
    }
  }
}
