extension ScriptParser {
  /// Names that mean something already.
  static let reservedVariables: Set<String> = ["env", "self", "input", "true", "false", "null"]

  mutating func parseCondition(after keyword: Keyword) throws(ParseFailure) -> Expression {
    skipBlanks()
    guard current == .openParenthesis else {
      throw expected(
        .expectedCondition, "'(' after '\(keyword.rawValue)'", help: keyword.usage)
    }
    return try parseParenthesized()
  }

  mutating func parseLoopBlock(_ keyword: Keyword) throws(ParseFailure) -> Block {
    try parseBlock(
      inLoop: true, inDefinition: isInDefinition, after: "'\(keyword.rawValue)'")
  }

  private mutating func parsePlainBlock(_ what: String) throws(ParseFailure) -> Block {
    try parseBlock(inLoop: isInLoop, inDefinition: isInDefinition, after: what)
  }

  /// Reads the name of a variable.
  mutating func parseVariableName(_ what: String) throws(ParseFailure) -> Name {
    skipBlanks()
    let start = position
    while let byte = current, byte.isNamePart { position += 1 }
    let name = text(start, position)
    let place = range(start, position)
    guard let first = byte(at: start), position > start, first.isNameStart else {
      position = start
      throw expected(
        .expectedName, what,
        help: current == .dollar
          ? "a name is given without '$'" : "a name is made of the letters A to Z, digits and '_'")
    }
    if let next = current, !next.endsWord, next != .equals, continuationLength(at: position) == 0 {
      position = start
      let found = describeCurrent()
      throw failure(
        .badName, "\(found.text) cannot be the name of a variable", found.range,
        help: "a name is made of the letters A to Z, digits and '_'")
    }
    if Self.reservedVariables.contains(name) {
      report(.reservedName, "'\(name)' has a meaning already", place)
    }
    return Name(text: name, range: place)
  }

  mutating func parseAssignment() throws(ParseFailure) -> Statement.Kind {
    let name = try parseVariableName("the name of a variable")
    skipBlanks()
    guard current == .equals, byte(at: position + 1) != .equals else {
      throw expected(
        .expectedEquals, "'=' after 'let \(name.text)'", help: Keyword.let.usage)
    }
    position += 1
    skipBlanks()
    if isAtArgumentEnd {
      throw expected(.missingValue, "a value after '='", help: Keyword.let.usage)
    }
    let start = position
    if current == .exclamation {
      let command = try parseCommand()
      if command.arguments.count < 2 {
        throw failure(.missingProgram, "expected a command line after '!'", range(start, start + 1))
      }
      return .assignment(Assignment(name: name, source: .command(command)))
    }
    let argument = try parseArgument()
    switch argument {
    case .block(let block):
      throw failure(.unexpectedBlock, "a block is not a value", block.range)
    case .word(let word):
      guard let bare = word.bareText else { break }
      let reading = LiteralReader.read(bare)
      if case .outOfRange = reading {
        report(
          .overflow, "'\(bare)' is beyond what a number of this kind can hold", word.range,
          help: NumberKind(ofLiteral: bare).help)
      } else if case .notLiteral = reading, ExecutionContext.rangeLiteral(bare) == nil {
        if let keyword = Keyword(bare) {
          throw failure(.expectedCommand, "'\(keyword.rawValue)' has no value to keep", word.range)
        }
        position = start
        return .assignment(Assignment(name: name, source: .command(try parseCommand())))
      }
    case .expression, .assignedExpression: break
    }
    try expectSingleValue(after: argument)
    return .assignment(Assignment(name: name, source: .value(argument)))
  }

  mutating func parseConditional() throws(ParseFailure) -> Statement.Kind {
    var clauses: [ConditionalClause] = []
    while true {
      let condition = try parseCondition(after: .if)
      let block = try parsePlainBlock("the condition")
      clauses.append(ConditionalClause(condition: condition, block: block))
      guard skipFollowing("else") else {
        try refuseOtherElse()
        return .conditional(clauses, otherwise: nil)
      }
      skipBlanks()
      guard plainWord(at: position) == "if" else {
        return .conditional(clauses, otherwise: try parsePlainBlock("'else'"))
      }
      position += 2
    }
  }

  /// Refuses `elif` and the like on the line of the closing brace.
  private mutating func refuseOtherElse() throws(ParseFailure) {
    skipBlanks()
    guard let word = plainWord(at: position), Keyword.else.searchTerms.contains(word) else {
      return
    }
    throw failure(
      .unknownCommand, "there is no command '\(word)'", range(position, position + word.utf8.count),
      help: Keyword.help(for: word))
  }

  /// Goes past a word on the line of the closing brace, if it stands there.
  private mutating func skipFollowing(_ word: String) -> Bool {
    let start = position
    skipBlanks()
    guard plainWord(at: position) == word else {
      position = start
      return false
    }
    position += word.utf8.count
    return true
  }

  mutating func parseRepeat() throws(ParseFailure) -> Statement.Kind {
    skipBlanks()
    if isAtArgumentEnd || current == .openBrace {
      throw expected(.missingValue, "how often after 'repeat'", help: Keyword.repeat.usage)
    }
    let count = try parseArgument()
    if let constant = count.constant {
      guard let number = Int64(constant), number >= 0 else {
        diagnostics.append(.invalidCount(constant, source, count.range))
        _ = try parseLoopBlock(.repeat)
        return .invalid
      }
    }
    return .repeatLoop(count, try parseLoopBlock(.repeat))
  }

  mutating func parseFor() throws(ParseFailure) -> Statement.Kind {
    let name = try parseVariableName("the name of a variable")
    skipBlanks()
    guard plainWord(at: position) == "in" else {
      throw expected(.expectedIn, "'in' after 'for \(name.text)'", help: Keyword.for.usage)
    }
    position += 2
    var items: [Argument] = []
    while true {
      skipBlanks()
      if isAtArgumentEnd || current == .openBrace { break }
      let start = position
      items.append(try parseArgument())
      if byte(at: start) == .exclamation { throw misplacedProgram(range(start, position)) }
      if case .word(let word)? = items.last { checkRange(word) }
    }
    if items.isEmpty {
      throw expected(.missingValue, "values after 'in'", help: Keyword.for.usage)
    }
    refuseTrailingAmpersand(in: items.last)
    return .forLoop(name, items, try parseLoopBlock(.for))
  }

  /// The error for `for x in !ls`, which would be a mere text.
  private func misplacedProgram(_ place: SourceRange) -> ParseFailure {
    failure(
      .misplacedProgram, "'for' runs no program", place,
      help: "keep the output first: let output = \(text(place.lower, place.upper)); "
        + "for … in (split($output, \"\\n\"))")
  }

  /// Checks a word of `for` that is, or was meant as, a range.
  private mutating func checkRange(_ word: Word) {
    if let text = word.bareText, text.contains(".."), checkLiteralRange(text, word.range) { return }
    guard let fault = word.rangeFault else { return }
    report(
      .typeMismatch, "expected an integer or a variable on each side of '..', found \(fault.found)",
      word.range, help: fault.help)
  }

  /// Checks a range between integers; false if the text has something else in it.
  private mutating func checkLiteralRange(_ text: String, _ place: SourceRange) -> Bool {
    let ends = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
    let areIntegers = ends.allSatisfy { end in
      let digits = end.utf8.first == .minus ? end.utf8.dropFirst() : end.utf8[...]
      return !digits.isEmpty && digits.allSatisfy(\.isDigit)
    }
    guard ends.count == 2, areIntegers else { return false }
    if let lower = Int64(ends[0]), let upper = Int64(ends[1]) {
      guard upper < lower else { return true }
      report(
        .reversedRange, "the range '\(text)' is empty: \(upper) is below \(lower)", place,
        help: "a range counts upwards: \(upper)..\(lower)")
    } else {
      report(
        .overflow, "'\(text)' reaches beyond the largest integer", place,
        help: "an integer is at most \(NumberKind.integer.greatest)")
    }
    return true
  }

  mutating func parseDefinition() throws(ParseFailure) -> Statement.Kind {
    skipBlanks()
    let start = position
    guard let word = plainWord(at: position), let first = word.utf8.first, first.isLetter else {
      throw expected(
        .expectedName, "the name of a command",
        help: "a name begins with a letter and is made of letters, digits, '-' and '_'")
    }
    position += word.utf8.count
    let name = Name(text: word, range: range(start, position))
    if Keyword(word) != nil {
      report(.nameTaken, "'\(word)' is a word of the language", name.range)
    }
    let parameters = try parseParameters()
    let block = try parseBlock(inLoop: false, inDefinition: true, after: "the parameters")
    return .definition(Definition(name: name, parameters: parameters, block: block))
  }

  private mutating func parseParameters() throws(ParseFailure) -> [Definition.Parameter] {
    var parameters: [Definition.Parameter] = []
    while true {
      skipBlanks()
      if isAtArgumentEnd || current == .openBrace { return parameters }
      let name = try parseVariableName("the name of a parameter")
      var standard: Argument?
      if current == .equals {
        position += 1
        if isAtArgumentEnd || current?.isBlank == true || current == .openBrace {
          throw failure(.missingValue, "expected a value after '='", range(position - 1, position))
        }
        standard = try parseArgument()
      } else if parameters.last?.standard != nil {
        report(
          .misplacedParameter, "a parameter without a default follows one with a default",
          name.range, label: parameters.last.map { ("this one has a default", $0.name.range) })
      }
      if let first = parameters.first(where: { $0.name.text == name.text }) {
        report(
          .duplicateParameter, "there are two parameters '\(name.text)'", name.range,
          label: ("the first one is here", first.name.range))
      }
      parameters.append(Definition.Parameter(name: name, standard: standard))
    }
  }

  mutating func parseAttempt(_ place: SourceRange) throws(ParseFailure) -> Statement.Kind {
    let block = try parsePlainBlock("'try'")
    guard skipFollowing("catch") else {
      throw failure(
        .missingCatch, "'try' needs a 'catch'", place,
        help: "it stands on the line of the closing brace: } catch NAME { … }")
    }
    let name = try parseVariableName("the name of the caught error")
    let handler = try parsePlainBlock("'catch \(name.text)'")
    return .attempt(block, name, handler)
  }
}

// MARK: Errors that this file raises

extension ErrorPage {
  static let expectedCondition = ErrorPage(
    "expected-condition", "A condition is missing, or is a text",
    """
    The condition of 'if' and 'while' is an expression, and stands in parentheses. A text is not a \
    condition, also as a part of one: compare it with '==', '!= null' or '!= ""'.
    """,
    wrong: "if true { echo yes }", right: "if (true) { echo yes }")

  static let reservedName = ErrorPage(
    "reserved-name", "The name is reserved",
    "env, self and input are made by the shell: the environment, the operation of a body or "
      + "handler, and what it depends on. true, false and null are values.",
    help: "choose another name", wrong: "let env = 5",
    right: "let environment = 5\necho $environment")

  static let expectedEquals = ErrorPage(
    "expected-equals", "'let' lacks its '='", "A value is kept with let NAME = VALUE.",
    wrong: "let x 5", right: "let x = 5\necho $x")

  static let missingValue = ErrorPage(
    "missing-value", "A value is missing",
    "An option or statement that takes a value, such as 'let', is not followed by one.",
    help: "write the value after it", wrong: "delay 1s --count", right: "delay 1s --count 3")

  static let expectedIn = ErrorPage(
    "expected-in", "'for' lacks its 'in'", "A loop over values is for NAME in WORD… { … }.",
    wrong: "for x 1 2 3 { echo $x }", right: "for x in 1 2 3 { echo $x }")

  static let reversedRange = ErrorPage(
    "reversed-range", "A range of 'for' ends below its start",
    """
    '5..1' would run nothing. With variables in it a range is empty where its end is below its \
    start, which is how a loop over nothing is written.
    """,
    help: "a range counts upwards: 1..5", wrong: "for n in 3..1 { echo $n }",
    right: "for n in 1..3 { echo (4 - $n) }")

  static let expectedName = ErrorPage(
    "expected-name", "A name is missing",
    """
    'let', 'for', 'catch' and 'def' give something a name. That of a variable begins with \
    a letter or '_' and has letters, digits and '_'; that of a 'def' begins with a letter and may \
    have '-' too. Where a variable gets its name there is no dollar sign.
    """,
    wrong: "let $x = 5", right: "let x = 5\necho $x")

  static let misplacedParameter = ErrorPage(
    "misplaced-parameter", "A parameter without a default follows one with a default",
    "A call gives its words to the parameters from left to right, so that those with a value of "
      + "their own come last.", help: "put the parameters that have a value last",
    wrong: "def greet word=hello name { echo $word $name }\ngreet you me",
    right: "def greet name word=hello { echo $word $name }\ngreet you")

  static let duplicateParameter = ErrorPage(
    "duplicate-parameter", "Two parameters have the same name",
    "Each parameter of a 'def' needs a name of its own.", help: "give one of them another name",
    wrong: "def add a a { echo ($a + $a) }\nadd 1 2",
    right: "def add a b { echo ($a + $b) }\nadd 1 2")

  static let missingCatch = ErrorPage(
    "missing-catch", "'try' has no 'catch'",
    "'catch' says what runs if the block fails; it may be empty: { }.",
    wrong: "try { fail \"no\" }",
    right: "try { fail \"no\" } catch e { echo $e.message }")

  static let misplacedProgram = ErrorPage(
    "misplaced-program", "A program stands where values are expected",
    """
    '!' runs a program at the beginning of a statement and after 'let NAME ='. A text that begins \
    with '!' is quoted.
    """,
    help: "keep its output in a variable", wrong: "for name in !ls { echo $name }",
    right: "let names = !ls\nfor name in (split($names, \"\\n\")) { echo $name }")

  static let nameTaken = ErrorPage(
    "name-taken", "The name is a word of the language",
    "A definition or an alias can have any name but those of the language, such as 'if'.",
    help: "choose another name", wrong: "def while { }",
    right: "def say text { echo $text }\nsay hi")

  package static let badName = ErrorPage(
    "bad-name", "This cannot be a name",
    """
    Operations, queues and exclusive names begin with a letter and hold letters, digits, '-' \
    and '_'. 'all', 'last' and other words with a meaning cannot name an operation or a queue. \
    Variables have no '-', because $a-b is $a and a text.
    """,
    help: "a name begins with a letter and holds letters, digits, '-' and '_'",
    wrong: "delay 1s --name 5th", right: "delay 1s --name fifth")

  static let overflow = ErrorPage(
    "overflow", "A number is beyond what its kind can hold",
    """
    Integers have 64 bits: up to 9223372036854775807. Nothing wraps round. Real numbers reach \
    1.79e308, durations 292 years, sizes 9223372TB.
    """,
    help: "choose a smaller number; a real number, such as 1e30, reaches further than an integer",
    wrong: "echo (9223372036854775807 + 1)",
    right: "echo (9223372036854775807.0 + 1)")
}
