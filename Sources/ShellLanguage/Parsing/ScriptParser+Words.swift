extension ScriptParser {
  /// Whether no further argument stands here: the statement ends, or its text is redirected.
  var isAtArgumentEnd: Bool {
    switch current {
    case nil, .newline?, .semicolon?, .hash?, .closeBrace?, .closeParenthesis?, .bar?, .greater?:
      true
    default: false
    }
  }

  mutating func parseCommand() throws(ParseFailure) -> CommandStatement {
    let start = position
    var arguments: [Argument] = []
    // Few commands have more words, and each growth of an array is another piece of memory.
    arguments.reserveCapacity(3)
    while true {
      let gap = position
      skipBlanks()
      if isAtArgumentEnd, !isAtPosition(after: arguments) { break }
      if current == .exclamation, isCommandExpected(after: arguments) {
        arguments += try parseShellLine()
        return CommandStatement(
          arguments: arguments, redirection: nil, range: range(start, endOfLast(start)))
      }
      if !arguments.isEmpty, gap == position, current != .openBrace { throw missingSpace() }
      arguments.append(try parseArgument(isCommand: arguments.isEmpty))
      if arguments.count == 1 {
        try checkCommandName(arguments[0])
        if arguments[0].bareText == "explain", let code = parseErrorCode() {
          arguments.append(code)
        }
      }
    }
    let end = endOfLast(start)
    let redirection = try parseRedirection()
    refuseTrailingAmpersand(arguments, redirection)
    return CommandStatement(
      arguments: arguments, redirection: redirection,
      range: range(start, redirection == nil ? end : endOfLast(start)))
  }

  /// Whether the next word begins a command: the statement's own, or one that it is about.
  private func isCommandExpected(after arguments: [Argument]) -> Bool {
    switch arguments.first?.bareText {
    case nil: arguments.isEmpty
    case "time": true
    case "alias": arguments.count == 3 && arguments[2].bareText == "="
    default: false
    }
  }

  /// Whether the next word is the position of `at #120`, and not a comment.
  private func isAtPosition(after arguments: [Argument]) -> Bool {
    current == .hash && arguments.count == 1 && arguments[0].bareText == LogPositionWord.command
      && LogPositionWord.begins(with: byte(at: position + 1))
  }

  /// Reads the code of an error as errors show it, such as `file(2)` or `[file(2)]`, with its
  /// parentheses and what is in them; anything else stays for the reading of words.
  private mutating func parseErrorCode() -> Argument? {
    let before = position
    skipBlanks()
    let start = position
    if current == .openBracket { position += 1 }
    while let byte = current, byte.isLetter || byte.isDigit || byte == .minus { position += 1 }
    var depth = 0
    if current == .openParenthesis {
      while let byte = current, byte != .newline {
        position += 1
        if byte == .openParenthesis { depth += 1 }
        if byte == .closeParenthesis { depth -= 1 }
        if depth == 0 { break }
      }
      if current == .closeBracket { position += 1 }
      if depth == 0 {
        let place = range(start, position)
        let segment = Word.Segment(
          content: .text(text(start, position)), isQuoted: false, range: place)
        return .word(Word(range: place, segments: [segment]))
      }
    }
    position = before
    return nil
  }

  private mutating func checkCommandName(_ first: Argument) throws(ParseFailure) {
    if first.bareText != nil { return }
    let written = source.text(in: first.range)
    let shown = written.count > 40 ? "$name" : written
    var help = "the name of a command is written without quotes"
    if case .word(let word) = first, word.soleExpression != nil {
      help = "to show the value write: echo \(shown)"
      skipBlanks()
      if current == .equals, byte(at: position + 1) != .equals {
        help = "to keep a value write: let \(shown.dropFirst()) = …"
      }
    }
    throw failure(
      .expectedCommand, "a statement begins with the name of a command", first.range, help: help)
  }

  /// The error where white space is missing, perhaps after a word.
  func missingSpace(after word: String? = nil, isCommand: Bool = false) -> ParseFailure {
    let found = describeCurrent()
    return failure(
      .missingSpace, "expected white space before \(found.text)", found.range,
      help: word.flatMap(BuiltinFunction.helpForCall)
        ?? (isCommand
          ? "arguments follow the name of the command after a space: NAME ARGUMENT"
          : "quote it if it is meant as text"))
  }

  /// Reads an argument of a command, or the word that names the command.
  mutating func parseArgument(isCommand: Bool = false) throws(ParseFailure) -> Argument {
    let start = position
    switch current {
    case .openParenthesis?:
      let expression = try parseParenthesized()
      return .expression(expression, range(start, position))
    case .openBrace?:
      let outer = isInArgument
      isInArgument = true
      defer { isInArgument = outer }
      return .block(try parseBlock(inLoop: false, inDefinition: false, after: "the command"))
    default:
      let word = try parseWord()
      guard current == .openParenthesis else { return .word(word) }
      if let bare = word.bareText, bare.hasPrefix("-"), bare.hasSuffix("=") {
        let expression = try parseParenthesized()
        return .assignedExpression(word, expression, range(start, position))
      }
      throw missingSpace(after: word.bareText, isCommand: isCommand)
    }
  }

  /// Reads a word: bare text, quoted text and variables, one after another.
  mutating func parseWord() throws(ParseFailure) -> Word {
    let start = position
    var segments = Word.Segments()
    loop: while let byte = current {
      switch byte {
      case .quote: segments.append(try parseSingleQuoted())
      case .doubleQuote: try parseDoubleQuoted(into: &segments)
      case .dollar:
        let place = position
        let expression = try parseVariable()
        segments.append(
          Word.Segment(
            content: .expression(expression), isQuoted: false, range: range(place, position)))
        refuseUnclosedBracket(after: place, isQuoted: false)
      case _ where byte.endsWord: break loop
      default:
        let length = byte == .backslash ? continuationLength(at: position) : 0
        if length > 0 { skipContinuation(length) } else { segments.append(parseBareText()) }
      }
    }
    return Word(range: range(start, max(start, position)), segments: segments)
  }

  private mutating func parseBareText() -> Word.Segment {
    let start = position
    var hasAnd = false
    while let byte = current {
      if byte.endsWord || byte == .quote || byte == .doubleQuote || byte == .dollar { break }
      if byte == .backslash {
        if continuationLength(at: position) > 0 { break }
        _ = refuseBlanksAfterBackslash()
      }
      if byte == .ampersand, !hasAnd { hasAnd = refuseAnd() }
      position += 1
    }
    return Word.Segment(
      content: .text(text(start, position)), isQuoted: false, range: range(start, position))
  }

  mutating func parseSingleQuoted() throws(ParseFailure) -> Word.Segment {
    let open = position
    position += 1
    while let byte = current {
      if byte == .quote {
        position += 1
        return Word.Segment(
          content: .text(text(open + 1, position - 1)), isQuoted: true,
          range: range(open + 1, position - 1))
      }
      position += 1
    }
    throw unclosed(.quote, openedAt: open)
  }

  /// Reads a double-quoted text with its escapes and variables.
  mutating func parseDoubleQuoted(into segments: inout Word.Segments) throws(ParseFailure) {
    let open = position
    let countBefore = segments.count
    position += 1
    var start = position
    // What the escapes up to `plain` came to; from there on the text is as it is written.
    var buffer: [UInt8] = []
    var plain = position
    while let byte = current {
      switch byte {
      case .doubleQuote:
        flush(&buffer, from: start, plain, into: &segments)
        if segments.count == countBefore {
          segments.append(
            Word.Segment(
              content: .text(""), isQuoted: true, range: range(position, position)))
        }
        position += 1
        return
      case .backslash:
        buffer += bytes[plain..<position]
        parseEscape(into: &buffer)
        plain = position
      case .dollar:
        flush(&buffer, from: start, plain, into: &segments)
        let place = position
        let expression = try parseVariable()
        segments.append(
          Word.Segment(
            content: .expression(expression), isQuoted: true, range: range(place, position)))
        refuseUnclosedBracket(after: place, isQuoted: true)
        start = position
        plain = position
      default: position += 1
      }
    }
    throw unclosed(.quote, openedAt: open)
  }

  /// Ends a piece of quoted text at the position, unless there is nothing in it.
  private func flush(
    _ buffer: inout [UInt8], from start: Int, _ plain: Int, into segments: inout Word.Segments
  ) {
    let content: String
    if buffer.isEmpty {
      if plain == position { return }
      content = text(plain, position)
    } else {
      buffer += bytes[plain..<position]
      content = String(decoding: buffer, as: UTF8.self)
      buffer.removeAll()
    }
    segments.append(
      Word.Segment(content: .text(content), isQuoted: true, range: range(start, position)))
  }

  /// Reads an escape; a wrong one is noted, and reading goes on.
  private mutating func parseEscape(into buffer: inout [UInt8]) {
    let start = position
    let continuation = continuationLength(at: position)
    if continuation > 1 {
      position += continuation
      return
    }
    position += 2
    switch byte(at: start + 1) {
    case UInt8(ascii: "n")?: buffer.append(0x0A)
    case UInt8(ascii: "t")?: buffer.append(0x09)
    case .doubleQuote?: buffer.append(.doubleQuote)
    case .backslash?: buffer.append(.backslash)
    case .dollar?: buffer.append(.dollar)
    case UInt8(ascii: "u")? where byte(at: position) == .openBrace:
      parseScalar(start, into: &buffer)
    case nil: position = bytes.count
    default:
      while let byte = current, byte & 0xC0 == 0x80 { position += 1 }
      report(
        .badEscape, "'\(text(start, position))' is not an escape sequence", range(start, position),
        help: "allowed: \\n \\t \\\" \\\\ \\$ and \\u{…}")
    }
  }

  private mutating func parseScalar(_ start: Int, into buffer: inout [UInt8]) {
    position += 1
    let digits = position
    while let byte = current, byte.isDigit || (byte.isLetter && (byte | 0x20) <= 0x66) {
      position += 1
    }
    let number = UInt32(text(digits, min(position, digits + 9)), radix: 16)
    let isClosed = current == .closeBrace
    if isClosed { position += 1 }
    guard isClosed, let number, number != 0, let scalar = Unicode.Scalar(number) else {
      report(
        .badEscape, "'\(text(start, min(position, start + 16)))' is not a character",
        range(start, position), help: "write the number of a Unicode character: \\u{1F600}")
      return
    }
    buffer.append(contentsOf: Array(String(Character(scalar)).utf8))
  }

  /// Reads `$name.property[0]`, `$name[$i]`, `$1`, `$@`, `$#` or `${ … }`.
  mutating func parseVariable() throws(ParseFailure) -> Expression {
    let start = position
    position += 1
    guard let byte = current else { throw expectedVariable(start) }
    if byte == .openBrace { return try parseInterpolation(start) }
    if byte == UInt8(ascii: "@") || byte == .hash {
      position += 1
      return parsePath(
        Expression(.variable(byte == .hash ? "#" : "@"), range(start, position)), start)
    }
    let nameStart = position
    if byte.isDigit {
      while let next = current, next.isDigit { position += 1 }
    } else {
      guard byte.isNameStart else { throw expectedVariable(start) }
      while let next = current, next.isNamePart { position += 1 }
    }
    let base = Expression(.variable(text(nameStart, position)), range(start, position))
    return parsePath(base, start)
  }

  private func expectedVariable(_ start: Int) -> ParseFailure {
    let isSubstitution = current == .openParenthesis
    return failure(
      .expectedVariable, "expected the name of a variable after '$'", range(start, start + 1),
      help: isSubstitution
        ? "'$(…)' has no special meaning in opsh: 'let x = !date' keeps what a program prints"
        : "a dollar sign itself is written '$' or \"\\$\"")
  }

  private mutating func parseInterpolation(_ start: Int) throws(ParseFailure) -> Expression {
    try open(.brace, from: start)
    defer { leave() }
    skipLayout()
    if current == .closeBrace {
      throw failure(.expectedValue, "expected an expression in '${}'", range(start, position + 1))
    }
    if let name = parseLoneName() { return name }
    // In parentheses a name before a dot is an operation's or a queue's, as in every expression.
    let isParenthesized = current == .openParenthesis
    let expression = try parseExpression()
    try close(with: .closeBrace)
    return isParenthesized ? expression : Self.namingVariables(expression)
  }

  /// Reads `name}`, whatever else the name means: `${on}` is the variable of that name.
  private mutating func parseLoneName() -> Expression? {
    let start = position
    guard let first = current, first.isNameStart else { return nil }
    while let byte = current, byte.isNamePart { position += 1 }
    let end = position
    skipLayout()
    guard current == .closeBrace else {
      position = start
      return nil
    }
    position += 1
    return Expression(.name(text(start, end)), range(start, end))
  }

  /// The expression in `${ … }`, in which a lone name, and one before a dot, can be a variable's.
  private static func namingVariables(_ expression: Expression) -> Expression {
    let kind: Expression.Kind
    switch expression.kind {
    case .bareWord(let name): kind = .name(name)
    case .object(let name): kind = .reference(name)
    case .property(let base, let name, let range):
      kind = .property(namingVariables(base), name, range)
    case .element(let base, let index): kind = .element(namingVariables(base), index)
    case .binary(.coalesce, let left, let right, let range):
      // Of `a.b ?? c.d` the last one is an expression like any other.
      var rest = right
      if case .binary(.coalesce, _, _, _) = right.kind { rest = namingVariables(right) }
      kind = .binary(.coalesce, namingVariables(left), rest, range)
    default: return expression
    }
    return Expression(kind, expression.range, depth: expression.depth)
  }

  /// Reads properties and elements that follow a variable without white space.
  mutating func parsePath(_ base: Expression, _ start: Int) -> Expression {
    var result = base
    while let byte = current {
      if byte == .dot, let next = self.byte(at: position + 1), next.isNameStart {
        let nameStart = position + 1
        position = nameStart
        while let part = current, part.isNamePart { position += 1 }
        result = Expression(
          .property(result, text(nameStart, position), range(nameStart, position)),
          range(start, position), depth: result.depth + 1)
      } else if byte == .openBracket,
        let (index, end) = elementNumber(at: position) ?? elementVariable(at: position)
      {
        position = end
        result = Expression(
          .element(result, index), range(start, position),
          depth: max(result.depth, index.depth) + 1)
      } else {
        break
      }
      if result.depth >= Parser.maximumDepth {
        report(
          .tooDeep, "more than \(Parser.maximumDepth) levels inside each other",
          range(start, start + 1), help: Parser.helpForDepth)
        return base
      }
    }
    return result
  }

  /// Reads `[3]` or `[-1]`.
  private func elementNumber(at offset: Int) -> (Expression, end: Int)? {
    var end = offset + 1
    if byte(at: end) == .minus { end += 1 }
    while let byte = byte(at: end), byte.isDigit { end += 1 }
    guard byte(at: end) == .closeBracket, let number = Int64(text(offset + 1, end)) else {
      return nil
    }
    return (Expression(.literal(.integer(number)), range(offset + 1, end)), end + 1)
  }

  /// Reads `[$i]` or `[$i.property]`; what else stands in brackets after a variable is text.
  private func elementVariable(at offset: Int) -> (Expression, end: Int)? {
    let start = offset + 1
    guard byte(at: start) == .dollar, let first = byte(at: start + 1),
      first.isNameStart || first.isDigit
    else { return nil }
    var end = start + 2
    while let part = byte(at: end), first.isDigit ? part.isDigit : part.isNamePart { end += 1 }
    var index = Expression(.variable(text(start + 1, end)), range(start, end))
    while byte(at: end) == .dot, let next = byte(at: end + 1), next.isNameStart {
      guard index.depth < Parser.maximumDepth else { return nil }
      let name = end + 1
      end = name
      while let part = byte(at: end), part.isNamePart { end += 1 }
      index = Expression(
        .property(index, text(name, end), range(name, end)), range(start, end),
        depth: index.depth + 1)
    }
    return byte(at: end) == .closeBracket ? (index, end + 1) : nil
  }
}

// MARK: Errors that this file raises

extension ErrorPage {
  static let missingSpace = ErrorPage(
    "missing-space", "White space is missing",
    """
    Words are separated by white space. Operators stand between white space too, because \
    questions-1 is one name, and 20% a percentage.
    """,
    help: "write white space between them", wrong: "let a = 2\necho ($a-1)",
    right: "let a = 2\necho ($a - 1)")

  static let badEscape = ErrorPage(
    "bad-escape",
    "Unknown escape sequence in double quotes",
    """
    Double quotes allow \\n, \\t, \\", \\\\, \\$ and \\u{1F600}. Anything else is an error, so \
    that a mistake never changes a text silently. Single quotes keep every character.
    """,
    wrong: "echo \"C:\\data\"", right: "echo 'C:\\data'")

  static let expectedVariable = ErrorPage(
    "expected-variable", "'$' is not followed by a name",
    "A variable is $name, $1, $@, $# or ${expression}. A dollar sign itself is quoted.",
    wrong: "echo \"it costs $ 5\"", right: "echo \"it costs \\$ 5\"")
}
