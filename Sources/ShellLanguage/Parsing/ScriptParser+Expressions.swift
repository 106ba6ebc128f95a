extension ScriptParser {
  /// Reads `( … )`; the range of the result is that of what stands inside.
  mutating func parseParenthesized() throws(ParseFailure) -> Expression {
    let start = position
    try open(.parenthesis, from: start)
    defer { leave() }
    skipLayout()
    if current == .closeParenthesis {
      throw failure(
        .expectedValue, "expected an expression in the parentheses", range(start, position + 1))
    }
    let expression = try parseExpression()
    try close(with: .closeParenthesis)
    return expression
  }

  /// Reads operands and operators, by precedence climbing.
  mutating func parseExpression(above minimum: Int = 0) throws(ParseFailure) -> Expression {
    var left = try parsePrefix()
    while true {
      let before = position
      skipLayout()
      let start = position
      guard let (binary, length) = operatorHere(), binary.precedence > minimum else {
        position = before
        return left
      }
      position = start + length
      try checkSpace(around: binary, after: left, from: before, start, length)
      let right: Expression
      if binary == .coalesce {
        // `a ?? b ?? c` is `a ?? (b ?? c)`.
        try enter(at: start)
        defer { depth -= 1 }
        right = try parseExpression(above: binary.precedence - 1)
        if case .bareWord(let name) = left.kind { left = Expression(.name(name), left.range) }
      } else {
        right = try parseExpression(above: binary.precedence)
      }
      let depth = max(left.depth, right.depth) + 1
      guard depth < Parser.maximumDepth else { throw tooDeep(at: start) }
      left = Expression(
        .binary(binary, left, right, range(start, start + length)),
        left.range.union(right.range), depth: depth)
      if binary.precedence == Expression.BinaryOperator.equal.precedence { try refuseChain() }
    }
  }

  /// `a < b < c` reads like mathematics, but would compare a boolean.
  private mutating func refuseChain() throws(ParseFailure) {
    let before = position
    skipLayout()
    if let (next, length) = operatorHere(),
      next.precedence == Expression.BinaryOperator.equal.precedence
    {
      throw failure(
        .chainedComparison, "comparisons cannot be chained", range(position, position + length),
        help: "join two of them with 'and'")
    }
    position = before
  }

  /// The operator at the position, and how long it is.
  private func operatorHere() -> (Expression.BinaryOperator, Int)? {
    guard let first = current else { return nil }
    let second = byte(at: position + 1)
    switch first {
    case .equals: return second == .equals ? (.equal, 2) : nil
    case .exclamation: return second == .equals ? (.notEqual, 2) : nil
    case UInt8(ascii: "<"): return second == .equals ? (.lessOrEqual, 2) : (.less, 1)
    case .greater: return second == .equals ? (.greaterOrEqual, 2) : (.greater, 1)
    case UInt8(ascii: "+"): return (.add, 1)
    case .minus: return (.subtract, 1)
    case UInt8(ascii: "*"): return (.multiply, 1)
    case UInt8(ascii: "/"): return (.divide, 1)
    case UInt8(ascii: "%"): return (.remainder, 1)
    case .dot: return second == .dot ? (.range, 2) : nil
    case UInt8(ascii: "?"): return second == first ? (.coalesce, 2) : nil
    default:
      guard first.isLetter, let word = plainWord(at: position),
        let binary = Expression.BinaryOperator(word)
      else { return nil }
      return (binary, word.utf8.count)
    }
  }

  /// Operators stand between white space, because `questions-1` is a name and `20%` a value.
  private func checkSpace(
    around binary: Expression.BinaryOperator, after left: Expression, from before: Int,
    _ start: Int, _ length: Int
  ) throws(ParseFailure) {
    if binary == .range { return }
    let next = byte(at: start + length)
    let followsSpace = before < start
    let hasSpace =
      next == nil || next?.isBlank == true || next == .newline
      || next == .closeParenthesis || next == .closeBrace
      || continuationLength(at: start + length) > 0
    if followsSpace && hasSpace { return }
    // `not(…)`, `and (…)` read well enough, and a word cannot run into a parenthesis.
    if followsSpace, next == .openParenthesis, binary.rawValue.utf8.first?.isLetter == true {
      return
    }
    var help = "write ' \(binary.rawValue) '"
    if binary == .subtract, !followsSpace, case .variable(let name) = left.kind,
      let property = source.helpForHyphenatedProperty(of: name, left.range)
    {
      help = property
    } else if binary == .subtract, !followsSpace, case .property(_, let name, _) = left.kind {
      help += "; a property with a hyphen in its name is chosen with [\"\(name)-…\"]"
    }
    throw failure(
      .missingSpace, "put spaces around '\(binary.rawValue)'", range(start, start + length),
      help: help)
  }

  /// Reads one operand, with what is chosen of it, and no sign before it.
  mutating func parseOperand() throws(ParseFailure) -> Expression {
    skipLayout()
    let start = position
    return try parsePostfix(try parsePrimary(), start)
  }

  private mutating func parsePrefix() throws(ParseFailure) -> Expression {
    skipLayout()
    let start = position
    if current == UInt8(ascii: "n"), plainWord(at: start) == "not" {
      position += 3
      return try parseUnary(.not, start, above: Expression.BinaryOperator.and.precedence)
    }
    if current == .minus, let next = byte(at: start + 1),
      next == .dollar || next == .openParenthesis
    {
      position += 1
      return try parseUnary(
        .negate, start, above: Expression.BinaryOperator.multiply.precedence)
    }
    return try parsePostfix(try parsePrimary(), start)
  }

  private mutating func parseUnary(
    _ unary: Expression.UnaryOperator, _ start: Int, above precedence: Int
  ) throws(ParseFailure) -> Expression {
    try enter(at: start)
    defer { depth -= 1 }
    let operand = try parseExpression(above: precedence)
    guard operand.depth + 1 < Parser.maximumDepth else { throw tooDeep(at: start) }
    return Expression(
      .unary(unary, operand), range(start, start + 1).union(operand.range),
      depth: operand.depth + 1)
  }

  /// Reads `.name` and `[ … ]` after a value.
  private mutating func parsePostfix(
    _ primary: Expression, _ start: Int
  ) throws(ParseFailure) -> Expression {
    var result = primary
    while true {
      result = parsePath(result, start)
      guard current == .openBracket else {
        if isBeforeAttachedHash { throw unexpectedInExpression() }
        return result
      }
      let bracket = position
      try open(.bracket, from: bracket)
      defer { leave() }
      let index = try parseExpression()
      try close(with: .closeBracket)
      let depth = max(result.depth, index.depth) + 1
      guard depth < Parser.maximumDepth else { throw tooDeep(at: bracket) }
      result = Expression(.element(result, index), range(start, position), depth: depth)
    }
  }

  /// Whether a `#` is attached to the operand before it: only one at the start of a word starts a
  /// comment.
  private var isBeforeAttachedHash: Bool {
    var offset = position
    while byte(at: offset) == .backslash {
      let length = continuationLength(at: offset)
      if length == 0 { return false }
      offset += length
    }
    return byte(at: offset) == .hash && !bytes[position - 1].endsWord
  }

  private mutating func parsePrimary() throws(ParseFailure) -> Expression {
    let start = position
    guard let byte = current else { throw expectedValue() }
    switch byte {
    case .openParenthesis: return try parseParenthesized()
    case .dollar: return try parseVariable()
    case .quote:
      let segment = try parseSingleQuoted()
      guard case .text(let content) = segment.content else { throw expectedValue() }
      return Expression(.literal(.string(content)), range(start, position))
    case .doubleQuote:
      var segments = Word.Segments()
      try parseDoubleQuoted(into: &segments)
      let word = Word(range: range(start, position), segments: segments)
      if let constant = word.constant {
        return Expression(.literal(.string(constant)), word.range)
      }
      var depth = 0
      for segment in segments {
        if case .expression(let expression) = segment.content {
          depth = max(depth, expression.depth)
        }
      }
      guard depth + 1 < Parser.maximumDepth else { throw tooDeep(at: start) }
      return Expression(.interpolation(word), word.range, depth: depth + 1)
    default: return try parseBareOperand()
    }
  }

  /// Reads a number, a name, a function or a plain word.
  private mutating func parseBareOperand() throws(ParseFailure) -> Expression {
    let start = position
    while let byte = current, !byte.endsOperand {
      if byte == .backslash, continuationLength(at: position) > 0 { break }
      if byte == .dot, self.byte(at: position + 1) == .dot { break }
      // The dot of `questions-1.state` ends the name; that of `1.5` does not end the number.
      if byte == .dot, let next = self.byte(at: position + 1), next.isNameStart, position > start {
        break
      }
      position += 1
    }
    let word = text(start, position)
    let place = range(start, position)
    if word.isEmpty { throw expectedValue() }
    if word == "count", let of = startOfCounted() { return try parseCount(from: start, at: of) }
    if current == .openParenthesis { return try parseCall(word, place, start) }
    if current == .dot, byte(at: position + 1) != .dot {
      try checkName(word, place)
      return Expression(.object(word), place)
    }
    if Expression.BinaryOperator(word) != nil {
      position = start
      throw expectedValue()
    }
    switch LiteralReader.read(word) {
    case .value(let value): return Expression(.literal(value), place)
    case .outOfRange:
      report(
        .overflow, "'\(word)' is beyond what a number of this kind can hold", place,
        help: NumberKind(ofLiteral: word).help)
      return Expression(.literal(.null), place)
    case .notLiteral:
      try checkBareWord(word, place)
      return Expression(.bareWord(word), place)
    }
  }

  private func checkName(_ word: String, _ place: SourceRange) throws(ParseFailure) {
    let isName =
      word.utf8.allSatisfy { $0.isNamePart || $0 == .minus }
      || word.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    if isName, word.utf8.first != .minus { return }
    throw failure(
      .badName, "'\(word)' cannot be the name of an operation or a queue", place,
      help: "quote it if it is meant as text")
  }

  /// Finds operators that were written without white space around them.
  private func checkBareWord(_ word: String, _ place: SourceRange) throws(ParseFailure) {
    if word.utf8.first == .hash { return }
    let startsAsNumber = word.utf8.first.map { $0.isDigit || $0 == .minus } ?? false
    let hasSign = word.utf8.contains { byte in
      switch byte {
      case UInt8(ascii: "+"), .equals, UInt8(ascii: "<"), .greater, .exclamation,
        UInt8(ascii: "&"), UInt8(ascii: "%"):
        true
      case UInt8(ascii: "*"), UInt8(ascii: "/"), .minus: startsAsNumber
      default: false
      }
    }
    guard hasSign else { return }
    let words = [
      "=": "compare with '=='", "&&": "write 'and'", "!": "write 'not'", "&": "write 'and'",
    ]
    let help = words[word] ?? (word.hasPrefix("!") ? "write 'not'" : nil)
    throw failure(
      .missingSpace, "'\(word)' is neither a word nor a number", place,
      help: help ?? Self.helpForGlued(word)
        ?? "an operator stands between white space; a text stands in quotes")
  }

  /// Says where the spaces are missing in `state==ready`.
  private static func helpForGlued(_ word: String) -> String? {
    for sign in ["==", "!=", "<=", ">=", "<", ">", "+", "*", "/", "%"] {
      guard let range = word.firstRange(of: sign), range.lowerBound > word.startIndex,
        range.upperBound < word.endIndex
      else { continue }
      return "put spaces around '\(sign)': "
        + "\(word[..<range.lowerBound]) \(sign) \(word[range.upperBound...])"
    }
    return nil
  }

  /// Returns where the counted things begin, if the word `count` is followed by `of`.
  private func startOfCounted() -> Int? {
    var offset = position
    while let byte = byte(at: offset), byte.isBlank || byte == .newline { offset += 1 }
    return offset > position && plainWord(at: offset) == "of" ? offset + 2 : nil
  }

  /// Reads `THINGS where E` of `count of THINGS where E`; the condition goes as far as it can.
  private mutating func parseCount(from start: Int, at things: Int) throws(ParseFailure)
    -> Expression
  {
    try enter(at: start)
    defer { depth -= 1 }
    position = things
    let counted = try parseOperand()
    let end = position
    skipLayout()
    var condition: Expression?
    if plainWord(at: position) == "where" {
      position += "where".utf8.count
      condition = try parseExpression()
    } else {
      position = end
    }
    let depth = max(counted.depth, condition?.depth ?? 0) + 1
    guard depth < Parser.maximumDepth else { throw tooDeep(at: start) }
    return Expression(
      .count(CountClause(things: counted, condition: condition)),
      range(start, start + 5).union(condition?.range ?? counted.range), depth: depth)
  }

  private mutating func parseCall(
    _ name: String, _ place: SourceRange, _ start: Int
  ) throws(ParseFailure) -> Expression {
    let parenthesis = position
    try open(.parenthesis, from: parenthesis)
    defer { leave() }
    var arguments: [Expression] = []
    while true {
      skipLayout()
      guard let byte = current else {
        throw unclosed(.parenthesis, openedAt: parenthesis)
      }
      if byte == .closeParenthesis {
        position += 1
        break
      }
      if !arguments.isEmpty {
        guard byte == .comma else { throw unexpectedInExpression() }
        position += 1
      }
      arguments.append(try parseExpression())
    }
    checkCall(name, arguments.count, place)
    let depth = (arguments.map(\.depth).max() ?? 0) + 1
    guard depth < Parser.maximumDepth else { throw tooDeep(at: start) }
    return Expression(.call(name, arguments, place), range(start, position), depth: depth)
  }

  private mutating func checkCall(_ name: String, _ count: Int, _ place: SourceRange) {
    guard let function = BuiltinFunction.description(of: name) else {
      report(
        .unknownFunction, "there is no function '\(name)'", place,
        help: Spelling.help(for: name, among: BuiltinFunction.all.map(\.name)))
      return
    }
    if !function.arity.contains(count) {
      report(
        .wrongArity, BuiltinFunction.arityMessage(function, count), place, help: function.usage)
    }
  }

  /// Whether what stands here has no place in any expression, so that it must have been closed
  /// before; the error is then where it was opened.
  private var endsAnyExpression: Bool {
    switch current {
    case .openBrace?, .closeBrace?, .semicolon?: true
    default: false
    }
  }

  /// Whether only white space stands before the position on its line.
  private var isAtLineStart: Bool {
    bytes[..<position].last { !$0.isBlank } == .newline
  }

  /// Whether a parenthesis is not closed within a reasonable distance.
  private func isNeverClosed(_ open: Opener) -> Bool {
    guard open.what == .parenthesis else { return false }
    var scanner = LexicalScanner()
    for byte in bytes[open.offset...].prefix(1_024) {
      scanner.advance(byte)
      if scanner.hasMismatch { return true }
      if scanner.stack.isEmpty { return false }
    }
    return true
  }

  private mutating func expectedValue() -> ParseFailure {
    if current == nil, let open = openers.last {
      return unclosed(open.what, openedAt: open.offset)
    }
    return expected(.expectedValue, "a value")
  }

  /// Something stands where an operator or the end of the expression should.
  func unexpectedInExpression() -> ParseFailure {
    if let open = openers.last, endsAnyExpression || (isAtLineStart && isNeverClosed(open)) {
      return failure(
        open.what.unclosed, "this \(open.what.rawValue) is never closed",
        range(open.offset, open.offset + 1),
        label: ("it would have to be closed before this", describeCurrent().range),
        reach: endsAnyExpression ? .statement : .next(position))
    }
    var help: String?
    switch current {
    case .equals?: help = "compare with '=='"
    case .bar?: help = "write 'or'"
    case .comma?: help = "a list is written list(1, 2)"
    case UInt8(ascii: "&")?: help = "write 'and'"
    case .hash?, .backslash?: help = "a comment starts after white space"
    case .closeBrace?, .closeParenthesis?: help = nil
    default: help = "an operator stands between two values"
    }
    return expected(.expectedOperator, "an operator or the end of the expression", help: help)
  }
}

extension UInt8 {
  /// Whether an operand in an expression ends before it.
  fileprivate var endsOperand: Bool {
    switch self {
    case .quote, .doubleQuote, .dollar, .comma, .openBracket, .closeBracket: true
    default: endsWord
    }
  }
}

// MARK: Errors that this file raises

extension ErrorPage {
  static let chainedComparison = ErrorPage(
    "chained-comparison", "Comparisons are chained",
    "(1 < $x < 3) would compare a boolean with 3, which is hardly meant.",
    wrong: "let x = 2\nif (1 < $x < 3) { }", right: "let x = 2\nif (1 < $x and $x < 3) { }")

  static let unknownFunction = ErrorPage(
    "unknown-function", "There is no such function",
    "Functions stand in expressions: (upper($name)). The reference page lists them.",
    help: "'opsh --reference' lists the functions", wrong: "echo (lenght(\"abc\"))",
    right: "echo (length(\"abc\"))")

  static let wrongArity = ErrorPage(
    "wrong-arity", "A function has too few or too many arguments",
    "The message says how many it takes; they are separated by commas.",
    wrong: "echo (upper(\"a\", \"b\"))", right: "echo (upper(\"a\"))")

  static let expectedOperator = ErrorPage(
    "expected-operator", "An operator between two values is missing",
    """
    The operators are or, and, not, ==, !=, <, <=, >, >=, +, -, *, /, %, .., ??, in, matches, \
    before and after.
    """,
    help: "an operator stands between two values: (1 + 2)", wrong: "let x = 1\nif ($x = 1) { }",
    right: "let x = 1\nif ($x == 1) { }")

  static let expectedValue = ErrorPage(
    "expected-value", "An expression lacks a value",
    "A value is expected between operators, after an operator and in parentheses.",
    help: "an operator stands between two values: (1 + 2)", wrong: "echo (1 +)",
    right: "echo (1 + 2)")
}
