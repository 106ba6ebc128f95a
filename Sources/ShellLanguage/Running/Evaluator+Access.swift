extension Evaluator {
  /// The value of `$name`, `$1`, `$@`, `$#` or `$env`.
  func variable(_ name: String, _ range: SourceRange) throws -> Value {
    if let value = context.scope.value(of: name) { return try readable(value, range) }
    switch name {
    case "@": return .list(context.arguments.map(LiteralReader.faithfulValue))
    case "#": return .integer(Int64(context.arguments.count))
    case "env": return environment
    default: break
    }
    if let number = Int(name) {
      if number >= 1, number <= context.arguments.count {
        return LiteralReader.faithfulValue(of: context.arguments[number - 1])
      }
      let count = context.arguments.count
      throw failure(
        "missing-argument",
        "the script was called with \(count) argument\(count == 1 ? "" : "s"), there is no $\(name)",
        range, help: "arguments stand behind the name of the script; $# is how many there are")
    }
    throw failure(
      "undefined-variable", "there is no variable '\(name)'", range,
      help: source.helpForHyphen(after: name, range)
        ?? (context.host.object(named: name, in: context) == nil
          ? nil : source.helpForObject(name, range))
        ?? Spelling.help(for: name, among: context.scope.visible().keys))
  }

  /// Whether an operation or a queue has the name in `${name.property}`.
  private func isObject(_ base: Expression) -> Bool {
    guard case .reference(let name) = base.kind else { return false }
    return context.host.object(named: name, in: context) != nil
  }

  /// The value, unless it only stands for one that was lost.
  func readable(_ value: Value, _ range: SourceRange) throws -> Value {
    guard case .object(let object) = value, let lost = object.failure else { return value }
    throw failure(lost.code, lost.message, range, help: lost.help)
  }

  var environment: Value {
    .record(
      context.session.environment.sorted { $0.key < $1.key }.map {
        Value.Field($0.key, .string($0.value))
      }
    )
  }

  func object(_ name: String, _ range: SourceRange) throws -> Value {
    if let value = subject?.property(name) { return try readable(value, range) }
    if let value = context.host.object(named: name, in: context) { return value }
    if let known = context.host.explanation(forMissing: name, in: context) {
      throw failure(known.code, known.message, range, help: known.help)
    }
    let isVariable = name == "env" || context.scope.value(of: name) != nil
    throw failure(
      "unknown-name", "there is nothing named '\(name)'", range,
      help: isVariable
        ? "did you mean '$\(name)'?"
        : Spelling.help(context.host.suggestions(forObject: name, in: context)))
  }

  func property(_ name: String, of base: Expression, _ range: SourceRange) throws -> Value {
    // One variable of the environment is looked up without building all of it.
    if base.isEnvironment, context.scope.value(of: "env") == nil, !isObject(base) {
      return context.session.environment[name].map { .string($0) } ?? .null
    }
    return try property(name, of: evaluate(base), range)
  }

  func property(_ name: String, of value: Value, _ range: SourceRange) throws -> Value {
    if let found = value.property(name) { return try readable(found, range) }
    if case .null = value {
      // One condition is for many things, of which some have what others have not.
      if subject != nil { return .null }
      throw failure("no-value", "null has no property '\(name)'", range)
    }
    let names = value.propertyNames
    throw failure(
      "unknown-property", "\(value.describedType) has no property '\(name)'", range,
      help: Spelling.help(for: name, among: names)
        ?? (names.isEmpty || names.count > 40
          ? nil : "it has: " + names.joined(separator: ", ")))
  }

  func element(_ base: Value, at index: Value, _ range: SourceRange) throws -> Value {
    switch (base, index.unspelled) {
    case (.list(let values), .integer(let number)):
      guard let position = Self.position(of: number, in: values) else {
        throw failure(
          "out-of-range", "there is no element \(number) in a list of \(values.count)", range)
      }
      return values[position]
    case (.record, .string(let name)), (.object, .string(let name)):
      return try property(name, of: base, range)
    case (.list, _):
      throw failure(
        "type-mismatch", "an element is chosen by an integer, found \(index.describedType)", range)
    case (.null, _) where subject != nil: return .null
    case (.null, _): throw failure("no-value", "null has no elements", range)
    default:
      throw failure(
        "type-mismatch", "\(base.describedType) has no elements", range,
        help: "only a list has; where the bracket is text, write \"${$name}[…\"")
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
        throw failure("too-large", "the text is larger than a value can be", word.range)
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
          return try placed(word.range) { () throws(ValueFailure) in
            .list(
              try Self.integers(from: .integer(ends.lower), through: .integer(ends.upper)).map {
                .integer($0)
              })
          }
        }
        return .string(bare)
      }
      return try value(of: word)
    case .expression(let expression, _), .assignedExpression(_, let expression, _):
      return try evaluate(expression)
    case .block(let block):
      throw failure("unexpected-block", "a block is not a value", block.range)
    }
  }
}
