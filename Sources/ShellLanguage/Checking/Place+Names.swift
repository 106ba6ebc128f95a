extension Place {
  /// Notes the names that a call uses, creates and removes.
  func noteNames(of call: CommandCall, _ range: SourceRange) {
    guard let facts else { return }
    // A call does not find what it creates itself.
    if !isAttempted { noteUses(call, facts) }
    if let command = call.signature.command {
      noteCreated(command.names(createdBy: call), call, range, facts)
    }
    if call.signature.is(.removesNames) { known.symbols.freesNames = true }
  }

  private func noteCreated(
    _ names: [CreatedName], _ call: CommandCall, _ range: SourceRange, _ facts: HostFacts
  ) {
    let isLasting = names.allSatisfy { facts.namespaces[$0.namespace]?.isLasting == true }
    for name in names {
      var declaration = SymbolTable.Declaration(
        namespace: name.namespace, name: name.extent, place: self, isLasting: isLasting,
        statementSpot: spot(range))
      if isCertain, case .exact(let text) = name.extent,
        names.filter({ $0.namespace == name.namespace }).count == 1
      {
        declaration.spot = call.arguments.flatMap(\.arguments).filter {
          $0.value?.isText(text) == true
        }.min { $0.range.lower < $1.range.lower }.map { spot($0.range) }
      }
      known.symbols.make(declaration)
    }
  }

  /// Notes that a body runs here.
  func noteCall(_ body: NameEvents.Body, _ range: SourceRange) {
    known.symbols.events.note(.call(body, isCertain ? spot(range) : nil))
  }

  private func noteUses(_ call: CommandCall, _ facts: HostFacts) {
    for parameter in call.signature.names {
      let what = parameter.namespace
      guard let namespace = facts.namespaces[what] else { continue }
      for argument in call.given(parameter.parameter) ?? [] {
        guard case .value(.string(let text)) = argument.content else { continue }
        for name in text.split(separator: ",").map(String.init)
        where !parameter.otherWords.contains(name) {
          if namespace.isImpossible(name) {
            report(
              Self.unknown(what), "there is no \(what) \(Int(name) == nil ? "'\(name)'" : name)",
              argument.range, help: namespace.helpForLiteral(name))
          }
          guard namespace.isName(name) else { continue }
          known.symbols.use(
            SymbolTable.Use(
              namespaces: [what], name: name, range: argument.range, place: self,
              isQuestion: call.signature.is(.inspects), command: call.signature.name,
              isDeferred: isLater || call.signature.is(.awaitsNames)))
        }
      }
    }
  }

  /// Notes that a bare word before a dot names an operation or a queue.
  func noteObject(_ name: String, _ range: SourceRange) {
    guard let facts, !isAttempted, name.utf8.first?.isLetter == true, name != "last",
      context.flatMap(facts.properties)?[name] == nil
    else { return }
    // A variable of that name is suggested, which counts as reading it.
    known.symbols.use(
      SymbolTable.Use(
        namespaces: facts.namespaces.keys.sorted(), name: name, range: range, place: self,
        isVariable: name == "env" || scope.read(name), isDeferred: isLater))
  }

  /// Checks the lone name in `${name}` or before `??`, which is a variable.
  func checkName(_ name: String, _ range: SourceRange) {
    if scope.read(name) || name == "env" || known.scripts.areUnknown { return }
    if let context = context {
      // Nothing is known of the elements of a list.
      guard let properties = facts?.properties(of: context) else { return }
      if properties[name] != nil { return }
    }
    if isReadLater(name) { return }
    reportUndefined(name, range, help: helpForName(name))
  }

  /// Returns whether the name is that of an operation, or looks like one that a counter makes.
  func isOperation(_ word: String) -> Bool {
    facts?.has(word, in: "operation") == true || word == "last" || word.isNumberedName
  }

  /// Returns whether an operation or a queue certainly has the name, as far as the script was looked
  /// at.
  func isObject(_ name: String) -> Bool {
    isOperation(name) || facts?.has(name, in: "queue") == true
      || ["operation", "queue"].contains { known.symbols.names(in: $0).contains(name) }
  }

  private func helpForName(_ name: String) -> String {
    if isObject(name) {
      return "for an operation or a queue write one of its properties: ${\(name).name}"
    }
    if catalog.collections.contains(name) { return helpForCollection(name) }
    if name.contains("??") { return "an operator stands between white space: ' ?? '" }
    return Spelling.help(for: name, among: scope.visibleNames) ?? Self.environmentHelp(name)
      ?? "'${name}' inserts a variable; for text, omit '${ }'"
  }

  /// Checks the name in `${name.property}`: an operation's, a queue's or a variable's.
  func checkReference(_ name: String, _ range: SourceRange) {
    if name == "env" { return }
    guard scope.read(name) || (isLater && known.later[name] != nil) else {
      return noteObject(name, range)
    }
    known.later.read(name)
    let order = isLater ? 0 : known.symbols.declarations.count
    if isAttempted { return }
    known.whenKnown { reportAmbiguous(name, range, madeBefore: order) }
  }

  /// Reports a name in `${name.property}` that a variable has, and certainly an operation or a queue.
  private func reportAmbiguous(_ name: String, _ range: SourceRange, madeBefore order: Int) {
    guard setting.names != .none,
      let kind = ["operation", "queue"].first(where: {
        facts?.has(name, in: $0) == true
          || known.symbols.certainlyMakes(name, in: $0, before: order)
      })
    else { return }
    report(
      .ambiguousName, "'\(name)' is a variable and \(kind == "queue" ? "a" : "an") \(kind)", range,
      help: Diagnostic.helpForBoth(name, kind))
  }

  /// Reports a pattern of `count of` that no name can fit, wherever its operation is built.
  func reportImpossible(pattern written: String, _ range: SourceRange) {
    guard setting.names != .none else { return }
    let namespace = facts?.namespaces[OperationSelection.namespace]
    let pattern = GlobPattern(written)
    guard !known.symbols.canMake(matching: pattern, in: OperationSelection.namespace),
      namespace?.names.contains(where: pattern.matches) != true
    else { return }
    report(
      .unknownOperation, "no operation's name can match '\(written)'", range, help: namespace?.help)
  }

  /// Reports names that are given twice.
  func reportTakenNames() {
    guard setting.names != .none, !known.scripts.areUnknown else { return }
    for reuse in known.symbols.events.reused(
      known.symbols.declarations, freesNames: known.symbols.freesNames)
    {
      let (name, isCertain) = (reuse.name, reuse.isCertain)
      let isLoop = reuse.first.isSame(as: reuse.second)
      known.findings.append(
        Diagnostic(
          isCertain ? .badName : .reusedName,
          isCertain
            ? "the name '\(name)' is taken"
            : "the name '\(name)' is used again, and nothing waits for the operation that has it",
          source: reuse.second.source, range: reuse.second.range,
          labels: [reuse.first.label(isLoop ? "each turn uses it again" : "it is used here")],
          help: isCertain
            ? "choose another name" : "'wait \(name)' in between, or choose another name",
          severity: isCertain ? .error : .warning))
    }
  }

  /// Reports the names that nothing makes.
  func reportImpossibleNames() {
    guard let facts, setting.names != .none else { return }
    for (use, near, later, isMistake) in known.symbols.impossible(
      existing: facts.namespaces.mapValues(\.names)) where isMistake || setting.names == .all
    {
      // A file that cannot be read here may make any name for what runs after it.
      if let from = known.scripts.unknownFrom, use.isDeferred || use.place.statement >= from {
        continue
      }
      let isObject = use.namespaces.count > 1
      let what = isObject ? "name" : use.namespaces[0]
      use.place.report(
        Self.unknown(what),
        (isObject ? "nothing is named" : "there is no \(what)") + " '\(use.name)'"
          + (later.map { Self.createdLater($0, than: use) } ?? "; this script never creates it"),
        use.range,
        help: helpForOther(use) ?? later.map { _ in "use it after the statement that creates it" }
          ?? Expression.BinaryOperator.help(forArgument: use.name) ?? Spelling.help(near)
          ?? facts.namespaces[what]?.help, severity: isMistake ? .error : .warning)
    }
  }

  /// The error for a name of something that does not exist.
  private static func unknown(_ what: String) -> ErrorPage {
    ["operation": .unknownOperation, "queue": .unknownQueue][what] ?? .unknownName
  }

  /// Says where a name is created after it is used.
  private static func createdLater(_ made: Spot, than use: SymbolTable.Use) -> String {
    let used = use.place.spot(use.range)
    let isSame = made.source.isSame(as: used.source)
    if isSame, made.range.lower <= used.range.lower, used.range.upper <= made.range.upper {
      return " yet; this statement creates it"
    }
    let line = made.source.place(of: made.range.lower).line
    return " yet; it is created only later, at line \(line)"
      + (isSame ? "" : " of \(made.source.name)")
  }

  /// Says what to do where the name is that of something else: a variable, or a queue.
  private func helpForOther(_ use: SymbolTable.Use) -> String? {
    let name = use.name
    if use.isVariable { return "did you mean '$\(name)'?" }
    guard use.namespaces == ["operation"], let command = use.command, isQueue(name) else {
      return nil
    }
    return helpForQueue(name, after: command)
      ?? "'\(name)' is a queue; expected the name of an operation"
  }

  private func isQueue(_ name: String) -> Bool {
    facts?.has(name, in: "queue") == true || known.symbols.names(in: "queue").contains(name)
  }

  /// Names the command that does with a queue what another one does with operations.
  private func helpForQueue(_ name: String, after command: String) -> String? {
    [[command, "queue"], ["queue", command]].first { catalog.signature(at: $0) != nil }.map {
      "'\(name)' is a queue: \($0.joined(separator: " ")) \(name)"
    }
  }

  /// Says of a call that lacks an argument that its only word is a queue, where another command is for
  /// those.
  func helpForQueue(_ arguments: ArraySlice<Argument>, of signature: CommandSignature) -> String? {
    guard signature.path.count == 1, arguments.count == 1, let name = arguments.first?.bareText,
      isQueue(name)
    else { return nil }
    return helpForQueue(name, after: signature.fullName)
  }
}

extension Value {
  /// Returns whether it reads as a name.
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
    """, wrong: "fetch questions\nwait question-1", right: "fetch questions\nwait questions-1")

  package static let unknownQueue = ErrorPage(
    "unknown-queue", "There is no such queue",
    "The queues are network, system, main, quotes, those of 'queue new', and those of groups.",
    wrong: "queue new slow\nqueue pause slwo", right: "queue new slow\nqueue pause slow")

  static let reusedName = ErrorPage(
    "reused-name", "A name is used again, and nothing waits in between",
    """
    A name is taken as long as its operation is unfinished. Where no statement between two uses \
    waits, the second may come too early, and then it is refused.
    """, wrong: "delay 1ms --name a\ndelay 2ms --name a",
    right: "delay 1ms --name a\nwait a\ndelay 2ms --name a", proof: .warning)
}
