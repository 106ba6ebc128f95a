extension Script {
  /// Every command in the script, those in blocks included.
  public var commands: [CommandStatement] { statements.flatMap(\.commands) }
}

extension Statement {
  fileprivate var commands: [CommandStatement] {
    switch kind {
    case .command(let command): command.all
    case .assignment(let assignment):
      if case .command(let command) = assignment.source { command.all } else { [] }
    case .conditional(let clauses, let otherwise):
      (clauses.map(\.block) + (otherwise.map { [$0] } ?? [])).flatMap(\.commands)
    case .whileLoop(_, let block), .repeatLoop(_, let block), .forLoop(_, _, let block):
      block.commands
    case .definition(let definition): definition.block.commands
    case .attempt(let block, _, let handler): block.commands + handler.commands
    case .expression, .returning, .breaking, .continuing, .invalid: []
    }
  }
}

extension Block {
  fileprivate var commands: [CommandStatement] { statements.flatMap(\.commands) }
}

extension CommandStatement {
  /// Itself, and those in its blocks.
  fileprivate var all: [CommandStatement] {
    [self]
      + arguments.flatMap { argument -> [CommandStatement] in
        guard case .block(let block) = argument else { return [] }
        return block.commands
      }
  }
}
