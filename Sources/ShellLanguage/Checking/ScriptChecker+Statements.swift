extension ScriptChecker {
  func check(_ statements: [Statement], in scope: CheckedScope, isTopLevel: Bool = false) {
    guard let first = statements.first, hasRoom(for: first.range) else { return }
    var leaving: (word: String, range: SourceRange)?
    for statement in statements {
      if isTopLevel { statementNumber += 1 }
      if let (word, range) = leaving {
        report(
          .unreachable, "nothing after '\(word)' runs", statement.range,
          labels: [.init("this always leaves the block", source: source, range: range)],
          severity: .warning)
        leaving = nil
      }
      check(statement, in: scope)
      // An error at the top level ends no more than its statement then.
      if let found = leavingWord(statement), !(found.isError && isTopLevel && keepsGoing) {
        leaving = (found.word, statement.range)
      }
    }
  }

  /// The word by which a statement always leaves its block, and whether an error may be the way.
  private func leavingWord(_ statement: Statement) -> (word: String, isError: Bool)? {
    switch statement.kind {
    case .returning: return ("return", false)
    case .breaking: return ("break", false)
    case .continuing: return ("continue", false)
    case .command(let command):
      guard case .command(let signature, _) = command.resolved(in: source, catalog).match,
        signature.is(.endsScript) || signature.is(.alwaysFails),
        let name = command.arguments[0].bareText, definition(named: name) == nil,
        aliases[name] == nil, !isUncertain(name)
      else { return nil }
      return (signature.fullName, signature.is(.alwaysFails))
    case .conditional(let clauses, let otherwise?):
      let ways = (clauses.map(\.block) + [otherwise]).map(leavingWord)
      return ways.contains { $0 == nil } ? nil : ("if", ways.contains { $0?.isError == true })
    case .attempt(let block, _, let handler):
      guard leavingWord(block) != nil, let way = leavingWord(handler) else { return nil }
      return ("try", way.isError)
    case .whileLoop(let condition, let block):
      guard case .literal(.boolean(true)) = condition.kind, !breaks(block.statements) else {
        return nil
      }
      return ("while (true)", true)
    default: return nil
    }
  }

  private func leavingWord(_ block: Block) -> (word: String, isError: Bool)? {
    block.statements.lazy.compactMap { self.leavingWord($0) }.first
  }

  /// Checks the block of a loop; `isCertain` says that all of it runs a second time.
  private func checkLoop(isCertain: Bool, _ check: () -> Void) {
    let start = symbols.nameEvents.events.count
    repeatDepth += 1
    if isCertain { certainRepeatDepth += 1 }
    check()
    if isCertain { certainRepeatDepth -= 1 }
    repeatDepth -= 1
    symbols.nameEvents.endLoop(since: start)
  }

  /// Whether all that stands in the block of a `repeat` runs a second time, if nothing fails.
  private func runsAgain(_ block: Block, _ count: Argument) -> Bool {
    guard let times = count.constant.flatMap({ Int64($0) }), times > 1 else { return false }
    return runsThrough(block.statements)
  }

  /// The same of a `for` over words or a range that are written out.
  private func runsAgain(_ block: Block, _ items: [Argument]) -> Bool {
    let words = items.map { $0.selectsOperations ? "*" : $0.constant ?? "*" }
    guard !words.contains(where: GlobPattern.isPattern), runsThrough(block.statements) else {
      return false
    }
    if words.count > 1 { return true }
    guard case .word(let word)? = items.first,
      case (.literal(let lower), .literal(let upper))? =
        word.rangeEnds
    else { return false }
    return lower < upper
  }

  /// Whether no statement leaves the others out.
  func runsThrough(_ statements: [Statement]) -> Bool {
    statements.allSatisfy { statement in
      switch statement.kind {
      case .command, .assignment, .expression: leavingWord(statement) == nil
      default: false
      }
    }
  }

  /// Whether statements have a `break` for the loop around them.
  private func breaks(_ statements: [Statement]) -> Bool {
    statements.contains { statement in
      switch statement.kind {
      case .breaking, .invalid: true
      case .conditional(let clauses, let otherwise):
        clauses.contains { breaks($0.block.statements) } || breaks(otherwise?.statements ?? [])
      case .attempt(let block, _, let handler):
        breaks(block.statements) || breaks(handler.statements)
      default: false
      }
    }
  }

  private func check(_ statement: Statement, in scope: CheckedScope) {
    switch statement.kind {
    case .command(let command): check(command, in: scope)
    case .expression(let expression, let redirection):
      check(value: expression, in: scope)
      check(redirection, in: scope)
    case .assignment(let assignment): check(assignment, in: scope)
    case .conditional(let clauses, let otherwise):
      for clause in clauses {
        check(condition: clause.condition, in: scope)
        warnNeverRuns(clause.block, clause.condition)
        conditionDepth += 1
        check(clause.block, in: scope)
        conditionDepth -= 1
      }
      if let otherwise {
        conditionDepth += 1
        check(otherwise, in: scope)
        conditionDepth -= 1
      }
    case .whileLoop(let condition, let block):
      repeatDepth += 1
      check(condition: condition, in: scope)
      // It may be there to wait.
      symbols.noteWait()
      warnNeverRuns(block, condition)
      check(block, in: scope)
      repeatDepth -= 1
    case .repeatLoop(let count, let block):
      check(count, in: scope)
      let isCertain = runsAgain(block, count)
      checkLoop(isCertain: isCertain) { check(block, in: scope) }
    case .forLoop(let name, let items, let block):
      for item in items {
        check(item, in: scope)
        refuseFilePattern(item)
        warnOfCollection(item)
        noteTexts(of: item, for: name.text)
      }
      note(name.text, is: items.allSatisfy(\.selectsOperations) ? .object("operation") : .unknown)
      checkLoop(isCertain: runsAgain(block, items)) { check(block, in: scope, binding: name) }
    case .definition(let definition): check(definition)
    case .returning(let argument):
      if let argument {
        check(argument, in: scope)
        refuseLast(argument)
      }
    case .attempt(let block, let name, let handler):
      attemptDepth += 1
      check(block, in: scope)
      attemptDepth -= 1
      note(name.text, is: .caughtError)
      conditionDepth += 1
      check(handler, in: scope, binding: name)
      conditionDepth -= 1
    case .invalid: noteNames(of: statement, in: scope)
    case .breaking, .continuing: break
    }
  }

  private func check(_ block: Block, in scope: CheckedScope, binding name: Name? = nil) {
    let inner = CheckedScope(parent: scope)
    if let name { inner.define(name, source, isAssigned: false) }
    check(block.statements, in: inner)
    warnUnused(inner, of: source)
  }

  private func check(_ assignment: Assignment, in scope: CheckedScope) {
    switch assignment.source {
    case .command(let command):
      noteMistakenText(command, for: assignment.name.text)
      check(command, in: scope)
    case .value(let argument):
      check(argument, in: scope)
      refuseLast(argument)
      noteTexts(of: argument, for: assignment.name.text)
    }
    let name = assignment.name
    note(name.text, is: kind(of: assignment.source), text: text(of: assignment.source))
    switch scope.assign(name, source) {
    case .done: break
    case .local(let variable): warn(local: name, variable, in: scope)
    case .captured(let variable):
      let labels = variable.map {
        [Diagnostic.Label("it is made here", source: $0.source, range: $0.name.range)]
      }
      report(
        .capturedVariable, "'\(name.text)' cannot be assigned here", name.range,
        labels: labels ?? [],
        help: "a block on its own thread reads the variables around it as they were")
    }
  }

  /// Warns of a variable of a `def` that is called like one outside, which it does not assign.
  private func warn(local name: Name, _ outer: CheckedScope.Variable?, in scope: CheckedScope) {
    let read = scope.outerRead(of: name.text)
    // Whether it is also read does not matter then.
    _ = scope.read(name.text)
    report(
      .localVariable,
      read == nil
        ? "this '\(name.text)' is local to the call; the variable outside the 'def' keeps its value"
        : "this '\(name.text)' is local to the call, which has read the variable outside the 'def' before",
      name.range,
      labels: (read.map { [$0] } ?? [])
        + (outer.map {
          [.init("the variable outside", source: $0.source, range: $0.name.range)]
        } ?? []),
      help: "to hand a value out, return it; for a local variable use another name",
      severity: .warning)
  }

  /// What a variable is given, if it is one text written out.
  private func text(of source: Assignment.Source) -> String? {
    guard case .value(let argument) = source else { return nil }
    if let text = argument.constant {
      return argument.bareText.flatMap(ExecutionContext.rangeLiteral) == nil ? text : nil
    }
    if case .expression(let expression, _) = argument, case .literal(let value) = expression.kind {
      return value.text
    }
    return nil
  }

  /// Warns of a block whose condition is written out as false.
  private func warnNeverRuns(_ block: Block, _ condition: Expression) {
    guard case .literal(.boolean(false)) = condition.kind, let first = block.statements.first
    else { return }
    report(
      .unreachable, "nothing in this block runs", first.range,
      labels: [.init("this is never true", source: source, range: condition.range)],
      severity: .warning)
  }

  private func check(_ definition: Definition) {
    let name = definition.name
    if Keyword(name.text) == nil, catalog.isReserved(name.text) {
      report(.nameTaken, "'\(name.text)' is a word of the language", name.range)
    }
    noteReplacing(name.text, name.range)
    definitions[name.text] = DefinedCommand.signature(of: definition)
    aliases[name.text] = nil
    for parameter in definition.parameters {
      if let standard = parameter.standard {
        check(standard, in: globals)
        noteTexts(of: standard, for: parameter.name.text)
      }
    }
    deferBody(definition)
  }

  /// Notes the name that a statement with a syntax error may have been meant to create, so that its
  /// later uses are not reported, too.
  private func noteNames(of statement: Statement, in scope: CheckedScope) {
    // Nor is it that a variable would have been read.
    for name in ShellLine.variables(in: source.text(in: statement.range)) {
      if !scope.read(name), laterVariables[name] != nil { laterReads.insert(name) }
    }
    let head = source.text(
      in: SourceRange(statement.range.lower, min(statement.range.upper, statement.range.lower + 80))
    )
    let words = head.split { $0 == " " || $0 == "\t" || $0 == "=" || $0 == "\n" }
    guard words.count > 1 else { return }
    let name = String(words[1])
    switch words[0] {
    case "let": scope.give(name)
    case "def":
      definitions[name] = CommandSignature(
        path: [name],
        CommandDeclaration(
          summary: "",
          positionals: [CommandSignature.Positional("argument", .any, .repeating)]))
    default: break
    }
  }
}

extension ErrorPage {
  static let localVariable = ErrorPage(
    "local-variable", "A variable of a 'def' is called like one outside",
    """
    A 'let' in a 'def' is local to the call: it assigns neither a variable of the script nor one \
    of the caller. A 'let' in a block of the 'def' makes or assigns the variable of the call, too.
    """,
    help: "to hand a value out, return it",
    wrong: "let total = 0\ndef add n { let total = ($total + $n); echo $total }\nadd 2",
    right: "let total = 0\ndef add n { return ($total + $n) }\nlet total = add 2\necho $total",
    proof: .warning)

  static let unreachable = ErrorPage(
    "unreachable", "A statement never runs", "The statement before it always leaves the block.",
    help: "remove it, or leave under a condition only", wrong: "exit\necho done",
    right: "echo done\nexit", proof: .warning)
}
