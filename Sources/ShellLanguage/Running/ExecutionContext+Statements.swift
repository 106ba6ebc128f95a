import OpshLocking

/// How a statement or a block ended.
enum Completion {
  case normal(Value)
  case breaking
  case continuing
  case returning(Value)
}

extension ExecutionContext {
  /// Runs the statements of a script one by one.
  func performTopLevel(
    _ script: Script, _ indices: Range<Int>, skipping skipped: Set<Int>,
    recover: ((Diagnostic) -> Bool)?, began: (Int) -> Void, completed: (Int) -> Void
  ) throws -> Value {
    var last = Value.null
    for index in indices where !skipped.contains(index) {
      let statement = script.statements[index]
      began(index)
      do {
        if case .invalid = statement.kind {
          let known = script.diagnostics.first {
            $0.severity == .error && script.statementIndex(of: $0) == index
          }
          throw known ?? failure(.syntax, "the statement cannot be read")
        }
        switch try perform(statement) {
        case .normal(let value):
          last = value
          completed(index)
        // The parser's checks refuse these; a script that was run unchecked ends here.
        case .breaking, .continuing: throw misplaced(statement)
        case .returning(let value): return value
        }
      } catch let diagnostic as Diagnostic {
        guard let recover, recover(diagnostic) else { throw diagnostic }
      }
    }
    return last
  }

  /// Runs statements until one leaves the block.
  func perform(_ statements: [Statement]) throws -> Completion {
    if CallStack.isNearlyFull { throw tooDeep() }
    var last = Value.null
    for statement in statements {
      switch try perform(statement) {
      case .normal(let value): last = value
      case let leaving: return leaving
      }
    }
    return .normal(last)
  }

  private func perform(_ statement: Statement) throws -> Completion {
    execution.range = statement.range
    do {
      try host.checkInterrupt(in: self)
      host.willRun(statement, in: self)
      let completion = try statement.code.perform(statement, in: self)
      if !isBody { try host.betweenStatements() }
      return completion
    } catch let diagnostic as Diagnostic {
      throw diagnostic
    } catch {
      if host.isControlTransfer(error) {
        host.willLeave(statement, in: self)
        throw error
      }
      throw placed(error, statement.range)
    }
  }

  /// Gives an error of the host a place.
  private func placed(_ error: any Error, _ range: SourceRange) -> Diagnostic {
    let known = error as? UnplacedError
    return Diagnostic(
      known?.page ?? .failure, known?.message ?? "\(error)", source: source, range: range,
      help: known?.help, phase: .running, underlying: error)
  }

  /// Runs a statement whose kind has no code of its own.
  func performKind(of statement: Statement) throws -> Completion {
    switch statement.kind {
    case .command(let command):
      try refuseRedirectionOfNothing(command)
      return .normal(try redirected(command.redirection) { try call(command) })
    case .expression(let expression, let redirection):
      return .normal(
        try redirected(redirection) {
          let value = try evaluate(expression)
          try host.show(value)
          return value
        })
    case .assignment(let assignment):
      try assign(assignment)
      return .normal(.null)
    case .conditional, .whileLoop: preconditionFailure("these have code of their own")
    case .repeatLoop(let count, let block):
      return try performRepeat(count, block)
    case .forLoop(let name, let items, let block):
      return try performFor(name, items, block)
    case .definition(let definition):
      try define(definition)
      return .normal(.null)
    case .returning(let argument):
      guard let argument else { return .returning(.null) }
      return .returning(try evaluator.literalValue(of: argument))
    case .breaking: return .breaking
    case .continuing: return .continuing
    case .attempt(let block, let name, let handler):
      return try performAttempt(block, name, handler)
    case .invalid:
      throw failure(.syntax, "the statement cannot be read")
    }
  }

  @inline(__always)
  var evaluator: Evaluator { Evaluator(context: self) }

  private func assign(_ assignment: Assignment) throws {
    if let growth = assignment.growth, try grow(assignment.name, growth) { return }
    let value: Value
    switch assignment.source {
    case .command(let command):
      try refuseRedirectionOfNothing(command)
      value = try redirected(command.redirection) { try call(command, keepsOutput: true) }
    case .value(let argument):
      value = try evaluator.literalValue(of: argument)
    }
    try assign(value, to: assignment.name)
  }

  /// Gives a variable a value.
  func assign(_ value: Value, to name: Name) throws {
    host.willBind(name.text, to: value)
    if scope.assign(name.symbol, value) == .frozen {
      throw Diagnostic(
        .capturedVariable, "'\(name.text)' cannot be assigned here", source: source,
        range: name.range,
        help: "a block on its own thread reads the variables around it as they were",
        phase: .running)
    }
  }

  private func performAttempt(
    _ block: Block, _ name: Name, _ handler: Block
  ) throws -> Completion {
    do {
      return try perform(block)
    } catch let diagnostic as Diagnostic {
      let place = diagnostic.place
      let record = Value.record([
        Value.Field("code", .string(diagnostic.code)),
        Value.Field("message", .string(diagnostic.message)),
        Value.Field("help", diagnostic.help.map { .string($0) } ?? .null),
        Value.Field("file", .string(diagnostic.source.name)),
        Value.Field("line", .integer(Int64(place.line))),
        Value.Field("column", .integer(Int64(place.column))),
      ])
      var inner = Scope(parent: scope)
      inner.define(name.symbol, record)
      return try perform(handler, in: &inner)
    }
  }

  private func define(_ definition: Definition) throws {
    let name = definition.name
    if host.catalog.isReserved(name.text) {
      throw Diagnostic(
        .nameTaken, "'\(name.text)' is a word of the language", source: source, range: name.range,
        phase: .running)
    }
    state.define(DefinedCommand(definition, source: source))
  }

  func tooDeep() -> Diagnostic {
    failure(
      .tooDeep, "too many calls inside each other",
      help: "a 'def' that calls itself needs a condition under which it stops")
  }

  private func misplaced(_ statement: Statement) -> Diagnostic {
    Diagnostic(
      .misplaced, "there is no loop here to leave", source: source, range: statement.range,
      phase: .running)
  }
}

extension ErrorPage {
  static let syntax = ErrorPage(
    "syntax", "A statement with a syntax error was run",
    "The error was reported when the statement was read.",
    help: "'--check' says what is wrong with a script", wrong: "(a statement that was refused)",
    right: "echo hello")

  static let misplaced = ErrorPage(
    "misplaced", "'break' or 'continue' is outside of a loop",
    "A script that was not checked came to a 'break' or 'continue' outside of a loop.",
    help: "it leaves a 'for', 'while' or 'repeat' around it",
    wrong: "(a 'break' without a loop, in a script that was not checked)",
    right: "repeat 3 { break }")

  static let capturedVariable = ErrorPage(
    "captured-variable", "A block on another thread assigns an outer variable",
    """
    The body of a 'block' runs on its operation's thread and sees the variables as they were \
    when it was built. An assignment there would be lost, so it is an error.
    """,
    wrong: "let n = 1\nblock { let n = 2 }\necho $n",
    right: "let n = 1\nblock { let own = ($n + 1); echo $own }\necho $n")

  package static let failure = ErrorPage(
    "failure", "A command failed without a specific code",
    "The message is the system's.", help: "try it once more",
    wrong: "(a failure of the system)", right: "echo hello")
}
