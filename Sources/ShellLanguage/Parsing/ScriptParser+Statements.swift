extension ScriptParser {
  /// Reads statements up to the end, or up to the brace that closes the block.
  mutating func parseStatements(
    inBlock: Bool, into statements: inout [Statement]
  ) throws(ParseFailure) {
    while true {
      skipSeparators()
      guard let byte = current else { return }
      if byte == .closeBrace && inBlock { return }
      let start = position
      do throws(ParseFailure) {
        let statement = try parseStatement()
        try expectStatementEnd(inBlock: inBlock)
        statements.append(statement)
      } catch {
        let isWide = error.reach == .topLevel || error.reach == .end
        if inBlock && isWide { throw error }
        diagnostics.append(error.diagnostic)
        if error.reach == .end {
          position = bytes.count
        } else if case .next(let offset) = error.reach {
          position = offset
        } else {
          skipStatement(from: start, inBlock: inBlock)
          // The blocks inside have been read and their errors told. Read again by every level that
          // fails, the innermost one would be read twice as often with each.
          if position < endOfLastBlock { skipStatement(from: endOfLastBlock, inBlock: inBlock) }
          // A stray brace would otherwise be met again and again.
          if position == start { position += 1 }
        }
        statements.append(Statement(.invalid, range(start, position)))
      }
    }
  }

  private mutating func skipSeparators() {
    while true {
      skipLayout()
      guard current == .semicolon else { return }
      position += 1
    }
  }

  /// Checks that a statement ends here; what else stands here is an error.
  private mutating func expectStatementEnd(inBlock: Bool) throws(ParseFailure) {
    skipBlanks()
    guard let byte = current else { return }
    switch byte {
    case .newline, .semicolon, .hash: return
    case .closeBrace where inBlock: return
    case .closeParenthesis, .closeBrace: throw stray(byte)
    default: throw expected(.unexpectedText, "the end of the statement")
    }
  }

  private func stray(_ byte: UInt8) -> ParseFailure {
    let isBrace = byte == .closeBrace
    return failure(
      isBrace ? .strayBrace : .strayParenthesis, "'\(isBrace ? "}" : ")")' closes nothing",
      range(position, position + 1),
      help: "quote it if it is meant as text")
  }

  private mutating func parseStatement() throws(ParseFailure) -> Statement {
    let start = position
    switch current {
    case .openParenthesis?:
      let expression = try parseParenthesized()
      if let byte = current, byte == .openBracket || byte == .dot {
        throw expected(.unexpectedText, "the end of the statement")
      }
      let redirection = try parseRedirection()
      refuseTrailingAmpersand([], redirection)
      return Statement(.expression(expression, redirection), range(start, endOfLast(start)))
    case .openBrace?:
      throw failure(
        .expectedCommand, "a block needs a command before it", range(start, start + 1))
    case .closeBrace?, .closeParenthesis?: throw stray(bytes[position])
    case .bar?, .greater?:
      throw failure(
        .expectedCommand, "a command must stand before '\(text(start, start + 1))'",
        range(start, start + 1))
    default: break
    }
    if let (keyword, length) = keyword(at: position) {
      position += length
      return try parseKeyword(keyword, start)
    }
    let command = try parseCommand()
    return Statement(.command(command), command.range)
  }

  private mutating func parseKeyword(
    _ keyword: Keyword, _ start: Int
  ) throws(ParseFailure) -> Statement {
    let kind: Statement.Kind
    let place = range(start, position)
    switch keyword {
    case .let: kind = try parseAssignment()
    case .if: kind = try parseConditional()
    case .while:
      let condition = try parseCondition(after: keyword)
      kind = .whileLoop(condition, try parseLoopBlock(keyword))
    case .repeat: kind = try parseRepeat()
    case .for: kind = try parseFor()
    case .def: kind = try parseDefinition()
    case .return:
      if !isInDefinition {
        report(
          .misplacedReturn, "'return' stands outside of a 'def'", place,
          help: isInArgument
            ? "the value of a block is that of its last statement; 'fail' ends it with an error"
            : nil)
      }
      kind = .returning(try parseReturnValue())
    case .break, .continue:
      if !isInLoop {
        report(
          keyword == .break ? .misplacedBreak : .misplacedContinue,
          "'\(keyword.rawValue)' stands outside of a loop", place)
      }
      kind = keyword == .break ? .breaking : .continuing
    case .try: kind = try parseAttempt(place)
    case .else, .catch:
      throw failure(
        keyword == .else ? .misplacedElse : .misplacedCatch,
        "'\(keyword.rawValue)' has no '\(keyword == .else ? "if" : "try")' before it", place,
        help: "it stands on the line of the closing brace: } \(keyword.rawValue) …")
    }
    return Statement(kind, range(start, endOfLast(start)))
  }

  /// The end of what was read last, without white space after it.
  func endOfLast(_ start: Int) -> Int {
    var end = position
    while end > start + 1, let byte = byte(at: end - 1), byte.isBlank || byte == .newline {
      end -= 1
    }
    return end
  }

  mutating func parseReturnValue() throws(ParseFailure) -> Argument? {
    skipBlanks()
    guard !isAtArgumentEnd else { return nil }
    let argument = try parseArgument()
    if case .block(let block) = argument {
      throw failure(.unexpectedBlock, "a block is not a value", block.range)
    }
    try expectSingleValue(after: argument)
    return argument
  }

  /// Refuses a second word after a value where one value is wanted.
  mutating func expectSingleValue(after first: Argument) throws(ParseFailure) {
    skipBlanks()
    guard !isAtArgumentEnd else { return }
    let found = describeCurrent()
    let word = first.bareText ?? ""
    throw failure(
      .unexpectedText, "expected one value, found also \(found.text)", found.range,
      help: ["on", "off", "true", "false"].contains(word)
        ? "'\(word)' is a boolean here, not a command"
        : "an expression stands in parentheses: ($a + 1)")
  }

  /// Reads a block, in which `break` and `return` belong to what is said here.
  mutating func parseBlock(
    inLoop: Bool, inDefinition: Bool, after what: String
  ) throws(ParseFailure) -> Block {
    skipBlanks()
    guard current == .openBrace else {
      throw expected(.expectedBlock, "'{' after \(what)")
    }
    let open = position
    try enter(at: open)
    let outer = (isInLoop, isInDefinition)
    (isInLoop, isInDefinition) = (inLoop, inDefinition)
    defer {
      depth -= 1
      (isInLoop, isInDefinition) = outer
    }
    position += 1
    var statements: [Statement] = []
    try parseStatements(inBlock: true, into: &statements)
    guard current == .closeBrace else {
      throw unclosed(.brace, openedAt: open)
    }
    position += 1
    endOfLastBlock = position
    return Block(range: range(open, position), statements: statements, source: source)
  }
}

// MARK: Errors that this file raises

extension ErrorPage {
  static let unexpectedBlock = ErrorPage(
    "unexpected-block", "A block is not allowed here",
    "Braces are special in a bare word: they hold statements. As text they stand in quotes.",
    help: "quote the braces if they are meant as text", wrong: "echo { a }", right: "echo '{ a }'")

  static let expectedCommand = ErrorPage(
    "expected-command", "A statement does not begin with the name of a command",
    """
    A statement is a command, '( … )', or begins with a word of the language. The name of a \
    command is written out, without quotes and not in a variable.
    """,
    help: "write the name of a command before it", wrong: "let x = 5\n$x",
    right: "let x = 5\necho $x")

  static let unexpectedText = ErrorPage(
    "unexpected-text", "Text follows where the statement should end",
    """
    A statement ends at the end of its line or at ';'. What is to be computed stands in \
    parentheses.
    """,
    help: "statements are separated by ';' or a new line", wrong: "let a = 1\nlet b = $a + 1",
    right: "let a = 1\nlet b = ($a + 1)\necho $b")

  static let strayBrace = ErrorPage(
    "stray-brace", "A closing brace closes nothing",
    "Parentheses and braces are special in a bare word; as text they stand in quotes.",
    wrong: "echo a }", right: "echo 'a }'")

  static let strayParenthesis = ErrorPage(
    "stray-parenthesis", "A closing parenthesis closes nothing",
    "Parentheses and braces are special in a bare word; as text they stand in quotes.",
    wrong: "echo a)", right: "echo 'a)'")

  static let misplacedReturn = ErrorPage(
    "misplaced-return", "'return' stands outside of a 'def'",
    "'return' leaves a 'def', perhaps with a value. A script is left with 'exit'.",
    help: "'exit' leaves the script", wrong: "return 5", right: "def five { return 5 }\nfive")

  static let misplacedBreak = ErrorPage(
    "misplaced-break", "'break' stands outside of a loop",
    "'break' leaves the innermost loop of the same 'def', script or handler.",
    help: "it leaves a 'for', 'while' or 'repeat' around it", wrong: "if (true) { break }",
    right: "repeat 3 { if (true) { break } }")

  static let misplacedContinue = ErrorPage(
    "misplaced-continue", "'continue' stands outside of a loop",
    "'continue' goes on with the next turn of the innermost loop around it.",
    help: "it goes on with a 'for', 'while' or 'repeat' around it", wrong: "continue",
    right: "for x in 1 2 { if ($x == 1) { continue }; echo $x }")

  static let misplacedElse = ErrorPage(
    "misplaced-else", "'else' has no 'if' before it",
    "'else' stands on the line of the brace that closes the block of the 'if'.",
    wrong: "if (true) { echo a }\nelse { echo b }", right: "if (true) { echo a } else { echo b }")

  static let misplacedCatch = ErrorPage(
    "misplaced-catch", "'catch' has no 'try' before it",
    "'catch' stands on the line of the brace that closes the block of the 'try'.",
    wrong: "catch e { echo $e.message }", right: "try { fail \"no\" } catch e { echo $e.message }")

  static let expectedBlock = ErrorPage(
    "expected-block", "A block in braces is missing",
    "What 'if', 'while', 'for', 'repeat', 'def' and 'try' run stands in braces on the same line.",
    help: "what is to run stands in braces: { … }", wrong: "if (true) echo yes",
    right: "if (true) { echo yes }")
}
