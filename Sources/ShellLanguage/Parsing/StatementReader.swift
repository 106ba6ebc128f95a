/// Gathers lines until they make whole statements, keeping their true line numbers.
///
/// ```swift
/// var reader = StatementReader(name: "<stdin>")
/// reader.append("repeat 2 {")       // nil: the brace is open
/// reader.append("echo hello }")     // a script that begins on line 1
/// ```
public struct StatementReader: Sendable {
  private let name: String
  private var pending = ""
  private var scanner = LexicalScanner()
  private var firstLine: Int
  private var nextLine: Int

  /// Creates a reader; `firstLine` is the number of the first line it will be given.
  public init(name: String, firstLine: Int = 1) {
    self.name = name
    self.firstLine = firstLine
    self.nextLine = firstLine
  }

  /// The number of the next line.
  public var lineNumber: Int { nextLine }

  /// Takes a line without its line break, and returns the script it completes.
  public mutating func append(_ line: String) -> Script? {
    pending += line
    pending += "\n"
    nextLine += 1
    for byte in line.utf8 { scanner.advance(byte) }
    // A backslash at the end of the line is still pending in the scanner here.
    let isContinued = scanner.isContinued
    scanner.advance(.newline)
    if pending.utf8.count <= SourceText.maximumByteCount, !scanner.hasMismatch,
      isContinued || !scanner.isBalanced
    {
      return nil
    }
    let script = Parser.parse(SourceText(name: name, text: pending, firstLine: firstLine))
    // The parser has the last word, but what it is sure about will not get better.
    if script.isIncomplete, !scanner.hasMismatch, !script.hasCertainError { return nil }
    return take(script)
  }

  /// Returns what is left at the end of the input, with the error that it ends too early.
  public mutating func finish() -> Script? {
    if pending.isEmpty { return nil }
    return take(Parser.parse(SourceText(name: name, text: pending, firstLine: firstLine)))
  }

  /// Forgets the lines of a statement that is not complete.
  public mutating func discard() {
    take(())
  }

  private mutating func take<Result>(_ result: Result) -> Result {
    pending = ""
    scanner = LexicalScanner()
    firstLine = nextLine
    return result
  }
}

extension Script {
  /// Whether it has an error that further lines cannot mend.
  var hasCertainError: Bool {
    diagnostics.contains { diagnostic in
      !diagnostic.code.hasPrefix("unclosed-") && !diagnostic.is(.unfinishedLine)
    }
  }
}
