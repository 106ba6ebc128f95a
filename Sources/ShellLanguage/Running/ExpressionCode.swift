/// How an expression gets its value.
///
/// What is evaluated most has its parts as constants of a class: to use them takes no counting of
/// references, which is most of the time where parts are taken out of an enumeration.
protocol ExpressionCode: AnyObject, Sendable {
  func value(of expression: Expression, in evaluator: Evaluator) throws -> Value
}

extension Expression.Kind {
  /// How an expression of this kind gets its value.
  var code: any ExpressionCode {
    switch self {
    case .literal(let value): LiteralCode(value)
    case .variable(let name): VariableCode(name)
    case .binary(let operation, let left, let right, let range):
      BinaryCode(operation, left, right, range)
    default: OtherCode.shared
    }
  }
}

private final class LiteralCode: ExpressionCode {
  private let value: Value

  init(_ value: Value) { self.value = value }

  func value(of expression: Expression, in evaluator: Evaluator) throws -> Value { value }
}

private final class VariableCode: ExpressionCode {
  private let name: String
  private let symbol: Symbol

  init(_ name: String) {
    self.name = name
    symbol = Symbol(name)
  }

  func value(of expression: Expression, in evaluator: Evaluator) throws -> Value {
    try evaluator.variable(name, symbol, expression.range)
  }
}

private final class BinaryCode: ExpressionCode {
  private let operation: Expression.BinaryOperator
  private let left: Expression
  private let right: Expression
  private let range: SourceRange

  init(
    _ operation: Expression.BinaryOperator, _ left: Expression, _ right: Expression,
    _ range: SourceRange
  ) {
    (self.operation, self.left, self.right, self.range) = (operation, left, right, range)
  }

  func value(of expression: Expression, in evaluator: Evaluator) throws -> Value {
    try evaluator.apply(operation, left, right, range)
  }
}

/// Takes the parts out of the kind.
private final class OtherCode: ExpressionCode {
  static let shared = OtherCode()

  func value(of expression: Expression, in evaluator: Evaluator) throws -> Value {
    let range = expression.range
    switch expression.kind {
    case .literal, .variable, .binary:
      preconditionFailure("these have code of their own")
    case .interpolation(let word): return .string(try evaluator.text(of: word))
    case .bareWord(let word):
      guard let value = evaluator.subject?.property(word) else { return .string(word) }
      return try evaluator.readable(value, range)
    case .object(let name): return try evaluator.object(name, range)
    case .name(let name): return try evaluator.named(name, expression.symbol, range)
    case .reference(let name): return try evaluator.referenced(name, expression.symbol, range)
    case .property(let base, let name, let place):
      return try evaluator.property(name, of: base, place)
    case .element(let base, let index):
      return try evaluator.element(evaluator.evaluate(base), at: evaluator.evaluate(index), range)
    case .call(let name, let arguments, let place):
      let values = try arguments.map { try evaluator.evaluate($0) }
      return try evaluator.placed(place) { () throws(UnplacedError) in
        try BuiltinFunction.call(name, values)
      }
    case .count(let clause): return .integer(Int64(try evaluator.number(of: clause)))
    case .unary(.not, let operand): return .boolean(!(try evaluator.holds(operand)))
    case .unary(.negate, let operand):
      let value = try evaluator.evaluate(operand)
      return try evaluator.placed(range) { () throws(UnplacedError) in try value.negated() }
    }
  }
}
