extension ExecutionContext {
  /// Runs a command and returns its value.
  func call(_ command: CommandStatement) throws -> Value {
    let arguments = command.arguments
    if let name = arguments.first?.bareText, let defined = session.definedCommand(name) {
      let binder = ArgumentBinder(
        signature: defined.signature, source: source, catalog: host.catalog, context: self)
      return try call(defined, try binder.bind(arguments.dropFirst(), range: command.range))
    }
    if let name = arguments.first?.bareText, let text = session.alias(name) {
      return try call(alias: name, text, command)
    }
    let catalog = host.catalog
    switch catalog.lookup(arguments) {
    case .command(let signature, let count):
      let binder = ArgumentBinder(
        signature: signature, source: source, catalog: catalog, context: self)
      let call = try binder.bind(arguments.dropFirst(count), range: command.range)
      return try host.run(call, in: self)
    case let failed:
      throw Diagnostic.unknownCommand(
        failed, arguments, catalog, definitions: session.definedSignatures.map(\.name),
        source: source
      ).whileRunning()
    }
  }

  /// Runs a command that a script defined.
  private func call(_ defined: Session.DefinedCommand, _ call: CommandCall) throws -> Value {
    guard execution.enterCall() else { throw tooDeep() }
    let place = execution.range
    defer {
      execution.leaveCall()
      execution.range = place
    }
    var bindings: [String: Value] = [:]
    for parameter in defined.definition.parameters {
      let name = parameter.name.text
      if let argument = call.arguments(name).first, let value = argument.value {
        // A bare word keeps its letters, but `5` can be added to.
        if case .string(let text) = value, text == argument.text {
          bindings[name] = LiteralReader.faithfulValue(of: text)
        } else {
          bindings[name] = value
        }
      } else if let standard = parameter.standard {
        bindings[name] = try Evaluator(context: self, source: defined.source)
          .literalValue(of: standard)
      }
    }
    // The body sees the variables at the top level and its parameters, not those of the caller.
    let body = ExecutionContext(
      session: session, globals: globals, scope: Scope(parent: globals, variables: bindings),
      source: defined.source, execution: execution, arguments: self.arguments, isBody: isBody,
      userInfo: userInfo)
    switch try body.perform(defined.definition.block.statements) {
    case .returning(let value): return value
    default: return .null
    }
  }

  /// Runs `body`, with its text going where the statement says.
  func redirected(_ syntax: RedirectionSyntax?, _ body: () throws -> Value) throws -> Value {
    guard let syntax else { return try body() }
    let programs = try syntax.programs.map { words in try words.flatMap { try texts(of: $0) } }
    if let empty = programs.firstIndex(where: { $0.isEmpty || $0[0].isEmpty }) {
      throw Diagnostic(
        code: "missing-program", message: "the name of the program is empty", source: source,
        range: syntax.programs[empty].first?.range ?? syntax.range, phase: .running)
    }
    var file: Redirection.File?
    if let target = syntax.file {
      let words = try texts(of: target)
      guard words.count == 1, let path = words.first, !path.isEmpty else {
        throw Diagnostic(
          code: "missing-file", message: "expected the path of one file", source: source,
          range: target.range, phase: .running)
      }
      file = Redirection.File(path: path, isAppending: syntax.isAppending)
    }
    let redirection = Redirection(
      programs: programs, file: file, range: syntax.range, source: source)
    return try host.withRedirectedOutput(redirection, in: self, body)
  }

  private func texts(of argument: Argument) throws -> [String] {
    let value: Value
    switch argument {
    case .word(let word): value = try evaluator.value(of: word)
    default: value = try evaluator.literalValue(of: argument)
    }
    if case .list(let values) = value { return values.map(\.text) }
    return [value.text]
  }
}
