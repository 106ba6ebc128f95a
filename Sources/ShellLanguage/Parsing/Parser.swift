/// Reads scripts and expressions.
///
/// ```swift
/// let script = Parser.parse(SourceText(name: "-c", text: "echo hello"))
/// script.diagnostics.isEmpty  // true
/// ```
public enum Parser: Sendable {
  /// How many levels of blocks, parentheses and operators may be inside each other.
  public static let maximumDepth = 1_000

  /// Reads a script; what is wrong with it stands in its diagnostics.
  ///
  /// After an error reading goes on with the next statement.
  public static func parse(_ source: SourceText) -> Script {
    func refused(_ diagnostic: Diagnostic) -> Script {
      Script(
        source: source, statements: [Statement(.invalid, source.range)],
        diagnostics: [diagnostic], isIncomplete: false)
    }
    if source.count > SourceText.maximumByteCount { return refused(.tooLarge(source)) }
    if let offset = source.text.utf8.firstOffset(of: 0) {
      return refused(.nulByte(source, at: offset))
    }
    var parser = ScriptParser(source, range: source.range)
    return parser.parseScript()
  }

  /// Reads a text that is one expression.
  public static func parseExpression(_ source: SourceText) throws(Diagnostic) -> Expression {
    try parseExpression(in: source, source.range)
  }

  /// Reads a part of a text that is one expression.
  public static func parseExpression(
    in source: SourceText, _ range: SourceRange
  ) throws(Diagnostic) -> Expression {
    var parser = ScriptParser(source, range: range)
    return try parser.parseWholeExpression()
  }
}

/// An error that ends a statement, or more than one.
struct ParseFailure: Error {
  enum Reach {
    /// Reading goes on with the next statement.
    case statement
    /// Nothing inside the same statement of the top level can be read.
    case topLevel
    /// The text ended too early.
    case end
  }

  let diagnostic: Diagnostic
  let reach: Reach
}
