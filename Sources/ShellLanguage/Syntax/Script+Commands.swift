extension Script {
  /// Every command in the script, those in blocks included.
  public var commands: [CommandStatement] { statements.flatMap(\.commands) }
}

extension Block {
  /// Whether a `return` in it has a value, unless it is that of a definition in it.
  var returnsValue: Bool { statements.contains(where: \.returnsValue) }
}

extension Statement {
  fileprivate var returnsValue: Bool {
    switch kind {
    case .returning(let value): value != nil
    case .definition: false
    default: blocks.contains(where: \.returnsValue)
    }
  }

  /// The command that it is, or whose value it keeps.
  public var command: CommandStatement? {
    switch kind {
    case .command(let command): return command
    case .assignment(let assignment):
      if case .command(let command) = assignment.source { return command }
      return nil
    default: return nil
    }
  }

  /// The blocks in it, but for those inside others.
  var blocks: [Block] {
    switch kind {
    case .command, .assignment:
      (command?.arguments ?? []).compactMap { argument in
        if case .block(let block) = argument { block } else { nil }
      }
    case .conditional(let clauses, let otherwise):
      clauses.map(\.block) + (otherwise.map { [$0] } ?? [])
    case .whileLoop(_, let block), .repeatLoop(_, let block), .forLoop(_, _, let block): [block]
    case .definition(let definition): [definition.block]
    case .attempt(let block, _, let handler): [block, handler]
    case .expression, .returning, .breaking, .continuing, .invalid: []
    }
  }

  fileprivate var commands: [CommandStatement] {
    (command.map { [$0] } ?? []) + blocks.flatMap { $0.statements.flatMap(\.commands) }
  }
}
