/// Reads scripts and expressions.
///
/// ```swift
/// let script = Parser.parse(SourceText(name: "-c", text: "echo hello"))
/// script.diagnostics.isEmpty  // true
/// ```
public enum Parser: Sendable {
  /// How many levels of blocks, parentheses and operators may be inside each other.
  public static let maximumDepth = 1_000

  static let helpForDepth =
    "give parts of it names: 'let' keeps a value, and 'def' makes a command of statements"

  /// Reads a script; what is wrong with it stands in its diagnostics.
  ///
  /// After an error reading goes on with the next statement.
  public static func parse(_ source: SourceText) -> Script {
    if source.count > SourceText.maximumByteCount { return refused(source, .tooLarge(source)) }
    if let offset = source.text.utf8.firstOffset(of: 0) {
      return refused(source, .nulByte(source, at: offset))
    }
    return parse(source, source.range)
  }

  /// Reads a part of a text as a script.
  static func parse(_ source: SourceText, _ range: SourceRange) -> Script {
    var parser = ScriptParser(source, range: range)
    return parser.parseScript()
  }

  private static func refused(_ source: SourceText, _ diagnostic: Diagnostic) -> Script {
    Script(
      source: source, statements: [Statement(.invalid, source.range)], diagnostics: [diagnostic],
      isIncomplete: false)
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
///
/// It is a class because every function of the parser can throw it: a diagnostic by value would
/// make each frame of a deep recursion several times as large.
final class ParseFailure: Error {
  enum Reach: Equatable {
    /// Reading goes on with the next statement.
    case statement
    /// Reading goes on at an offset, where another statement begins.
    case next(Int)
    /// Nothing inside the same statement of the top level can be read.
    case topLevel
    /// The text ended too early.
    case end
  }

  let diagnostic: Diagnostic
  let reach: Reach

  init(diagnostic: Diagnostic, reach: Reach) {
    self.diagnostic = diagnostic
    self.reach = reach
  }
}
