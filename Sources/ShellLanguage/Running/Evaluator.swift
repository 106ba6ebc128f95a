import OpshLocking

/// Works out the values of expressions and words.
struct Evaluator {
  /// Texts do not grow beyond this, so that a doubling loop cannot take all memory.
  static let maximumTextLength = 64_000_000

  let context: ExecutionContext
  /// The text that the expression stands in, where that is not that of the context.
  private let otherSource: SourceText?
  /// Of what bare words name properties, as in `--where`; nil leaves each a string.
  let subject: Value?

  init(context: ExecutionContext, source: SourceText? = nil, subject: Value? = nil) {
    self.context = context
    otherSource = source
    self.subject = subject
  }

  var source: SourceText { otherSource ?? context.source }

  func evaluate(_ expression: Expression) throws -> Value {
    // Shallow trees need no look at the stack; the parser limits the deep ones to 1,000.
    if expression.depth > 16, CallStack.isNearlyFull { throw tooDeep(expression) }
    return try expression.code.value(of: expression, in: self)
  }

  private func tooDeep(_ expression: Expression) -> Diagnostic {
    failure(
      .tooDeep, "the expression is too deep for this thread", expression.range,
      help: Parser.helpForDepth)
  }

  /// Whether a condition holds; a text is refused, because `"false"` would hold as well.
  func holds(_ condition: Expression) throws -> Bool {
    let value = try evaluate(condition)
    if case .string = value {
      throw Diagnostic.textAsCondition(condition, source: condition.source ?? source).whileRunning()
    }
    return value.isTruthy
  }

  /// The value of an operator with its operands.
  func apply(
    _ binary: Expression.BinaryOperator, _ left: Expression, _ right: Expression,
    _ range: SourceRange
  ) throws -> Value {
    switch binary {
    case .before, .after:
      if let first = try instant(left), let second = try instant(right) {
        return try apply(binary, first, second, left, right, range)
      }
    case .or: return .boolean(try holds(left) ? true : try holds(right))
    case .and: return .boolean(try holds(left) ? try holds(right) : false)
    case .coalesce: return try present(left) ?? evaluate(right)
    default: break
    }
    var first = try evaluate(left)
    var second = try evaluate(right)
    if subject != nil {
      second = meant(second, right, nextTo: first, binary)
      first = meant(first, left, nextTo: second, binary)
    }
    // Two integers are by far the most common operands.
    if case .integer(let one) = first, case .integer(let two) = second {
      switch binary {
      case .equal: return .boolean(one == two)
      case .notEqual: return .boolean(one != two)
      case .less: return .boolean(one < two)
      case .lessOrEqual: return .boolean(one <= two)
      case .greater: return .boolean(one > two)
      case .greaterOrEqual: return .boolean(one >= two)
      default: break
      }
    }
    return try apply(binary, first, second, left, right, range)
  }

  private func apply(
    _ binary: Expression.BinaryOperator, _ first: Value, _ second: Value, _ left: Expression,
    _ right: Expression, _ range: SourceRange
  ) throws -> Value {
    do throws(UnplacedError) {
      return try Self.apply(binary, first, second)
    } catch {
      throw failure(error.page, error.message, range, help: variableHint(left, right) ?? error.help)
    }
  }

  /// The time itself that a property is; which of two came first is asked of them, and not of the
  /// numbers that stand for them.
  private func instant(_ expression: Expression) throws -> Value? {
    switch expression.kind {
    case .bareWord(let word): return subject?.instant(word)
    case .property(let base, let name, _):
      // No variable of the environment is one, and looking would build all of it.
      if base.isEnvironment { return nil }
      return try evaluate(base).instant(name)
    default: return nil
    }
  }

  /// In `state == ready` the word `ready` is a state, although it is the name of a property, a time,
  /// as well: next to a text a bare word that is not a text stands for itself.
  private func meant(
    _ value: Value, _ operand: Expression, nextTo other: Value, _ binary: Expression.BinaryOperator
  ) -> Value {
    guard binary == .equal || binary == .notEqual,
      case .bareWord(let word) = operand.kind, case .string = other
    else { return value }
    if case .string = value { return value }
    return .string(word)
  }

  /// A word that is called like a variable was hardly meant as a word.
  private func variableHint(_ operands: Expression...) -> String? {
    for operand in operands {
      guard case .bareWord(let word) = operand.kind, subject?.property(word) == nil,
        context.scope.value(of: word) != nil
      else { continue }
      return "did you mean '$\(word)'?"
    }
    return nil
  }

  static func apply(
    _ binary: Expression.BinaryOperator, _ first: Value, _ second: Value
  ) throws(UnplacedError) -> Value {
    switch binary {
    case .or: return .boolean(first.isTruthy || second.isTruthy)
    case .and: return .boolean(first.isTruthy && second.isTruthy)
    case .equal: return .boolean(first.isEqual(to: second))
    case .notEqual: return .boolean(!first.isEqual(to: second))
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .before, .after:
      return .boolean(try compare(binary, first, second))
    case .in: return .boolean(try isMember(first, of: second))
    case .matches:
      if first.hasNull || second.hasNull { return .boolean(false) }
      return .boolean(GlobPattern(second.text).matches(first.text))
    case .range: return .list(try integers(from: first, through: second))
    case .coalesce:
      if case .null = first { return second }
      return first
    case .add:
      if case .string(let one) = first, case .string(let two) = second,
        one.utf8.count + two.utf8.count > maximumTextLength
      {
        throw .tooLarge
      }
      if case .list(let one) = first, case .list(let two) = second {
        var size = try ListSize(of: one)
        try size.append(ListSize(of: two))
      }
      return try Value.computing(.add, first, second)
    case .subtract: return try Value.computing(.subtract, first, second)
    case .multiply: return try Value.computing(.multiply, first, second)
    case .divide: return try Value.computing(.divide, first, second)
    case .remainder: return try Value.computing(.remainder, first, second)
    }
  }

  /// Compares; what has not happened yet is null, and comes neither before nor after anything.
  private static func compare(
    _ binary: Expression.BinaryOperator, _ first: Value, _ second: Value
  ) throws(UnplacedError) -> Bool {
    if case .null = first { return false }
    if case .null = second { return false }
    let order = try first.order(with: second)
    switch binary {
    case .less, .before: return order == .before
    case .lessOrEqual: return order == .before || order == .same
    case .greater, .after: return order == .after
    default: return order == .after || order == .same
    }
  }

  private static func isMember(_ item: Value, of group: Value) throws(UnplacedError) -> Bool {
    switch group {
    case .list(let values): return values.contains { $0.isEqual(to: item) }
    case .string(let text):
      return !item.hasNull && (item.text.isEmpty || text.contains(item.text))
    case .record(let fields): return fields.contains { $0.isFound(by: item.text) }
    case .null: return false
    default:
      throw UnplacedError(
        .typeMismatch, "cannot look for something in \(group.describedType)",
        help: "'in' looks in a list, a text or a record")
    }
  }

  /// The integers from one value to another; none if the second is the smaller one.
  static func integers(
    from first: Value, through last: Value
  ) throws(UnplacedError) -> [Value] {
    let (lower, upper) = try rangeEnds(first, last)
    let (distance, overflow) = upper.subtractingReportingOverflow(lower)
    if lower <= upper, overflow || distance >= Int64(ListSize.maximumCount) {
      throw UnplacedError(
        .listTooLong, "a list cannot have more than 1,000,000 elements",
        help: "'for' and 'repeat' count further without a list")
    }
    return stride(from: lower, through: upper, by: 1).map { .integer($0) }
  }

  /// Both ends of a range, which is empty if the upper one is the smaller one.
  static func rangeEnds(
    _ first: Value, _ last: Value
  ) throws(UnplacedError) -> (lower: Int64, upper: Int64) {
    func whole(_ value: Value) throws(UnplacedError) -> Int64 {
      switch value.unspelled {
      case .integer(let number): return number
      case .string(let text):
        if let number = Int64(text) { return number }
      default: break
      }
      throw UnplacedError(
        .typeMismatch, "a range needs an integer on both sides, found \(value.describedType)",
        help: "for example 1..5")
    }
    return (try whole(first), try whole(last))
  }

  /// Runs something that knows no place, and adds the place to its error.
  func placed<Result>(
    _ range: SourceRange, _ body: () throws(UnplacedError) -> Result
  ) throws -> Result {
    do throws(UnplacedError) {
      return try body()
    } catch {
      throw error.placed(at: range, in: source)
    }
  }

  func failure(
    _ page: ErrorPage, _ message: String, _ range: SourceRange, help: String? = nil
  ) -> Diagnostic {
    Diagnostic(page, message, source: source, range: range, help: help, phase: .running)
  }
}

extension Diagnostic {
  /// The error of a condition that is a text.
  static func textAsCondition(_ condition: Expression, source: SourceText) -> Diagnostic {
    let written = source.text(in: condition.range)
    let operand = written.count > 40 || written.contains("\n") ? "…" : written
    var help = "compare it with what it may be: (\(operand) != null), (\(operand) != \"\")"
    if case .literal(.string(let text)) = condition.kind {
      help =
        LiteralReader.isBoolean(text) == nil
        ? "compare something with it: ($name == \(operand))"
        : "without quotes it is a boolean: (\(text))"
    }
    return Diagnostic(
      .expectedCondition, "\(shown(written)) is a text; expected a condition", source: source,
      range: condition.range, help: help)
  }
}

extension UnplacedError {
  static let tooLarge = UnplacedError(.tooLarge, "the result is larger than a value can be")
}

extension ErrorPage {
  static let listTooLong = ErrorPage(
    "list-too-long", "A list would have more than 1,000,000 elements",
    "'for' and 'repeat' count as far as you like without making a list.",
    wrong: "let all = (1..2000000)\necho $all.count", right: "for n in 1..3 { echo $n }",
    proof: .running)
}
