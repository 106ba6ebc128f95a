/// How a statement runs; like ``ExpressionCode``, it has the parts of what runs most as constants.
protocol StatementCode: AnyObject, Sendable {
  func perform(_ statement: Statement, in context: ExecutionContext) throws -> Completion
}

extension Statement.Kind {
  /// How a statement of this kind runs.
  var code: any StatementCode {
    switch self {
    case .assignment(let assignment):
      guard case .value(.expression(let expression, _)) = assignment.source else {
        return OtherCode.shared
      }
      return AssignmentCode(assignment, expression)
    case .conditional(let clauses, let otherwise):
      return ConditionalCode(clauses, otherwise)
    case .whileLoop(let condition, let block): return WhileCode(condition, block)
    default: return OtherCode.shared
    }
  }
}

/// `let NAME = (E)`.
private final class AssignmentCode: StatementCode {
  private let name: Name
  private let value: Expression
  private let growth: Growth?
  private let mayGrow: Bool

  init(_ assignment: Assignment, _ value: Expression) {
    name = assignment.name
    growth = assignment.growth
    mayGrow = growth != nil
    self.value = value
  }

  func perform(_ statement: Statement, in context: ExecutionContext) throws -> Completion {
    if mayGrow, context.canGrow(name), let growth, try context.grow(name, growth) {
      return .normal(.null)
    }
    try context.assign(context.evaluator.evaluate(value), to: name)
    return .normal(.null)
  }
}

/// `if`.
private final class ConditionalCode: StatementCode {
  private let condition: Expression
  private let block: Block
  private let others: [ConditionalClause]
  private let otherwise: Block?

  /// - Parameters:
  ///   - clauses: The conditions with their blocks, one at least.
  ///   - otherwise: The block of `else`.
  init(_ clauses: [ConditionalClause], _ otherwise: Block?) {
    condition = clauses[0].condition
    block = clauses[0].block
    others = Array(clauses.dropFirst())
    self.otherwise = otherwise
  }

  func perform(_ statement: Statement, in context: ExecutionContext) throws -> Completion {
    if try context.evaluator.holds(condition) { return try context.perform(block) }
    for clause in others where try context.evaluator.holds(clause.condition) {
      return try context.perform(clause.block)
    }
    return try otherwise.map { try context.perform($0) } ?? .normal(.null)
  }
}

/// `while`.
private final class WhileCode: StatementCode {
  private let condition: Expression
  private let block: Block

  init(_ condition: Expression, _ block: Block) {
    self.condition = condition
    self.block = block
  }

  func perform(_ statement: Statement, in context: ExecutionContext) throws -> Completion {
    try context.performWhile(condition, block)
  }
}

/// Takes the parts out of the kind.
private final class OtherCode: StatementCode {
  static let shared = OtherCode()

  func perform(_ statement: Statement, in context: ExecutionContext) throws -> Completion {
    try context.performKind(of: statement)
  }
}
