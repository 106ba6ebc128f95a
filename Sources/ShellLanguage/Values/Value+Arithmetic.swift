/// The operators that compute.
enum ArithmeticOperator: Sendable {
  case add, subtract, multiply, divide, remainder

  var verb: String {
    switch self {
    case .add: "add"
    case .subtract: "subtract"
    case .multiply: "multiply"
    case .divide: "divide"
    case .remainder: "take the remainder of"
    }
  }
}

extension Value {
  /// Computes with two values; nothing wraps round, and nothing traps.
  static func computing(
    _ operation: ArithmeticOperator, _ left: Value, _ right: Value
  ) throws(UnplacedError) -> Value {
    switch (left, right) {
    case (.integer(let first), .integer(let second)):
      return .integer(try integer(operation, first, second))
    case (.spelled(let number, _), _): return try computing(operation, number, right)
    case (_, .spelled(let number, _)): return try computing(operation, left, number)
    case (.string(let first), .string(let second)):
      if operation == .add { return .string(first + second) }
      if let first = LiteralReader.value(of: first), let second = LiteralReader.value(of: second) {
        return try computing(operation, first, second)
      }
    case (.list(let first), .list(let second)) where operation == .add:
      return .list(first + second)
    case (.string(let text), _):
      if let read = right.reading(text) { return try computing(operation, read, right) }
    case (_, .string(let text)):
      if let read = left.reading(text) { return try computing(operation, left, read) }
    case (.size(let first), .size(let second)):
      switch operation {
      case .add, .subtract, .remainder: return .size(try integer(operation, first, second, .size))
      case .divide: return .real(try real(.divide, Double(first), Double(second)))
      case .multiply: break
      }
    case (.size(let count), .integer(let factor)) where operation != .add && operation != .subtract:
      return .size(try integer(operation, count, factor, .size))
    case (.integer(let factor), .size(let count)) where operation == .multiply:
      return .size(try integer(.multiply, count, factor, .size))
    case (.size(let count), .real(let factor)) where operation == .multiply || operation == .divide:
      return .size(try whole(real(operation, Double(count), factor), .size))
    case (.percent, .size) where operation == .multiply:
      return try computing(.multiply, right, left)
    case (.duration, _), (_, .duration):
      if let value = try duration(operation, left, right) { return value }
    case (.percent(let first), .percent(let second))
    where operation == .add || operation == .subtract:
      return .percent(try real(operation, first, second))
    case (.percent(let share), .integer), (.percent(let share), .real):
      if operation == .multiply { return try computing(.multiply, .real(share / 100), right) }
    case (.integer, .percent(let share)), (.real, .percent(let share)),
      (.size, .percent(let share)):
      if operation == .multiply { return try computing(.multiply, left, .real(share / 100)) }
    default:
      if let first = left.number, let second = right.number {
        return .real(try real(operation, first, second))
      }
    }
    let verb = operation.verb
    var failure = UnplacedError.mismatch(verb, left, right)
    if operation == .add, left.isString || right.isString {
      failure.help = "to put texts together write them into one string: \"$first$second\""
    }
    throw failure
  }

  /// The value with the other sign.
  func negated() throws(UnplacedError) -> Value {
    switch self {
    case .real(let number): return .real(-number)
    case .spelled(let number, _): return try number.negated()
    case .percent(let number): return .percent(-number)
    case .duration, .size, .integer, .string:
      if case .string(let text) = self, let value = LiteralReader.value(of: text), !value.isString {
        return try value.negated()
      }
      if case .duration = self { return try Self.computing(.multiply, self, .integer(-1)) }
      if case .size(let count) = self { return .size(try Self.integer(.subtract, 0, count, .size)) }
      if case .integer(let number) = self {
        return .integer(try Self.integer(.subtract, 0, number))
      }
    default: break
    }
    throw UnplacedError(
      .typeMismatch, "cannot negate \(describedType)",
      help: "'-' negates a number, a percentage, a duration or a size")
  }

  private var isString: Bool {
    if case .string = self { return true }
    return false
  }

  private var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: nil
    }
  }

  private static func integer(
    _ operation: ArithmeticOperator, _ left: Int64, _ right: Int64, _ kind: NumberKind = .integer
  ) throws(UnplacedError) -> Int64 {
    let (result, overflow): (Int64, Bool)
    switch operation {
    case .add: (result, overflow) = left.addingReportingOverflow(right)
    case .subtract: (result, overflow) = left.subtractingReportingOverflow(right)
    case .multiply: (result, overflow) = left.multipliedReportingOverflow(by: right)
    case .divide:
      if right == 0 { throw UnplacedError(.divisionByZero, "division by zero") }
      (result, overflow) = left.dividedReportingOverflow(by: right)
    case .remainder:
      if right == 0 { throw UnplacedError(.divisionByZero, "division by zero") }
      // The remainder by -1 is 0, also where the division would overflow.
      (result, overflow) = right == -1 ? (0, false) : (left % right, false)
    }
    if overflow { throw .overflow(kind) }
    return result
  }

  private static func real(
    _ operation: ArithmeticOperator, _ left: Double, _ right: Double
  ) throws(UnplacedError) -> Double {
    let result: Double
    switch operation {
    case .add: result = left + right
    case .subtract: result = left - right
    case .multiply: result = left * right
    case .divide:
      if right == 0 { throw UnplacedError(.divisionByZero, "division by zero") }
      result = left / right
    case .remainder:
      if right == 0 { throw UnplacedError(.divisionByZero, "division by zero") }
      result = left.truncatingRemainder(dividingBy: right)
    }
    if !result.isFinite && left.isFinite && right.isFinite { throw .overflow(.real) }
    return result
  }

  private static func whole(
    _ number: Double, _ kind: NumberKind
  ) throws(UnplacedError) -> Int64 {
    guard let whole = Int64(exactly: number.rounded()) else { throw .overflow(kind) }
    return whole
  }

  /// Durations add to durations, and are multiplied and divided by numbers; nil means neither.
  private static func duration(
    _ operation: ArithmeticOperator, _ left: Value, _ right: Value
  ) throws(UnplacedError) -> Value? {
    switch (left, right) {
    case (.duration(let first), .duration(let second)):
      guard let first = nanoseconds(of: first), let second = nanoseconds(of: second) else {
        throw .overflow(.duration)
      }
      switch operation {
      case .add, .subtract, .remainder:
        return .duration(.nanoseconds(try integer(operation, first, second, .duration)))
      case .divide: return .real(try real(.divide, Double(first), Double(second)))
      case .multiply: return nil
      }
    case (.duration(let first), .integer(let factor)):
      guard operation == .multiply || operation == .divide else { return nil }
      guard let first = nanoseconds(of: first) else { throw .overflow(.duration) }
      return .duration(.nanoseconds(try integer(operation, first, factor, .duration)))
    case (.duration(let first), .real(let factor)):
      guard operation == .multiply || operation == .divide else { return nil }
      guard let first = nanoseconds(of: first) else { throw .overflow(.duration) }
      return .duration(.nanoseconds(try whole(real(operation, Double(first), factor), .duration)))
    case (.duration(let first), .percent(let share)) where operation == .multiply:
      return try duration(.multiply, .duration(first), .real(share / 100))
    case (_, .duration) where operation == .multiply:
      if case .duration = left { return nil }
      return try duration(.multiply, right, left)
    default: return nil
    }
  }
}

extension ErrorPage {
  static let divisionByZero = ErrorPage(
    "division-by-zero", "Something is divided by zero", "Neither '/' nor '%' has a result then.",
    help: "test the divisor first", wrong: "echo (1 / 0)",
    right: "let n = 2\nif ($n != 0) { echo (1 / $n) }")

  static let typeMismatch = ErrorPage(
    "type-mismatch", "An operator or a function cannot work on values of these kinds",
    """
    Numbers compute with numbers, durations with durations and numbers, sizes likewise. \
    Texts and lists are only added. A text that is a number counts as one next to a number. \
    (text($value)) is a value as a text, (number($text)) a text as a number.
    """,
    help: "both sides must be of one kind; numbers also multiply and divide durations and sizes",
    wrong: "echo (5 + true)",
    right: "echo (5 + 1)")
}
