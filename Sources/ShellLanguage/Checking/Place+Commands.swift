extension Place {
  func check(_ command: CommandStatement) {
    checkCall(command)
    warnOtherShells(command)
    if let redirection = command.redirection {
      refuse(redirection, after: command)
      check(redirection)
    }
  }

  func check(_ redirection: RedirectionSyntax?) {
    guard let redirection else { return }
    known.scripts.noteWriter(at: self)
    for word in redirection.programs.flatMap(\.self) { check(word) }
    if let file = redirection.file { check(file) }
  }

  /// Refuses a redirection after a command that prints nothing, and after `alias`, where it is not
  /// part of the alias.
  private func refuse(_ redirection: RedirectionSyntax, after command: CommandStatement) {
    var (meant, source) = (command, source)
    switch meaning(of: command) {
    case .alias(let expansion?): (meant, source) = (expansion.command, expansion.source)
    case .command(_, let call):
      guard call.signature.is(.definesAlias), command.arguments.count > 2 else { break }
      report(.badAlias, "an alias holds no '|' and no '>'", redirection.range)
    case .uncertain, .definition, .unknown, .alias(nil): return
    }
    if let refusal = meant.refusal(of: redirection, in: source, catalog) {
      report(refusal.page, refusal.message, redirection.range, help: refusal.help)
    }
  }

  /// Warns of words in backquotes, which other shells would run.
  private func warnOtherShells(_ command: CommandStatement) {
    guard command.arguments[0].bareText != "!",
      let argument = command.arguments.dropFirst().first(where: {
        $0.bareText.map { $0.utf8.first == UInt8(ascii: "`") && $0.count > 1 } == true
      })
    else { return }
    report(
      .otherShell, "'\(argument.bareText ?? "")' has no special meaning in opsh", argument.range,
      help: "'let NAME = !PROGRAM' keeps what a program prints; quoted, it is text",
      severity: .warning)
  }

  /// Checks a command; `isOriginal` says that it is the host's, whatever definition has its name.
  func checkCall(_ command: CommandStatement, isOriginal: Bool = false) {
    let arguments = command.arguments
    switch meaning(of: command, isOriginal: isOriginal) {
    case .uncertain(let name): check(uncertain: name, arguments)
    case .definition(let name, let signature):
      if name == definition, catalog.hasCommand(name) {
        report(
          .replacesCommand, "'\(name)' means the definition itself here", arguments[0].range,
          help: "'command \(name)' runs the command", severity: .warning)
      }
      let words = arguments.dropFirst()
      let binder = ArgumentBinder(
        signature: signature, source: source, catalog: catalog, context: nil)
      let bound = binder.examine(words, range: command.range)
      noteTexts(of: bound)
      check(words, bound, of: signature, command.range)
      noteCall(.definition(name), arguments[0].range)
    case .alias(let expansion?):
      inside(expansion).checkCall(expansion.command, isOriginal: expansion.isOriginal)
    case .alias(nil): break
    case .command(let resolved, let call):
      check(resolved.arguments, call, of: call.signature, command.range)
    case .unknown(let match):
      reportUnknown(match, arguments)
      for argument in arguments.dropFirst() { check(argument) }
    }
  }

  /// Checks a command of which it is not certain what its first word means: only its words.
  private func check(uncertain name: String, _ arguments: [Argument]) {
    var signature: CommandSignature?
    if case .command(let found, _) = catalog.lookup(arguments) { signature = found }
    if known.words.mayBeAlias(name) || signature?.is(.includesScript) == true {
      known.scripts.noteUnknown(at: self)
    }
    for argument in arguments.dropFirst() { check(argument, of: signature) }
    known.symbols.events.note(.wait)
    guard catalog.hasCommand(name) else { return }
    for namespace in facts?.namespaces.keys.sorted() ?? [] {
      known.symbols.make(
        SymbolTable.Declaration(namespace: namespace, name: .anything, place: self))
    }
    known.symbols.freesNames = true
    known.scripts.noteWriter(at: self)
  }

  private func reportUnknown(_ match: CommandCatalog.Match, _ arguments: [Argument]) {
    var diagnostic = Diagnostic.unknownCommand(
      match, arguments, catalog, definitions: Array(known.words.definitions.keys), source: source)
    if diagnostic.is(.unknownCommand), let name = arguments[0].bareText {
      if known.scripts.areUnknown || known.words.mayBeCommand(name, at: self) { return }
      if let later = known.words.later[name]?.name {
        let line = later.source.place(of: later.range.lower).line
        diagnostic.help =
          later.source.isSame(as: source)
          ? "it is defined further down, on line \(line)"
          : "it is defined later, on line \(line) of \(later.source.name)"
        diagnostic.labels.append(later.label("it is defined here"))
      }
    }
    add(diagnostic)
  }

  private func check(
    _ arguments: ArraySlice<Argument>, _ result: CommandCall,
    of signature: CommandSignature, _ range: SourceRange
  ) {
    for var problem in result.problems {
      if problem.is(.missingArgument), let help = helpForQueue(arguments, of: signature) {
        problem.help = help
      }
      add(problem)
    }
    if looksBack, var refusal = result.refusalToLookBack {
      refusal.phase = .checking
      add(refusal)
    }
    warnOfDoubtfulWords(result, signature)
    if signature.is(.definesAlias) { return define(alias: result, signature) }
    if signature.is(.removesAlias) { known.words.forget(aliases: arguments) }
    var own = arguments
    if let words = result.command, let first = words.first {
      own = arguments.dropLast(words.count)
      let place = with { $0.looksBack = looksBack || signature.is(.looksBack) }
      if case .block(let block) = first, words.count == 1 {
        if signature.is(.runsOriginal) || signature.is(.looksBack), block.statements.count != 1 {
          report(.expectedCommand, "expected one command, found a block", first.range)
        }
        place.check(first, of: signature)
      } else if let command = result.commandStatement {
        place.checkCall(command, isOriginal: signature.is(.runsOriginal))
      }
    }
    var call = result
    call.inheritedOptions = inheritsOptions || isLater ? nil : []
    call.enclosing = enclosing
    for argument in own where !hasContext(argument, signature, result) {
      guard case .block(let block) = argument else {
        check(argument, of: signature)
        continue
      }
      // What stands in a block that does not belong here was hardly meant as statements.
      let isRefused = result.problems.contains {
        $0.is(.unexpectedBlock) && $0.range.lower == block.range.lower
      }
      if isRefused { continue }
      let runsOnce = facts != nil && signature.command?.runsBlockOnce(call) == true
      with { $0.enclosing = runsOnce ? enclosing + [call] : [] }.check(
        block, of: signature, runsOnce: runsOnce)
    }
    if signature.is(.runsProgram) {
      // Those that are not ours may be the system shell's own.
      for text in arguments.compactMap(\.constant) { noteReads(in: text) }
    }
    noteNames(of: call, range)
    if !isAttempted { reportRefusals(of: call) }
    if signature.is(.waits) { known.symbols.events.note(.wait) }
    if let succession = signature.command?.succession(of: call) { check(succession, of: call) }
    noteConstants(in: arguments, of: signature, range)
    if signature.mayWrite { known.scripts.noteWriter(at: self) }
    checkWrittenExpressions(signature, result)
    if signature.is(.includesScript) { checkInclusion(signature, result, range) }
  }

  /// Checks the place of a call after which another session goes on, which has other names.
  private func check(_ succession: Succession, of call: CommandCall) {
    let isIncluded = known.main.map { !spot(call.range).source.isSame(as: $0) } ?? false
    if isInBlock || isLater || definition != nil || isIncluded || setting.isSourced {
      return report(
        .notAtTopLevel, "'\(call.signature.fullName)' must stand at the top level", call.range)
    }
    known.symbols.events.note(.succession)
    guard succession == .anew else { return scope.restoreAll() }
    warnUnused(except: known.later.reads)
    scope.removeAll()
  }

  /// Reports what the host would refuse in any case.
  private func reportRefusals(of call: CommandCall) {
    guard facts != nil, call.problems.isEmpty else { return }
    let isDefined = { known.scripts.areUnknown || known.words.has($0) }
    for var refusal in call.refusals(isDefined: isDefined) {
      refusal.phase = .checking
      add(refusal)
    }
  }

  /// Checks expressions that were given as words, which only the binder has read, and those in which
  /// bare words are properties.
  private func checkWrittenExpressions(
    _ signature: CommandSignature, _ result: CommandCall
  ) {
    for element in result.expressions {
      let context = propertyContext(signature, element.name)
      for bound in element.arguments {
        guard case .expression(let expression) = bound.content else { continue }
        let inner = with {
          if let own = expression.source { $0.source = own }
          $0.context = context
        }
        // What stands in parentheses has been looked at as every argument is.
        if context == nil, bound.text.hasPrefix("(") {
          if facts != nil { inner.refuseText(expression) }
        } else if facts != nil, result.problems.isEmpty {
          inner.check(condition: expression)
        } else {
          inner.check(expression)
        }
      }
    }
  }

  /// Returns what the bare words in an argument are properties of; nil for one that is evaluated as
  /// any.
  private func propertyContext(_ signature: CommandSignature, _ name: String) -> String? {
    guard facts != nil, case .condition(let namespace)? = signature.kind(of: name) else {
      return nil
    }
    return namespace
  }

  /// Returns whether the argument is an expression in which bare words are properties.
  private func hasContext(
    _ argument: Argument, _ signature: CommandSignature, _ result: CommandCall
  ) -> Bool {
    switch argument {
    case .expression(let written, _), .assignedExpression(_, let written, _):
      result.expressions.contains { element in
        propertyContext(signature, element.name) != nil
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

  func check(_ argument: Argument, of signature: CommandSignature? = nil) {
    switch argument {
    case .word(let word): check(word)
    case .expression(let expression, _): check(value: expression)
    case .assignedExpression(let word, let expression, _):
      check(word)
      check(value: expression)
    case .block(let block): check(block, of: signature, runsOnce: false)
    }
  }

  /// Checks the block of a command; `runsOnce` says that it runs where it stands.
  private func check(_ block: Block, of signature: CommandSignature?, runsOnce: Bool) {
    let given = signature?.blockVariables ?? []
    for name in given { known.note(name, is: .unknown) }
    let isBody = signature?.is(.blockIsBody) == true
    let inner = inBlock {
      // After an alias the words are in a text of their own, but not what stands in their blocks.
      $0.source = block.source
      $0.scope = VariableScope(parent: scope, isBoundary: isBody, given: Set(given))
      $0.isLater = true
      $0.isRepeated = true
      if !runsOnce { $0.isCertain = false }
      // What a handler or a body does is no part of the 'try' that it was written in.
      if isBody { $0.isAttempted = false } else { $0.readsLater = true }
      if given.contains("self") { $0.selfKind = selfKind(in: signature) }
    }
    inner.check(block.statements)
    inner.warnUnused()
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
