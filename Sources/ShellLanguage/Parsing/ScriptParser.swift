import OpshLocking

/// Reads bytes of UTF-8 from left to right, once.
///
/// All offsets inside are relative to the part being read; `range(_:_:)` makes them absolute.
struct ScriptParser {
  let source: SourceText
  let bytes: [UInt8]
  let base: Int
  var position = 0
  var diagnostics: [Diagnostic] = []
  var isIncomplete = false
  /// How many blocks and parentheses are open.
  var depth = 0
  /// Where the parentheses, brackets and braces around the expression being read were opened.
  var openers: [Opener] = []
  /// Whether `break` and `continue` have a loop here, and `return` a `def`.
  var isInLoop = false
  var isInDefinition = false
  /// Where the block ends that was read last.
  var endOfLastBlock = 0
  /// Whether it is in a block that is an argument of a command.
  var isInArgument = false
  /// Where a backslash stands that continues the last line.
  var danglingBackslash: Int?

  /// A sign that waits for the one that closes it.
  struct Opener {
    enum Sign: String {
      case brace, parenthesis, bracket, quote

      /// The error if nothing closes it.
      var unclosed: ErrorPage {
        switch self {
        case .brace: .unclosedBrace
        case .parenthesis: .unclosedParenthesis
        case .bracket: .unclosedBracket
        case .quote: .unclosedQuote
        }
      }
    }

    let offset: Int
    let what: Sign
  }

  init(_ source: SourceText, range: SourceRange) {
    self.source = source
    self.base = range.lower
    let view = source.text.utf8
    // A slice of a text is copied byte by byte.
    self.bytes =
      view.withContiguousStorageIfAvailable { Array($0[range.lower..<range.upper]) }
      ?? Array(view.dropFirst(range.lower).prefix(range.upper - range.lower))
  }

  mutating func parseScript() -> Script {
    if bytes.starts(with: SourceText.byteOrderMark.utf8) {
      position = SourceText.byteOrderMark.utf8.count
    }
    var statements: [Statement] = []
    do throws(ParseFailure) {
      try parseStatements(inBlock: false, into: &statements)
    } catch {
      // Failures of statements at the top level are caught where they happen.
      diagnostics.append(error.diagnostic)
    }
    if let backslash = danglingBackslash {
      isIncomplete = true
      let place = range(backslash, backslash + 1)
      diagnostics.append(
        diagnostic(
          .unfinishedLine, "the last line is continued, but nothing follows", place))
      if statements.isEmpty { statements.append(Statement(.invalid, place)) }
    }
    return Script(
      source: source, statements: statements,
      diagnostics: diagnostics.sorted { $0.range.lower < $1.range.lower },
      isIncomplete: isIncomplete)
  }

  mutating func parseWholeExpression() throws(Diagnostic) -> Expression {
    do throws(ParseFailure) {
      let expression = try parseExpression()
      skipLayout()
      if position < bytes.count { throw unexpectedInExpression() }
      if let first = diagnostics.first { throw ParseFailure(diagnostic: first, reach: .statement) }
      return expression
    } catch {
      throw error.diagnostic
    }
  }
}

// MARK: Looking at bytes

extension ScriptParser {
  var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  func byte(at offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

  func range(_ lower: Int, _ upper: Int) -> SourceRange {
    SourceRange(lower + base, upper + base)
  }

  func text(_ lower: Int, _ upper: Int) -> String {
    String(decoding: bytes[lower..<upper], as: UTF8.self)
  }

  /// The length of a backslash with the line break after it, or 0.
  func continuationLength(at offset: Int) -> Int {
    guard byte(at: offset) == .backslash else { return 0 }
    switch byte(at: offset + 1) {
    case .newline, nil: return byte(at: offset + 1) == nil ? 1 : 2
    case .carriageReturn where byte(at: offset + 2) == .newline: return 3
    default: return 0
    }
  }

  /// Skips a continuation and remembers it if the text ends there.
  mutating func skipContinuation(_ length: Int) {
    if position + length >= bytes.count { danglingBackslash = position }
    position += length
  }

  /// Skips white space within a line, continuations included.
  mutating func skipBlanks() {
    while let byte = current {
      if byte.isBlank {
        position += 1
      } else {
        // Nearly always: to ask for more than a byte copies the parser.
        if byte != .backslash { return }
        let length = continuationLength(at: position)
        if length > 0 {
          skipContinuation(length)
        } else if let end = refuseBlanksAfterBackslash() {
          position = end
        } else {
          return
        }
      }
    }
  }

  /// Skips a comment up to the line break; call it only at the start of a word.
  mutating func skipComment() {
    guard current == .hash else { return }
    while let byte = current, byte != .newline { position += 1 }
  }

  /// Skips white space, line breaks and comments, as between parentheses.
  mutating func skipLayout() {
    while true {
      skipBlanks()
      switch current {
      case .newline?: position += 1
      case .hash?: skipComment()
      default: return
      }
    }
  }

  /// The bare word at a place, if one of letters, digits, `_` and `-` ends there.
  func plainWord(at offset: Int) -> String? {
    plainWordRange(at: offset).map { text($0.lowerBound, $0.upperBound) }
  }

  /// Where the bare word at a place stands, if one of letters, digits, `_` and `-` ends there.
  private func plainWordRange(at offset: Int) -> Range<Int>? {
    var end = offset
    while let byte = byte(at: end), byte.isNamePart || byte == .minus { end += 1 }
    guard end > offset else { return nil }
    if let next = byte(at: end), !next.endsWord, continuationLength(at: end) == 0 { return nil }
    return offset..<end
  }

  /// The keyword at a place, and how long it is.
  func keyword(at offset: Int) -> (Keyword, length: Int)? {
    guard let range = plainWordRange(at: offset),
      let keyword = Keyword(text(range.lowerBound, range.upperBound))
    else { return nil }
    return (keyword, range.count)
  }
}

// MARK: Errors

extension ScriptParser {
  func diagnostic(
    _ error: ErrorPage, _ message: String, _ range: SourceRange,
    label: (message: String, range: SourceRange)? = nil, help: String? = nil
  ) -> Diagnostic {
    Diagnostic(
      error, message, source: source, range: range,
      labels: label.map { [.init($0.message, source: source, range: $0.range)] } ?? [],
      help: help)
  }

  func failure(
    _ error: ErrorPage, _ message: String, _ range: SourceRange,
    label: (message: String, range: SourceRange)? = nil, help: String? = nil,
    reach: ParseFailure.Reach = .statement
  ) -> ParseFailure {
    ParseFailure(
      diagnostic: diagnostic(error, message, range, label: label, help: help), reach: reach)
  }

  /// Notes an error after which the same statement can be read on; once, also if it is read again.
  mutating func report(
    _ error: ErrorPage, _ message: String, _ range: SourceRange,
    label: (message: String, range: SourceRange)? = nil, help: String? = nil
  ) {
    if diagnostics.suffix(4).contains(where: { $0.range == range && $0.code == error.code }) {
      return
    }
    diagnostics.append(diagnostic(error, message, range, label: label, help: help))
  }

  /// The text ended inside something that was opened at a place.
  mutating func unclosed(_ what: Opener.Sign, openedAt offset: Int) -> ParseFailure {
    isIncomplete = true
    return failure(
      what.unclosed, "this \(what.rawValue) is never closed", range(offset, offset + 1), reach: .end
    )
  }

  /// Goes one level down.
  mutating func enter(at offset: Int) throws(ParseFailure) {
    guard depth < Parser.maximumDepth else { throw tooDeep(at: offset) }
    if CallStack.isNearlyFull {
      throw failure(
        .tooDeep, "too many levels inside each other for this thread", range(offset, offset + 1),
        help: Parser.helpForDepth, reach: .topLevel)
    }
    depth += 1
  }

  func tooDeep(at offset: Int) -> ParseFailure {
    failure(
      .tooDeep, "more than \(Parser.maximumDepth) levels inside each other",
      range(offset, offset + 1), help: Parser.helpForDepth, reach: .topLevel)
  }

  /// Goes one level down, to what stands after the opening sign at the position; `start` is the
  /// place of the error that it is too deep.
  mutating func open(_ sign: Opener.Sign, from start: Int) throws(ParseFailure) {
    try enter(at: start)
    openers.append(Opener(offset: position, what: sign))
    position += 1
  }

  /// Skips the sign that closes what `open` opened.
  mutating func close(with sign: UInt8) throws(ParseFailure) {
    skipLayout()
    if current == nil, let open = openers.last { throw unclosed(open.what, openedAt: open.offset) }
    guard current == sign else { throw unexpectedInExpression() }
    position += 1
  }

  /// Returns to the level above that of `open`.
  mutating func leave() {
    depth -= 1
    openers.removeLast()
  }

  /// The error that something else stands at the position.
  func expected(_ error: ErrorPage, _ what: String, help: String? = nil) -> ParseFailure {
    let found = describeCurrent()
    return failure(error, "expected \(what), found \(found.text)", found.range, help: help)
  }

  /// What stands at the position, for messages: a word, a sign, or an end.
  func describeCurrent() -> (text: String, range: SourceRange) {
    guard let byte = current else { return ("the end of the text", range(position, position)) }
    if byte == .newline || byte == .carriageReturn {
      return ("the end of the line", range(position, position))
    }
    var end = position
    while let next = self.byte(at: end), !next.endsWord, end - position < 40 { end += 1 }
    if end == position { end += 1 }
    while let next = self.byte(at: end), next & 0xC0 == 0x80 { end += 1 }
    return ("'\(text(position, end))'", range(position, end))
  }
}

extension UInt8 {
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let backslash = UInt8(ascii: "\\")
  static let hash = UInt8(ascii: "#")
  static let dollar = UInt8(ascii: "$")
  static let minus = UInt8(ascii: "-")
  static let dot = UInt8(ascii: ".")
  static let quote = UInt8(ascii: "'")
  static let doubleQuote = UInt8(ascii: "\"")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
  static let openParenthesis = UInt8(ascii: "(")
  static let closeParenthesis = UInt8(ascii: ")")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")
  static let semicolon = UInt8(ascii: ";")
  static let bar = UInt8(ascii: "|")
  static let less = UInt8(ascii: "<")
  static let greater = UInt8(ascii: ">")
  static let equals = UInt8(ascii: "=")
  static let comma = UInt8(ascii: ",")
  static let exclamation = UInt8(ascii: "!")
  static let ampersand = UInt8(ascii: "&")

  /// White space within a line.
  var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0B || self == 0x0C }

  var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  var isLetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }

  /// What a variable's name can begin with.
  var isNameStart: Bool { isLetter || self == 0x5F }

  var isNamePart: Bool { isLetter || isDigit || self == 0x5F }

  /// Whether a bare word ends before it: white space and the special signs.
  var endsWord: Bool {
    switch self {
    case 0x20, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, .semicolon, .bar, .greater, .openParenthesis,
      .closeParenthesis, .openBrace, .closeBrace:
      true
    default: false
    }
  }
}

// MARK: Errors that this file raises

extension ErrorPage {
  static let unfinishedLine = ErrorPage(
    "unfinished-line", "The last line is continued, but nothing follows",
    "A backslash at the end of a line joins it with the next line, but there is no next line.",
    help: "remove the backslash, or write the next line", wrong: "echo hello \\",
    right: "echo hello")

  static let trailingBlank = ErrorPage(
    "trailing-blank", "A backslash at the end of a line is followed by blanks",
    "Only a backslash that is the last character of its line continues the line.",
    help: "remove the blanks after the backslash", wrong: "echo hello \\ \nopsh",
    right: "echo hello \\\n  opsh")

  package static let tooDeep = ErrorPage(
    "too-deep", "Something is nested too deeply",
    """
    Blocks, parentheses and operators can be inside each other up to 1,000 levels, calls of \
    a 'def' up to 500, and files that 'source' each other up to 100.
    """,
    help: "a 'def' or a file that calls itself needs a condition under which it stops",
    wrong: "def again { again }\nagain",
    right: "def again n { if ($n > 0) { again ($n - 1) } }\nagain 3", proof: .running)

  static let unclosedQuote = ErrorPage(
    "unclosed-quote", "A quote is opened and never closed",
    """
    The text ended inside quotes. The place is that of the opening quote. In double quotes \
    a quote is written \\"; in single quotes there is no way to write a single quote.
    """,
    help: "close it with the same sign; inside double quotes a quote is written \\\"",
    wrong: "echo \"hello", right: "echo \"hello\"")

  static let unclosedBrace = ErrorPage(
    "unclosed-brace", "A brace is opened and never closed",
    "The text ended inside a block or inside '${…}'. The place is that of the opening brace.",
    help: "every '{' needs a '}'", wrong: "repeat 2 { echo hello", right: "repeat 2 { echo hello }")

  static let unclosedParenthesis = ErrorPage(
    "unclosed-parenthesis", "A parenthesis is opened and never closed",
    """
    The text, the line or the block ended inside an expression. The place is that of the \
    opening parenthesis.
    """,
    help: "every '(' needs a ')'", wrong: "echo (1 + 2", right: "echo (1 + 2)")

  static let unclosedBracket = ErrorPage(
    "unclosed-bracket", "A bracket is opened and never closed",
    "The text ended inside '[…]' after a value, which chooses one of its elements. After a variable "
      + "in a word, the brackets and what is between them belong to that word.",
    help: "every '[' needs a ']'", wrong: "let l = (1..3); echo ($l[1",
    right: "let l = (1..3); echo ($l[1])")
}
