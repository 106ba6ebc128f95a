extension ScriptWalk {
  mutating func check(_ command: CommandStatement, at place: Place) {
    checkCall(command, at: place)
    warnOtherShells(command, at: place)
    if let redirection = command.redirection {
      refuse(redirection, after: command, at: place)
      check(redirection, at: place)
    }
  }

  mutating func check(_ redirection: RedirectionSyntax?, at place: Place) {
    guard let redirection else { return }
    scripts.noteWriter(at: place)
    for word in redirection.programs.flatMap(\.self) { check(word, at: place) }
    if let file = redirection.file { check(file, at: place) }
  }

  /// Refuses a redirection after a command that prints nothing, and after `alias`, where it is not
  /// part of the alias.
  private mutating func refuse(
    _ redirection: RedirectionSyntax, after command: CommandStatement, at place: Place
  ) {
    var (meant, source) = (command, place.source)
    switch meaning(of: command, at: place) {
    case .alias(let expansion?): (meant, source) = (expansion.command, expansion.source)
    case .command(let signature, _):
      guard signature.is(.definesAlias), command.arguments.count > 2 else { break }
      report(.badAlias, "an alias holds no '|' and no '>'", redirection.range, at: place)
    case .uncertain, .definition, .unknown, .alias(nil): return
    }
    if let refusal = meant.refusal(of: redirection, in: source, catalog) {
      report(refusal.page, refusal.message, redirection.range, at: place, help: refusal.help)
    }
  }

  /// Warns of words in backquotes, which other shells would run.
  private mutating func warnOtherShells(_ command: CommandStatement, at place: Place) {
    guard command.arguments[0].bareText != "!",
      let argument = command.arguments.dropFirst().first(where: {
        $0.bareText.map { $0.utf8.first == UInt8(ascii: "`") && $0.count > 1 } == true
      })
    else { return }
    report(
      .otherShell, "'\(argument.bareText ?? "")' has no special meaning in opsh", argument.range,
      at: place, help: "'let NAME = !PROGRAM' keeps what a program prints; quoted, it is text",
      severity: .warning)
  }

  /// Checks a command; `isOriginal` says that it is the host's, whatever definition has its name.
  mutating func checkCall(
    _ command: CommandStatement, at place: Place, isOriginal: Bool = false
  ) {
    let arguments = command.arguments
    switch meaning(of: command, at: place, isOriginal: isOriginal) {
    case .uncertain(let name): check(uncertain: name, arguments, at: place)
    case .definition(let name, let signature):
      if name == place.definition, catalog.hasCommand(name) {
        report(
          .replacesCommand, "'\(name)' means the definition itself here", arguments[0].range,
          at: place, help: "'command \(name)' runs the command", severity: .warning)
      }
      let words = arguments.dropFirst()
      let binder = ArgumentBinder(
        signature: signature, source: place.source, catalog: catalog, context: nil)
      let bound = binder.examine(words, range: command.range)
      noteTexts(of: bound)
      check(words, bound, of: signature, command.range, at: place)
      noteCall(.definition(name), arguments[0].range, at: place)
    case .alias(let expansion?):
      checkCall(
        expansion.command, at: place.inside(expansion), isOriginal: expansion.isOriginal)
    case .alias(nil): break
    case .command(let signature, let resolved):
      check(resolved.arguments, resolved.binding, of: signature, command.range, at: place)
    case .unknown(let match):
      reportUnknown(match, arguments, at: place)
      for argument in arguments.dropFirst() { check(argument, at: place) }
    }
  }

  /// Checks a command of which it is not certain what its first word means: only its words.
  private mutating func check(uncertain name: String, _ arguments: [Argument], at place: Place) {
    var signature: CommandSignature?
    if case .command(let known, _) = catalog.lookup(arguments) { signature = known }
    if words.mayBeAlias(name) || signature?.is(.includesScript) == true {
      scripts.noteUnknown(at: place)
    }
    for argument in arguments.dropFirst() { check(argument, at: place, of: signature) }
    symbols.events.note(.wait)
    guard catalog.hasCommand(name) else { return }
    for namespace in facts?.namespaces.keys.sorted() ?? [] {
      symbols.make(SymbolTable.Declaration(namespace, .anything, at: place))
    }
    symbols.freesNames = true
    scripts.noteWriter(at: place)
  }

  private mutating func reportUnknown(
    _ match: CommandCatalog.Match, _ arguments: [Argument], at place: Place
  ) {
    var diagnostic = Diagnostic.unknownCommand(
      match, arguments, catalog, definitions: Array(words.definitions.keys), source: place.source)
    if diagnostic.is(.unknownCommand), let name = arguments[0].bareText {
      if scripts.areUnknown || words.mayBeCommand(name, at: place) { return }
      if let later = words.later[name]?.name {
        let line = later.source.place(of: later.range.lower).line
        diagnostic.help =
          later.source.isSame(as: place.source)
          ? "it is defined further down, on line \(line)"
          : "it is defined later, on line \(line) of \(later.source.name)"
        diagnostic.labels.append(later.label("it is defined here"))
      }
    }
    add(diagnostic, at: place)
  }

  private mutating func check(
    _ arguments: ArraySlice<Argument>, _ result: ArgumentBinder.Result,
    of signature: CommandSignature, _ range: SourceRange, at place: Place
  ) {
    for problem in result.problems { add(problem, at: place) }
    warnOfDoubtfulWords(result, signature, at: place)
    if signature.is(.definesAlias) { return define(alias: result, signature, at: place) }
    if signature.is(.removesAlias) { words.forget(aliases: arguments) }
    var own = arguments
    if let words = result.command, let first = words.first {
      own = arguments.dropLast(words.count)
      if case .block(let block) = first, words.count == 1 {
        if signature.is(.runsOriginal), block.statements.count != 1 {
          report(.expectedCommand, "expected one command, found a block", first.range, at: place)
        }
        check(first, at: place, of: signature)
      } else if let command = result.commandStatement {
        checkCall(command, at: place, isOriginal: signature.is(.runsOriginal))
      }
    }
    var call = CheckedCall(
      signature: signature, binding: result,
      inheritsOptions: place.inheritsOptions || place.isLater)
    call.enclosing = place.enclosing
    for argument in own where !hasContext(argument, signature, result) {
      guard case .block(let block) = argument else {
        check(argument, at: place, of: signature)
        continue
      }
      // What stands in a block that does not belong here was hardly meant as statements.
      let isRefused = result.problems.contains {
        $0.is(.unexpectedBlock) && $0.range.lower == block.range.lower
      }
      if isRefused { continue }
      let runsOnce = facts != nil && signature.command?.runsBlockOnce(call) == true
      check(
        block, of: signature, runsOnce: runsOnce,
        at: place.with { $0.enclosing = runsOnce ? place.enclosing + [call] : [] })
    }
    if signature.is(.runsProgram) {
      // Those that are not ours may be the system shell's own.
      for text in arguments.compactMap(\.constant) { noteReads(in: text, at: place) }
    }
    noteNames(of: call, range, at: place)
    if !place.isAttempted { reportMistakes(of: call, range, at: place) }
    if signature.is(.waits) { symbols.events.note(.wait) }
    noteConstants(in: arguments, of: signature, range, at: place)
    if signature.mayWrite { scripts.noteWriter(at: place) }
    checkWrittenExpressions(signature, result, at: place)
    if signature.is(.includesScript) { checkInclusion(signature, result, range, at: place) }
  }

  /// Reports what the host would refuse in any case.
  private mutating func reportMistakes(
    of call: CheckedCall, _ range: SourceRange, at place: Place
  ) {
    guard facts != nil, let command = call.signature.command, call.binding.problems.isEmpty
    else { return }
    for mistake in command.mistakes(in: call) + command.optionMistakes(in: call) {
      if let name = mistake.definable, scripts.areUnknown || words.has(name) { continue }
      let bound = call.given(mistake.parameter) ?? []
      let range = mistake.index < bound.count ? bound[mistake.index].range : range
      report(mistake.page, mistake.message, range, at: place, help: mistake.help)
    }
  }

  /// Checks expressions that were given as words, which only the binder has read, and those in which
  /// bare words are properties.
  private mutating func checkWrittenExpressions(
    _ signature: CommandSignature, _ result: ArgumentBinder.Result, at place: Place
  ) {
    for element in result.expressions {
      let context = context(signature, element.name)
      for bound in element.arguments {
        guard case .expression(let expression) = bound.content else { continue }
        let inner = place.with {
          if let own = expression.source { $0.source = own }
          $0.context = context
        }
        // What stands in parentheses has been looked at as every argument is.
        if context == nil, bound.text.hasPrefix("(") {
          if facts != nil { refuseText(expression, at: inner) }
        } else if facts != nil, result.problems.isEmpty {
          check(condition: expression, at: inner)
        } else {
          check(expression, at: inner)
        }
      }
    }
  }

  /// Returns what the bare words in an argument are properties of; nil for one that is evaluated as
  /// any.
  private func context(_ signature: CommandSignature, _ name: String) -> String? {
    guard facts != nil, case .condition(let namespace)? = signature.kind(of: name) else {
      return nil
    }
    return namespace
  }

  /// Returns whether the argument is an expression in which bare words are properties.
  private func hasContext(
    _ argument: Argument, _ signature: CommandSignature, _ result: ArgumentBinder.Result
  ) -> Bool {
    switch argument {
    case .expression(let written, _), .assignedExpression(_, let written, _):
      result.expressions.contains { element in
        context(signature, element.name) != nil
          && element.arguments.contains { bound in
            if case .expression(let expression) = bound.content {
              expression === written
            } else {
              false
            }
          }
      }
    case .word, .block: false
    }
  }

  mutating func check(
    _ argument: Argument, at place: Place, of signature: CommandSignature? = nil
  ) {
    switch argument {
    case .word(let word): check(word, at: place)
    case .expression(let expression, _): check(value: expression, at: place)
    case .assignedExpression(let word, let expression, _):
      check(word, at: place)
      check(value: expression, at: place)
    case .block(let block): check(block, of: signature, runsOnce: false, at: place)
    }
  }

  /// Checks the block of a command; `runsOnce` says that it runs where it stands.
  private mutating func check(
    _ block: Block, of signature: CommandSignature?, runsOnce: Bool, at place: Place
  ) {
    let given = signature?.blockVariables ?? []
    for name in given { note(name, is: .unknown) }
    let isBody = signature?.is(.blockIsBody) == true
    let inner = place.inBlock {
      // After an alias the words are in a text of their own, but not what stands in their blocks.
      $0.source = block.source
      $0.scope = VariableScope(parent: place.scope, isBoundary: isBody, given: Set(given))
      $0.isLater = true
      $0.isRepeated = true
      if !runsOnce { $0.isCertain = false }
      // What a handler or a body does is no part of the 'try' that it was written in.
      if isBody { $0.isAttempted = false } else { $0.readsLater = true }
      if given.contains("self") { $0.selfKind = selfKind(in: signature) }
    }
    check(block.statements, at: inner)
    warnUnused(inner.scope, of: block.source)
  }

  /// Returns what `$self` is in the block of a command: its operation, or what it watches.
  private func selfKind(in signature: CommandSignature?) -> StaticKind {
    if signature?.is(.blockIsBody) == true { return .object("operation") }
    guard case .name(let namespace)? = signature?.positionals.first?.kind,
      facts?.properties(of: namespace) != nil
    else { return .unknown }
    return .object(namespace)
  }
}
