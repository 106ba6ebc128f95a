extension ExecutionContext {
  /// Runs a command and returns its value.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - keepsOutput: Whether the value of a program is what it prints, as in `let x = !date`.
  ///   - isOriginal: Whether its first word means the command of the host, also where a definition
  ///     or an alias has that name.
  /// - Returns: The value.
  /// - Throws: What the command throws.
  func call(
    _ command: CommandStatement, keepsOutput: Bool = false, isOriginal: Bool = false
  ) throws -> Value {
    if !isOriginal, let meaning = command.symbol.flatMap(state.meaning) {
      switch meaning {
      case .definition(let defined): return try call(defined, command)
      case .alias(let text): return try call(alias: text, command, keepsOutput: keepsOutput)
      }
    }
    let resolved = command.resolved(in: source, host.catalog)
    guard var call = try resolved.call(command, in: self) else {
      throw Diagnostic.unknownCommand(
        resolved.match, command.arguments, host.catalog,
        definitions: state.definedSignatures.map(\.name), source: source
      ).whileRunning()
    }
    call.keepsOutput = keepsOutput
    return try host.run(call, in: kept)
  }

  /// Runs a command that stands in a block alone as the host has it, whatever definition or alias has
  /// its name.
  ///
  /// - Parameter block: What an argument of the kind `.command` holds.
  /// - Returns: The command's value.
  /// - Throws: A `Diagnostic`, also where the block is more than one command.
  public func runOriginal(_ block: Block) throws -> Value {
    try call(
      block, isOriginal: true,
      help: "'command echo a' runs the command 'echo', whatever is defined")
  }

  /// Runs a command that stands in a block alone, without what comes between two statements: no
  /// handler runs before or after it.
  ///
  /// - Parameter block: What an argument of the kind `.command` holds.
  /// - Returns: The command's value.
  /// - Throws: A `Diagnostic`, also where the block is more than one command.
  public func runAlone(_ block: Block) throws -> Value {
    try call(block, isOriginal: false, help: nil)
  }

  private func call(_ block: Block, isOriginal: Bool, help: String?) throws -> Value {
    guard block.statements.count == 1, case .command(let command) = block.statements[0].kind else {
      throw failure(.expectedCommand, "expected one command, found a block", help: help)
    }
    let context = ExecutionContext(
      state: state, globals: globals, scope: scope, source: block.source, execution: execution,
      arguments: arguments, isBody: isBody, userInfo: userInfo)
    return try context.call(command, isOriginal: isOriginal)
  }

  /// Runs a command that a script defined; an error in it names this call.
  private func call(_ defined: DefinedCommand, _ command: CommandStatement) throws -> Value {
    let given = try givenArguments(of: command, to: defined)
    do {
      guard execution.enterCall() else { throw tooDeep() }
      return try run(defined, given)
    } catch var diagnostic as Diagnostic {
      let name = defined.definition.name.text
      if diagnostic.is(.tooDeep), diagnostic.calls.isEmpty,
        host.catalog.names.contains(name)
      {
        diagnostic.help = "'\(name)' is a definition here; 'command \(name)' runs the command"
      }
      diagnostic.noteCall("'\(name)' was called here", source: source, range: command.range)
      throw diagnostic
    }
  }

  /// The values of the first parameters.
  ///
  /// Words and expressions that are one argument each need no binder to find their parameters; it is
  /// there for all else, and for what is wrong.
  private func givenArguments(
    of command: CommandStatement, to defined: DefinedCommand
  ) throws -> [Value] {
    let parameters = defined.definition.parameters
    let count = command.arguments.count - 1
    var given: [Value] = []
    given.reserveCapacity(parameters.count)
    if command.hasOnlySingleValues, count >= defined.neededCount, count <= parameters.count {
      for index in 0..<count {
        let argument = command.arguments[index + 1]
        let value =
          switch argument {
          case .word(let word): try evaluator.value(of: word)
          default: try evaluator.literalValue(of: argument)
          }
        given.append(
          accepted(value, argument.text(in: source), of: parameters[index].name.text))
      }
      return given
    }
    let binder = ArgumentBinder(
      signature: defined.signature, source: source, catalog: host.catalog, context: self)
    let call = try binder.bind(command.arguments.dropFirst(), range: command.range)
    for parameter in parameters {
      let name = parameter.name.text
      guard let argument = call.given(name)?.first, let value = argument.value else { break }
      given.append(accepted(value, argument.text, of: name))
    }
    return given
  }

  /// The value that a parameter gets.
  ///
  /// A bare word keeps its letters, but `5` can be added to.
  private func accepted(
    _ value: Value, _ written: @autoclosure () -> String, of name: String
  ) -> Value {
    guard case .string(let text) = value, text == written() else {
      host.willBind(name, to: value)
      return value
    }
    let read = LiteralReader.roundTrippingValue(of: text)
    // A number that is not written as its value is still no text.
    if case .string = read, LiteralReader.value(of: text) == nil {
      host.willBind(name, to: value)
    }
    return read
  }

  private func run(_ defined: DefinedCommand, _ given: [Value]) throws -> Value {
    let place = execution.range
    defer {
      execution.leaveCall()
      execution.range = place
    }
    // The body sees the variables at the top level and its parameters, not those of the caller.
    let scope = Scope(parent: globals, isCall: true)
    for (index, parameter) in defined.definition.parameters.enumerated() {
      if index < given.count {
        scope.define(parameter.name.symbol, given[index])
      } else if let standard = parameter.standard {
        let value = try Evaluator(context: self, source: defined.source)
          .literalValue(of: standard)
        host.willBind(parameter.name.text, to: value)
        scope.define(parameter.name.symbol, value)
      }
    }
    let body = ExecutionContext(
      state: state, globals: globals, scope: scope, source: defined.source, execution: execution,
      arguments: self.arguments, isBody: isBody, userInfo: userInfo)
    switch try body.perform(defined.definition.block.statements) {
    case .returning(let value): return value
    default: return .null
    }
  }

  /// Refuses a redirection of nothing, where only running shows which command a name means.
  func refuseRedirectionOfNothing(_ command: CommandStatement) throws {
    guard let redirection = command.redirection else { return }
    if let symbol = command.symbol, state.meaning(of: symbol) != nil { return }
    if let refusal = command.refusal(of: redirection, in: source, host.catalog) {
      throw refusal.placed(at: redirection.range, in: source)
    }
  }

  /// Runs `body`, with its text going where the statement says.
  func redirected(_ syntax: RedirectionSyntax?, _ body: () throws -> Value) throws -> Value {
    guard let syntax else { return try body() }
    let programs = try syntax.programs.map { words in try words.flatMap { try texts(of: $0) } }
    if let empty = programs.firstIndex(where: { $0.isEmpty || $0[0].isEmpty }) {
      throw Diagnostic(
        .missingProgram, "the name of the program is empty", source: source,
        range: syntax.programs[empty].first?.range ?? syntax.range, phase: .running)
    }
    var file: Redirection.File?
    if let target = syntax.file {
      let words = try texts(of: target)
      guard words.count == 1, let path = words.first, !path.isEmpty else {
        throw Diagnostic(
          .missingFile, "expected the path of one file", source: source, range: target.range,
          phase: .running)
      }
      file = Redirection.File(path: path, isAppending: syntax.isAppending)
    }
    let redirection = Redirection(
      programs: programs, file: file, range: syntax.range, source: source)
    return try host.withRedirectedOutput(redirection, body)
  }

  private func texts(of argument: Argument) throws -> [String] {
    let value: Value
    switch argument {
    case .word(let word): value = try evaluator.value(of: word)
    default: value = try evaluator.literalValue(of: argument)
    }
    let values: [Value] = if case .list(let elements) = value { elements } else { [value] }
    return try values.map { value in
      if value.hasNull { throw evaluator.nullInText(argument.range, value) }
      return value.text
    }
  }
}
