extension ScriptChecker {
  /// Notes which names a call makes and which it uses.
  func noteNames(
    of signature: CommandSignature, _ traits: CommandTraits, _ result: ArgumentBinder.Result
  ) {
    guard traits.makesNames || traits.usesNames || traits.freesNames, let facts else { return }
    // What a call makes it does not find yet.
    if traits.usesNames, attemptDepth == 0 { noteUses(signature, traits, result) }
    if traits.makesNames { noteMade(signature, result, facts) }
    if traits.freesNames { ledger.freesNames = true }
  }

  private func noteMade(
    _ signature: CommandSignature, _ result: ArgumentBinder.Result, _ facts: HostFacts
  ) {
    let made = facts.names(
      HostFacts.Call(
        signature: signature, positionals: result.positionals, options: result.options))
    for (namespace, name) in made {
      let isOnly = made.filter { $0.namespace == namespace }.count == 1
      ledger.make(
        namespace, name, statement: statementNumber, isRepeated: repeatDepth > 0,
        place: isOnly ? certainPlace(of: name, result) : nil,
        isLasting: made.allSatisfy { facts.lasting.contains($0.namespace) },
        isInLoop: certainRepeatDepth > 0)
    }
  }

  /// Whether a statement at the place certainly runs, once or in each turn of a loop.
  private var isCertain: Bool {
    attemptDepth == 0 && conditionDepth == 0 && aliasDepth == 0
      && repeatDepth - blocksAtOnce == certainRepeatDepth && laterDepth == blocksAtOnce
  }

  /// Notes that a body runs here.
  func noteCall(_ body: NameCourse.Body, _ range: SourceRange) {
    ledger.course.note(
      .call(body, isCertain ? NameLedger.Place(range: range, source: source) : nil))
  }

  /// Whether an argument is a block that runs where it stands, once.
  func runsAtOnce(
    _ argument: Argument, _ signature: CommandSignature, _ result: ArgumentBinder.Result
  ) -> Bool {
    guard case .block = argument, let facts else { return false }
    return facts.runsBlockAtOnce(
      HostFacts.Call(
        signature: signature, positionals: result.positionals, options: result.options))
  }

  /// Where a name is given that a statement makes each time it runs, and it does so, once or in each
  /// turn of a loop.
  private func certainPlace(
    of made: HostFacts.MadeName, _ result: ArgumentBinder.Result
  ) -> NameLedger.Place? {
    guard case .exact(let name) = made, isCertain else { return nil }
    for bound in [result.positionals, result.options] {
      for element in bound {
        guard let given = element.arguments.first(where: { $0.value?.isText(name) == true }) else {
          continue
        }
        return NameLedger.Place(range: given.range, source: source)
      }
    }
    return nil
  }

  private func noteUses(
    _ signature: CommandSignature, _ traits: CommandTraits, _ result: ArgumentBinder.Result
  ) {
    for taken in traits.namePositionals {
      use(result.positionals[taken.argument] ?? [], taken.namespace, signature)
    }
    for taken in traits.nameOptions {
      use(result.options[taken.argument] ?? [], taken.namespace, signature)
    }
  }

  private func use(
    _ arguments: [BoundArgument], _ namespace: String, _ signature: CommandSignature
  ) {
    guard let facts, facts.existing[namespace] != nil else { return }
    for argument in arguments {
      guard case .value(.string(let text)) = argument.content else { continue }
      for name in text.split(separator: ",") {
        guard let first = name.utf8.first, first.isLetter, !GlobPattern.isPattern(String(name)),
          !facts.isNoName(signature, String(name))
        else { continue }
        noteUse(
          [namespace], String(name), argument.range,
          isQuestion: Self.questions.contains(signature.name), command: signature.name)
      }
    }
  }

  /// Notes that a bare word before a dot names an operation or a queue.
  func noteObject(_ name: String, _ range: SourceRange, in scope: CheckedScope) {
    guard let facts, attemptDepth == 0, name.utf8.first?.isLetter == true else { return }
    if let context = expressionContext, facts.shape(context)?[name] != nil { return }
    if name == "last" { return }
    // Where it was meant that is told, which is as good as reading it.
    let isVariable = name == "env" || scope.read(name)
    noteUse(Array(facts.existing.keys), name, range, isVariable: isVariable)
  }

  /// The commands that only ask: a script that makes nothing and asks for something is most likely
  /// there to see what the answer is.
  private static let questions: Set<String> = [
    "show", "why", "result", "log", "follow", "deps", "tree", "ops", "stats", "events", "queue",
  ]

  private func noteUse(
    _ namespaces: [String], _ name: String, _ range: SourceRange, isQuestion: Bool = true,
    command: String? = nil, isVariable: Bool = false
  ) {
    ledger.use(
      NameLedger.Use(
        namespaces: namespaces, name: name, range: range, source: source,
        statement: statementNumber, isDeferred: laterDepth > 0, isQuestion: isQuestion,
        command: command, isVariable: isVariable))
  }

  /// Reports names that are given twice.
  func reportTakenNames() {
    guard names != .none, !hasUnknownNames else { return }
    for reuse in ledger.reused() {
      let (first, second, name) = (reuse.first, reuse.second, reuse.name)
      let isLoop = first.range == second.range && first.source.isSame(as: second.source)
      diagnostics.append(
        Diagnostic(
          severity: reuse.isCertain ? .error : .warning,
          code: reuse.isCertain ? "bad-name" : "reused-name",
          message: reuse.isCertain
            ? "the name '\(name)' is taken"
            : "the name '\(name)' is used again, and nothing waits for the operation that has it",
          source: second.source, range: second.range,
          labels: [
            .init(
              isLoop ? "each turn uses it again" : "it is used here", source: first.source,
              range: first.range)
          ],
          help: reuse.isCertain
            ? "choose another name" : "'wait \(name)' in between, or choose another name"))
    }
  }

  /// Reports the names that nothing makes.
  func reportImpossibleNames() {
    guard let facts, names != .none else { return }
    for (use, near, isMistake) in ledger.impossible(existing: facts.existing)
    where isMistake || names == .all {
      // A file that cannot be read here may make any name for what runs behind it.
      if let unknownFrom, use.isDeferred || use.statement >= unknownFrom { continue }
      let isObject = use.namespaces.count > 1
      let what = isObject ? "name" : use.namespaces.first ?? "name"
      diagnostics.append(
        Diagnostic(
          severity: isMistake ? .error : .warning, code: "unknown-\(what)",
          message: isObject
            ? "nothing is named '\(use.name)', and no statement makes it"
            : "there is no \(what) '\(use.name)', and no statement makes it",
          source: use.source, range: use.range,
          help: helpForOther(use) ?? Spelling.help(near) ?? helpForUnknown(what)))
    }
  }

  private func helpForUnknown(_ what: String) -> String? {
    switch what {
    case "queue": "'queue new NAME' makes one"
    case "operation": "'--name' gives an operation its name"
    default: nil
    }
  }

  /// What to do where the name is that of something else: a variable, or a queue.
  private func helpForOther(_ use: NameLedger.Use) -> String? {
    let name = use.name
    if use.isVariable { return "did you mean '$\(name)'?" }
    guard use.namespaces == ["operation"], let command = use.command,
      facts?.existing["queue"]?.contains(name) == true || ledger.makes(name, in: "queue")
    else { return nil }
    for path in [[command, "queue"], ["queue", command]] where catalog.signature(at: path) != nil {
      return "'\(name)' is a queue: \(path.joined(separator: " ")) \(name)"
    }
    return "'\(name)' is a queue; expected the name of an operation"
  }
}

extension Value {
  /// Whether it reads as a name.
  fileprivate func isText(_ name: String) -> Bool {
    switch self {
    case .string(let text): text == name
    // Names begin with a letter, and numbers do not; to write them out takes long.
    case .integer, .real, .duration, .size, .percent: false
    default: text == name
    }
  }
}
