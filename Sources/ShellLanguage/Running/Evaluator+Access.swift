extension Evaluator {
  /// The value of `$name`, `$1`, `$@`, `$#` or `$env`.
  func variable(_ name: String, _ symbol: Symbol?, _ range: SourceRange) throws -> Value {
    if let value = variable(symbol) { return try readable(value, range) }
    switch name {
    case "@": return .list(context.arguments.map(LiteralReader.roundTrippingValue))
    case "#": return .integer(Int64(context.arguments.count))
    case "env": return environment
    default: break
    }
    if let number = Int(name) {
      if number >= 1, number <= context.arguments.count {
        return LiteralReader.roundTrippingValue(of: context.arguments[number - 1])
      }
      let count = context.arguments.count
      throw failure(
        .missingArgument,
        "the script was called with \(count) argument\(count == 1 ? "" : "s"), there is no $\(name)",
        range, help: "arguments follow the name of the script; $# is their number")
    }
    throw failure(
      .undefinedVariable, "there is no variable '\(name)'", range,
      help: source.helpForHyphen(after: name, range)
        ?? (context.host.object(named: name, in: context) == nil
          ? nil : source.helpForObject(name, range))
        ?? Spelling.help(for: name, among: context.variables.keys))
  }

  /// Whether an operation or a queue has the name in `${name.property}`.
  private func isObject(_ base: Expression) -> Bool {
    guard case .reference(let name) = base.kind else { return false }
    return context.host.object(named: name, in: context) != nil
  }

  /// The value, unless it only stands for one that was lost.
  func readable(_ value: Value, _ range: SourceRange) throws -> Value {
    guard case .object(let object) = value, let lost = object.failure else { return value }
    throw lost.placed(at: range, in: source)
  }

  var environment: Value {
    .record(
      context.state.environment.sorted { $0.key < $1.key }.map {
        Value.Field($0.key, .string($0.value))
      }
    )
  }

  func object(_ name: String, _ range: SourceRange) throws -> Value {
    if let value = subject?.property(name) { return try readable(value, range) }
    if let value = context.host.object(named: name, in: context) { return value }
    if let known = context.host.explanation(forMissing: name) {
      throw known.placed(at: range, in: source)
    }
    let isVariable = name == "env" || context.scope.value(of: name) != nil
    throw failure(
      .unknownName, "there is nothing named '\(name)'", range,
      help: isVariable
        ? "did you mean '$\(name)'?"
        : Spelling.help(context.host.suggestions(forObject: name)))
  }

  func property(_ name: String, of base: Expression, _ range: SourceRange) throws -> Value {
    // One variable of the environment is looked up without building all of it.
    if base.isEnvironment, variable(base.symbol) == nil, !isObject(base) {
      guard let text = context.state.environment[name] else { return .null }
      context.host.willBind(name, to: .string(text))
      return .string(text)
    }
    return try property(name, of: evaluate(base), range)
  }

  func property(_ name: String, of value: Value, _ range: SourceRange) throws -> Value {
    if let found = value.property(name) { return try readable(found, range) }
    if case .null = value {
      // One condition is for many things, of which some have what others have not.
      if subject != nil { return .null }
      throw failure(.noValue, "null has no property '\(name)'", range)
    }
    let names = value.propertyNames
    throw failure(
      .unknownProperty, "\(value.describedType) has no property '\(name)'", range,
      help: Spelling.help(for: name, among: names)
        ?? (names.isEmpty || names.count > 40 ? nil : "it has: " + names.joined(separator: ", ")))
  }

  func element(_ base: Value, at index: Value, _ range: SourceRange) throws -> Value {
    switch (base, index.unspelled) {
    case (.list(let values), .integer(let number)):
      guard let position = Self.position(of: number, in: values) else {
        throw failure(
          .outOfRange, "there is no element \(number) in a list of \(values.count)", range)
      }
      return values[position]
    case (.record, .string(let name)), (.object, .string(let name)):
      return try property(name, of: base, range)
    case (.list, _):
      throw failure(
        .typeMismatch, "an element is chosen by an integer, found \(index.describedType)", range,
        help: "elements are counted from 0: $list[0]")
    case (.null, _) where subject != nil: return .null
    case (.null, _): throw failure(.noValue, "null has no elements", range)
    default:
      throw failure(
        .typeMismatch, "\(base.describedType) has no elements", range,
        help: "only lists have elements; if the bracket is text, write \"${$name}[…\"")
    }
  }

  /// Where an element stands; a negative index counts from the end.
  static func position(of index: Int64, in values: [Value]) -> Int? {
    let position = index < 0 ? index &+ Int64(values.count) : index
    return position >= 0 && position < Int64(values.count) ? Int(position) : nil
  }

  /// The text of a word, with every variable put in.
  func text(of word: Word) throws -> String {
    if let constant = word.constant { return constant }
    var result = ""
    for segment in word.segments {
      switch segment.content {
      case .text(let text): result += text
      case .expression(let expression):
        let value = try value(of: expression, in: segment)
        if value.hasNull { throw nullInText(segment.range, value) }
        result += value.text
      }
      if result.utf8.count > Self.maximumTextLength {
        throw failure(.tooLarge, "the text is larger than a value can be", word.range)
      }
    }
    return result
  }

  /// The value of a word where one value is wanted: a lone variable keeps its kind.
  func value(of word: Word) throws -> Value {
    if let expression = word.soleExpression, let segment = word.segments.first {
      return try value(of: expression, in: segment)
    }
    return .string(try text(of: word))
  }

  /// The value of what follows `let NAME =`, `return` or stands in a `for`: bare words are read
  /// as literals.
  func literalValue(of argument: Argument) throws -> Value {
    switch argument {
    case .word(let word):
      if let bare = word.bareText {
        if let value = LiteralReader.spelledValue(of: bare) { return value }
        if let ends = ExecutionContext.rangeLiteral(bare) {
          return try placed(word.range) { () throws(UnplacedError) in
            .list(try Self.integers(from: .integer(ends.lower), through: .integer(ends.upper)))
          }
        }
        return .string(bare)
      }
      return try value(of: word)
    case .expression(let expression, _), .assignedExpression(_, let expression, _):
      return try evaluate(expression)
    case .block(let block):
      throw failure(.unexpectedBlock, "a block is not a value", block.range)
    }
  }
}

// MARK: Counting

extension Evaluator {
  /// How many things a clause counts.
  func number(of clause: CountClause) throws -> Int {
    // What is inside another count may be about what that counts.
    if subject == nil, let kept = try context.host.keptNumber(of: clause) { return kept }
    return try counted(clause).count
  }

  /// The things that a clause counts.
  func counted(_ clause: CountClause) throws -> [Value] {
    let things = try things(clause.things)
    guard let condition = clause.condition else { return things }
    try refuseMissingFields(of: clause, in: things)
    return try things.filter { thing in
      context.host.willCount()
      return try Evaluator(context: context, source: source, subject: thing).holds(condition)
    }
  }

  private func things(_ expression: Expression) throws -> [Value] {
    if case .bareWord(let word) = expression.kind {
      if let things = context.host.collection(named: word) { return things }
      throw failure(
        .unknownCollection, "there is nothing called '\(word)' to be counted", expression.range,
        help: Spelling.help(for: word, among: context.host.catalog.collections)
          ?? "count \(context.host.catalog.collectionsText), names such as delay-*, or a list")
    }
    guard case .list(let values) = try evaluate(expression) else {
      throw failure(
        .typeMismatch, "only the elements of a list can be counted", expression.range,
        help: "'length' gives the length of a text: (length($text))")
    }
    return values
  }
}

extension ErrorPage {
  static let unknownName = ErrorPage(
    "unknown-name", "There is no operation and no queue of that name",
    "A bare word before a dot names an operation or a queue: (questions-1.state == finished).",
    help: "'ops' lists the operations, 'queue' the queues",
    wrong: "let q = fetch questions\nexpect (answers-1.state != ready)\necho $q",
    right: "let q = fetch questions\nexpect (questions-1.state != finished)\necho $q")

  static let unknownProperty = ErrorPage(
    "unknown-property", "The value has no such property",
    """
    'help properties' lists those of operations and queues; a list has count, first and last, a \
    text has count, a duration has seconds.
    """,
    help: "echo shows a value as a whole",
    wrong: "let q = fetch questions\nwait $q\necho $q.sate",
    right: "let q = fetch questions\nwait $q\necho $q.state")

  static let unknownCollection = ErrorPage(
    "unknown-collection", "There is nothing of that name to be counted",
    "'count of' counts 'ops', 'queues', operations whose names match a pattern, and lists. A "
      + "lone '(ops)' has no value: 'for op in all' goes through operations.",
    help: "count ops, queues, names such as delay-*, or a list",
    wrong: "echo (count of oops where state == finished)",
    right: "echo (count of ops where state == finished)")
}
