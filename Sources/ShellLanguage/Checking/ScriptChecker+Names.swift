extension ScriptChecker {
  /// Notes which names a call creates and which it uses.
  func noteNames(of call: CheckedCall, _ range: SourceRange) {
    guard let facts else { return }
    // A call does not find what it creates itself.
    if attemptDepth == 0 { noteUses(call) }
    if let command = call.signature.command {
      noteCreated(command.names(createdBy: call), call, range, facts)
    }
    if call.signature.is(.removesNames) { noteRemoved(call, range) }
  }

  private func noteRemoved(_ call: CheckedCall, _ range: SourceRange) {
    symbols.freesNames = true
    guard isCertain, certainRepeatDepth == 0, !keepsGoing else { return }
    for parameter in call.signature.names {
      for (name, _) in call.written(named: parameter.parameter) {
        symbols.remove(
          name, in: parameter.namespace, at: SymbolTable.Place(range: range, source: source))
      }
    }
  }

  private func noteCreated(
    _ names: [CreatedName], _ call: CheckedCall, _ range: SourceRange, _ facts: HostFacts
  ) {
    let isLasting = names.allSatisfy { facts.namespaces[$0.namespace]?.isLasting == true }
    for name in names {
      let isOnly = names.filter { $0.namespace == name.namespace }.count == 1
      symbols.make(
        name.namespace, name.extent, statement: statementNumber, isRepeated: repeatDepth > 0,
        place: isOnly ? certainPlace(of: name.extent, call.binding) : nil, isLasting: isLasting,
        isInLoop: certainRepeatDepth > 0,
        statementPlace: SymbolTable.Place(range: range, source: source))
    }
  }

  /// Whether a statement at the place certainly runs, once or in each turn of a loop.
  private var isCertain: Bool {
    attemptDepth == 0 && conditionDepth == 0 && aliasDepth == 0
      && repeatDepth - blocksAtOnce == certainRepeatDepth && laterDepth == blocksAtOnce
  }

  /// Notes that a body runs here.
  func noteCall(_ body: NameEvents.Body, _ range: SourceRange) {
    symbols.noteOther()
    symbols.nameEvents.note(
      .call(body, isCertain ? SymbolTable.Place(range: range, source: source) : nil))
  }

  /// Whether an argument is a block that runs where it stands, once.
  func runsOnce(_ argument: Argument, _ call: CheckedCall) -> Bool {
    guard case .block = argument, facts != nil else { return false }
    return call.signature.command?.runsBlockOnce(call) == true
  }

  /// Where a name is given that a statement makes each time it runs, and it does so, once or in each
  /// turn of a loop.
  private func certainPlace(
    of made: CreatedName.Extent, _ result: ArgumentBinder.Result
  ) -> SymbolTable.Place? {
    guard case .exact(let name) = made, isCertain else { return nil }
    return result.arguments.flatMap(\.arguments).filter { $0.value?.isText(name) == true }
      .min { $0.range.lower < $1.range.lower }
      .map { SymbolTable.Place(range: $0.range, source: source) }
  }

  private func noteUses(_ call: CheckedCall) {
    guard let facts else { return }
    for parameter in call.signature.names {
      guard let namespace = facts.namespaces[parameter.namespace] else { continue }
      for argument in call.given(parameter.parameter) ?? [] {
        guard case .value(.string(let text)) = argument.content else { continue }
        for name in text.split(separator: ",").map(String.init) {
          guard !parameter.otherWords.contains(name) else { continue }
          if namespace.isImpossible(name) {
            let what = parameter.namespace
            let shown = Int(name) == nil ? "'\(name)'" : name
            report(
              Self.unknown(what), "there is no \(what) \(shown)", argument.range,
              help: namespace.helpForLiteral(name))
          }
          guard namespace.isName(name) else { continue }
          noteUse(
            [parameter.namespace], name, argument.range,
            isQuestion: call.signature.is(.inspects), command: call.signature.name,
            isDeferred: call.signature.is(.awaitsNames))
        }
      }
    }
  }

  /// Notes that a bare word before a dot names an operation or a queue.
  func noteObject(_ name: String, _ range: SourceRange, in scope: CheckedScope) {
    guard let facts, attemptDepth == 0, name.utf8.first?.isLetter == true else { return }
    if let context = expressionContext, facts.properties(of: context)?[name] != nil { return }
    if name == "last" { return }
    // A variable of that name is suggested, which counts as reading it.
    let isVariable = name == "env" || scope.read(name)
    noteUse(Array(facts.namespaces.keys), name, range, isVariable: isVariable)
  }

  private func noteUse(
    _ namespaces: [String], _ name: String, _ range: SourceRange, isQuestion: Bool = true,
    command: String? = nil, isVariable: Bool = false, isDeferred: Bool = false
  ) {
    let use = SymbolTable.Use(
      namespaces: namespaces, name: name, range: range, source: source,
      statement: statementNumber, isDeferred: isDeferred || laterDepth > 0,
      isRepeated: repeatDepth > 0, isQuestion: isQuestion,
      command: command, isVariable: isVariable)
    if names == .all, !hasUnknownNames, let place = symbols.removal(of: use) {
      report(
        Self.unknown(namespaces[0]), "there is no \(namespaces[0]) '\(name)' any more", range,
        labels: [.init("it is removed here", source: place.source, range: place.range)],
        help: facts?.namespaces[namespaces[0]]?.help)
    }
    symbols.use(use)
  }

  /// Reports names that are given twice.
  func reportTakenNames() {
    guard names != .none, !hasUnknownNames else { return }
    for reuse in symbols.reused() {
      let (first, second, name) = (reuse.first, reuse.second, reuse.name)
      let isLoop = first.range == second.range && first.source.isSame(as: second.source)
      diagnostics.append(
        Diagnostic(
          reuse.isCertain ? .badName : .reusedName,
          reuse.isCertain
            ? "the name '\(name)' is taken"
            : "the name '\(name)' is used again, and nothing waits for the operation that has it",
          source: second.source, range: second.range,
          labels: [
            .init(
              isLoop ? "each turn uses it again" : "it is used here", source: first.source,
              range: first.range)
          ],
          help: reuse.isCertain
            ? "choose another name" : "'wait \(name)' in between, or choose another name",
          severity: reuse.isCertain ? .error : .warning))
    }
  }

  /// Reports the names that nothing makes.
  func reportImpossibleNames() {
    guard let facts, names != .none else { return }
    for (use, near, later, isMistake) in symbols.impossible(
      existing: facts.namespaces.mapValues(\.names))
    where isMistake || names == .all {
      // A file that cannot be read here may make any name for what runs after it.
      if let unknownFrom, use.isDeferred || use.statement >= unknownFrom { continue }
      let isObject = use.namespaces.count > 1
      let what = isObject ? "name" : use.namespaces.first ?? "name"
      let subject = isObject ? "nothing is named" : "there is no \(what)"
      diagnostics.append(
        Diagnostic(
          Self.unknown(what),
          "\(subject) '\(use.name)'"
            + (later.map { Self.createdLater($0, than: use) } ?? "; this script never creates it"),
          source: use.source, range: use.range,
          help: helpForOther(use) ?? later.map { _ in "use it after the statement that creates it" }
            ?? Expression.BinaryOperator.help(forArgument: use.name)
            ?? Spelling.help(near) ?? facts.namespaces[what]?.help,
          severity: isMistake ? .error : .warning))
    }
  }

  /// Reports the patterns of `count of` that no name can fit, wherever its operation is built.
  func reportImpossiblePatterns() {
    guard let facts, names != .none, !hasUnknownNames else { return }
    let namespace = OperationSelection.namespace
    let existing = facts.namespaces[namespace]?.names ?? []
    var possible: [String: Bool] = [:]
    for (written, range, source) in countedPatterns {
      let pattern = GlobPattern(written)
      let isPossible =
        possible[written]
        ?? (symbols.canMake(matching: pattern, in: namespace)
          || existing.contains(where: pattern.matches))
      possible[written] = isPossible
      if isPossible { continue }
      diagnostics.append(
        Diagnostic(
          .unknownOperation, "no operation's name can match '\(written)'", source: source,
          range: range, help: facts.namespaces[namespace]?.help))
    }
  }

  /// The error for a name of something that does not exist.
  private static func unknown(_ what: String) -> ErrorPage {
    ["operation": .unknownOperation, "queue": .unknownQueue][what] ?? .unknownName
  }

  /// Where a name is created after it is used.
  private static func createdLater(
    _ place: SymbolTable.Place, than use: SymbolTable.Use
  ) -> String {
    let isSame = place.source.isSame(as: use.source)
    if isSame, place.range.lower <= use.range.lower, use.range.upper <= place.range.upper {
      return " yet; this statement creates it"
    }
    let line = place.source.place(of: place.range.lower).line
    let file = isSame ? "" : " of \(place.source.name)"
    return " yet; it is created only later, at line \(line)\(file)"
  }

  /// What to do where the name is that of something else: a variable, or a queue.
  private func helpForOther(_ use: SymbolTable.Use) -> String? {
    let name = use.name
    if use.isVariable { return "did you mean '$\(name)'?" }
    guard use.namespaces == ["operation"], let command = use.command,
      facts?.has(name, in: "queue") == true || symbols.makes(name, in: "queue")
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

extension ErrorPage {
  package static let unknownOperation = ErrorPage(
    "unknown-operation", "There is no such operation",
    """
    An operation is named by its id, its name, ids such as 3-7, a pattern such as \
    questions-*, 'last', 'all' or a variable. A pattern that matches nothing is an error too.
    """,
    wrong: "fetch questions\nwait question-1", right: "fetch questions\nwait questions-1")

  package static let unknownQueue = ErrorPage(
    "unknown-queue", "There is no such queue",
    "The queues are network, system, main, quotes, those of 'queue new', and those of groups.",
    wrong: "queue new slow\nqueue pause slwo", right: "queue new slow\nqueue pause slow")

  static let reusedName = ErrorPage(
    "reused-name", "A name is used again, and nothing waits in between",
    """
    A name is taken as long as its operation is unfinished. Where no statement between two uses \
    waits, the second may come too early, and then it is refused.
    """,
    wrong: "delay 1ms --name a\ndelay 2ms --name a",
    right: "delay 1ms --name a\nwait a\ndelay 2ms --name a", proof: .warning)
}
