extension Place {
  func check(_ statements: [Statement], isTopLevel: Bool = false) {
    guard let first = statements.first, hasRoom(for: first.range) else { return }
    var place = self
    var leaving: (word: String, range: SourceRange)?
    for statement in statements {
      if isTopLevel {
        place.statement += 1
        if let finding = setting.follow?(statement, call(of: statement)) { add(finding) }
      }
      if let (word, range) = leaving {
        report(
          .unreachable, "nothing after '\(word)' runs", statement.range,
          labels: [.init("this always leaves the block", source: source, range: range)],
          severity: .warning)
        leaving = nil
      }
      place.check(statement)
      // An error at the top level ends no more than its statement then.
      if let found = leavingWord(statement), !(found.isError && isTopLevel && setting.keepsGoing) {
        leaving = (found.word, statement.range)
      }
    }
  }

  private func check(_ statement: Statement) {
    switch statement.kind {
    case .command(let command): check(command)
    case .expression(let expression, let redirection):
      check(value: expression)
      check(redirection)
    case .assignment(let assignment): check(assignment)
    case .conditional(let clauses, let otherwise):
      for clause in clauses {
        check(condition: clause.condition)
        warnNeverRuns(clause.block, clause.condition)
        branch.check(clause.block)
      }
      if let otherwise { branch.check(otherwise) }
    case .whileLoop(let condition, let block):
      let turn = branch.with { $0.isRepeated = true }
      turn.check(condition: condition)
      // It may be there to wait.
      known.symbols.events.note(.wait)
      turn.warnNeverRuns(block, condition)
      turn.check(block)
    case .repeatLoop(let count, let block):
      check(count)
      checkLoop(block, isCertain: runsAgain(block, count))
    case .forLoop(let name, let items, let block):
      if let collection = LoopCollection(items, in: catalog) {
        check(collection, binding: name)
      } else {
        checkWords(items, of: name)
      }
      checkLoop(block, isCertain: runsAgain(block, items), binding: name)
    case .definition(let definition): check(definition)
    case .returning(let argument?):
      check(argument)
      refuseLast(argument)
    case .attempt(let block, let name, let handler):
      branch.with { $0.isAttempted = true }.check(block)
      known.note(name.text, is: .caughtError)
      branch.check(handler, binding: name)
    case .invalid: noteNames(of: statement)
    case .returning(nil), .breaking, .continuing: break
    }
  }

  private func check(_ block: Block, binding name: Name? = nil) {
    let inner = with { $0.scope = VariableScope(parent: scope) }
    if let name { inner.scope.define(name, source) }
    inner.check(block.statements)
    inner.warnUnused()
  }

  /// Checks the block of a loop; `isCertain` says that all of it runs a second time.
  private func checkLoop(_ block: Block, isCertain: Bool, binding name: Name? = nil) {
    known.symbols.events.begin()
    let turn = inBlock {
      $0.isRepeated = true
      if isCertain { $0.isInLoop = true } else { $0.isCertain = false }
    }
    turn.check(block, binding: name)
    known.symbols.events.endLoop()
  }

  // MARK: Ways out of a block

  /// Returns the word by which a statement always leaves its block, and whether an error may be the
  /// way.
  private func leavingWord(_ statement: Statement) -> (word: String, isError: Bool)? {
    switch statement.kind {
    case .returning: return ("return", false)
    case .breaking: return ("break", false)
    case .continuing: return ("continue", false)
    case .command(let command):
      guard case .command(let signature, _) = command.resolved(in: source, catalog).match,
        signature.is(.endsScript) || signature.is(.alwaysFails),
        case .command = meaning(of: command)
      else { return nil }
      return (signature.fullName, signature.is(.alwaysFails))
    case .conditional(let clauses, let otherwise?):
      let ways = (clauses.map(\.block) + [otherwise]).map { leavingWord($0) }
      return ways.contains { $0 == nil } ? nil : ("if", ways.contains { $0?.isError == true })
    case .attempt(let block, _, let handler):
      guard leavingWord(block) != nil, let way = leavingWord(handler) else { return nil }
      return ("try", way.isError)
    case .whileLoop(let condition, let block):
      guard case .literal(.boolean(true)) = condition.kind,
        !block.statements.contains(where: breaks)
      else { return nil }
      return ("while (true)", true)
    default: return nil
    }
  }

  private func leavingWord(_ block: Block) -> (word: String, isError: Bool)? {
    block.statements.lazy.compactMap { leavingWord($0) }.first
  }

  /// Returns whether a statement has a `break` for the loop around it.
  private func breaks(_ statement: Statement) -> Bool {
    switch statement.kind {
    case .breaking, .invalid: true
    case .conditional, .attempt: statement.blocks.contains { $0.statements.contains(where: breaks) }
    default: false
    }
  }

  /// Returns whether no statement leaves the others out.
  func runsThrough(_ statements: [Statement]) -> Bool {
    statements.allSatisfy { statement in
      switch statement.kind {
      case .command, .assignment, .expression: leavingWord(statement) == nil
      default: false
      }
    }
  }

  /// Returns whether all of the block of a `repeat` runs a second time, if nothing fails.
  private func runsAgain(_ block: Block, _ count: Argument) -> Bool {
    guard let times = count.constant.flatMap({ Int64($0) }), times > 1 else { return false }
    return runsThrough(block.statements)
  }

  /// Returns the same of a `for` over words or a range that are written out.
  private func runsAgain(_ block: Block, _ items: [Argument]) -> Bool {
    let words = items.map { $0.selectsOperations ? "*" : $0.constant ?? "*" }
    guard LoopCollection(items, in: catalog) == nil,
      !words.contains(where: GlobPattern.isPattern), runsThrough(block.statements)
    else {
      return false
    }
    if words.count > 1 { return true }
    guard case .word(let word)? = items.first,
      case (.literal(let lower), .literal(let upper))? = word.rangeEnds
    else { return false }
    return lower < upper
  }

  /// Warns of a block whose condition is written out as false.
  private func warnNeverRuns(_ block: Block, _ condition: Expression) {
    guard case .literal(.boolean(false)) = condition.kind, let first = block.statements.first else {
      return
    }
    report(
      .unreachable, "nothing in this block runs", first.range,
      labels: [.init("this is never true", source: source, range: condition.range)],
      severity: .warning)
  }

  // MARK: Variables and definitions

  private func check(_ assignment: Assignment) {
    let name = assignment.name
    switch assignment.source {
    case .command(let command):
      noteMistakenText(command, for: name.text)
      check(command)
      warnOfMissingValue(of: command, for: name)
    case .value(let argument):
      check(argument)
      refuseLast(argument)
      noteTexts(of: argument, for: name.text)
    }
    known.note(name.text, is: kind(of: assignment.source), text: Self.text(of: assignment.source))
    switch scope.assign(name, source) {
    case .done: break
    case .local(let variable): warn(local: name, variable)
    case .captured(let variable):
      report(
        .capturedVariable, "'\(name.text)' cannot be assigned here", name.range,
        labels: variable.map { [$0.spot.label("it is made here")] } ?? [],
        help: "a block on its own thread reads the variables around it as they were")
    }
  }

  /// Warns of `let x = f` where the definition of `f` gives no value.
  private func warnOfMissingValue(of command: CommandStatement, for name: Name) {
    guard let word = command.arguments.first?.bareText,
      known.words.definition(word, at: self)?.is(.givesNoValue) == true
    else { return }
    report(
      .noValue, "'\(word)' has no 'return', so that '\(name.text)' is null", command.range,
      help: "in 'def \(word)' write 'return' before the command whose value it gives",
      severity: .warning)
  }

  /// Warns of a variable of a `def` that is called like one outside, which it does not assign.
  private func warn(local name: Name, _ outer: VariableScope.Variable?) {
    let read = scope.outerRead(of: name.text)
    // Whether it is also read does not matter then.
    scope.read(name.text)
    report(
      .localVariable,
      "this '\(name.text)' is local to the call"
        + (read == nil
          ? "; the variable outside the 'def' keeps its value"
          : ", which has read the variable outside the 'def' before"),
      name.range,
      labels: [
        read?.label("this reads the variable outside"), outer?.spot.label("the variable outside"),
      ].compactMap(\.self),
      help: "to hand a value out, return it; for a local variable use another name",
      severity: .warning)
  }

  /// Returns what a variable is given, if it is one text written out.
  private static func text(of source: Assignment.Source) -> String? {
    guard case .value(let argument) = source else { return nil }
    if let text = argument.constant {
      return argument.bareText.flatMap(ExecutionContext.rangeLiteral) == nil ? text : nil
    }
    if case .expression(let expression, _) = argument, case .literal(let value) = expression.kind {
      return value.text
    }
    return nil
  }

  private func check(_ definition: Definition) {
    let name = definition.name
    if Keyword(name.text) == nil, catalog.isReserved(name.text) {
      report(.nameTaken, "'\(name.text)' is a word of the language", name.range)
    }
    noteReplacing(name.text, name.range)
    known.words.define(DefinedCommand.signature(of: definition))
    for parameter in definition.parameters {
      guard let standard = parameter.standard else { continue }
      with { $0.scope = scope.outermost }.check(standard)
      noteTexts(of: standard, for: parameter.name.text)
    }
    let replaced = known.words.replaced
    known.whenDefined {
      known.words.replaced = replaced
      checkBody(of: definition)
    }
  }

  /// Checks the body of a definition, which runs when it is called.
  private func checkBody(of definition: Definition) {
    let statements = definition.block.statements
    let scope = VariableScope(parent: scope.outermost, isCall: true)
    var inner = Place(in: source, scope, known: known)
    inner.statement = statement
    inner.definition = definition.name.text
    (inner.isInBlock, inner.isLater, inner.readsLater, inner.isRepeated) = (true, true, true, true)
    inner.isCertain = inner.runsThrough(statements)
    for parameter in definition.parameters {
      scope.define(parameter.name, source)
      known.note(parameter.name.text, is: .unknown)
    }
    known.symbols.events.begin()
    inner.check(statements)
    known.symbols.events.end(.definition(definition.name.text), isInline: false)
    inner.warnUnused()
  }

  /// Notes the name that a statement with a syntax error may have been meant to create, so that its
  /// later uses are not reported, too.
  private func noteNames(of statement: Statement) {
    // Nor is it that a variable would have been read.
    with { $0.isLater = true }.noteReads(in: source.text(in: statement.range))
    let (lower, upper) = (statement.range.lower, statement.range.upper)
    let head = source.text(in: SourceRange(lower, min(upper, lower + 80)))
    let words = head.split { $0 == " " || $0 == "\t" || $0 == "=" || $0 == "\n" }
    guard words.count > 1 else { return }
    let name = String(words[1])
    if words[0] == "let" {
      scope.give(name)
    } else if words[0] == "def" {
      known.words.define(
        CommandSignature(
          path: [name],
          CommandDeclaration(
            summary: "", positionals: [CommandSignature.Positional("argument", .any, .repeating)])))
    }
  }
}

extension ErrorPage {
  static let localVariable = ErrorPage(
    "local-variable", "A variable of a 'def' is called like one outside",
    """
    A 'let' in a 'def' is local to the call: it assigns neither a variable of the script nor one \
    of the caller. A 'let' in a block of the 'def' makes or assigns the variable of the call, too.
    """, help: "to hand a value out, return it",
    wrong: "let total = 0\ndef add n { let total = ($total + $n); echo $total }\nadd 2",
    right: "let total = 0\ndef add n { return ($total + $n) }\nlet total = add 2\necho $total",
    proof: .warning)

  static let unreachable = ErrorPage(
    "unreachable", "A statement never runs", "The statement before it always leaves the block.",
    help: "remove it, or leave under a condition only", wrong: "exit\necho done",
    right: "echo done\nexit", proof: .warning)
}
