extension ScriptWalk {
  mutating func check(_ statements: [Statement], at place: Place, isTopLevel: Bool = false) {
    guard let first = statements.first, hasRoom(for: first.range, at: place) else { return }
    var place = place
    var leaving: (word: String, range: SourceRange)?
    for statement in statements {
      if isTopLevel { place.statement += 1 }
      if let (word, range) = leaving {
        report(
          .unreachable, "nothing after '\(word)' runs", statement.range, at: place,
          labels: [
            .init("this always leaves the block", source: place.source, range: range)
          ], severity: .warning)
        leaving = nil
      }
      check(statement, at: place)
      // An error at the top level ends no more than its statement then.
      if let found = leavingWord(statement, at: place),
        !(found.isError && isTopLevel && setting.keepsGoing)
      {
        leaving = (found.word, statement.range)
      }
    }
  }

  private mutating func check(_ statement: Statement, at place: Place) {
    switch statement.kind {
    case .command(let command): check(command, at: place)
    case .expression(let expression, let redirection):
      check(value: expression, at: place)
      check(redirection, at: place)
    case .assignment(let assignment): check(assignment, at: place)
    case .conditional(let clauses, let otherwise):
      for clause in clauses {
        check(condition: clause.condition, at: place)
        warnNeverRuns(clause.block, clause.condition, at: place)
        check(clause.block, at: place.branch)
      }
      if let otherwise { check(otherwise, at: place.branch) }
    case .whileLoop(let condition, let block):
      let turn = place.branch.with { $0.isRepeated = true }
      check(condition: condition, at: turn)
      // It may be there to wait.
      symbols.events.note(.wait)
      warnNeverRuns(block, condition, at: turn)
      check(block, at: turn)
    case .repeatLoop(let count, let block):
      check(count, at: place)
      checkLoop(block, at: place, isCertain: runsAgain(block, count, at: place))
    case .forLoop(let name, let items, let block):
      for item in items {
        check(item, at: place)
        checkForWord(item, at: place)
        noteTexts(of: item, for: name.text)
      }
      note(name.text, is: items.allSatisfy(\.selectsOperations) ? .object("operation") : .unknown)
      checkLoop(block, at: place, isCertain: runsAgain(block, items, at: place), binding: name)
    case .definition(let definition): check(definition, at: place)
    case .returning(let argument?):
      check(argument, at: place)
      refuseLast(argument, at: place)
    case .attempt(let block, let name, let handler):
      check(block, at: place.branch.with { $0.isAttempted = true })
      note(name.text, is: .caughtError)
      check(handler, at: place.branch, binding: name)
    case .invalid: noteNames(of: statement, at: place)
    case .returning(nil), .breaking, .continuing: break
    }
  }

  private mutating func check(_ block: Block, at place: Place, binding name: Name? = nil) {
    let inner = place.with { $0.scope = VariableScope(parent: place.scope) }
    if let name { inner.scope.define(name, place.source) }
    check(block.statements, at: inner)
    warnUnused(inner.scope, of: place.source)
  }

  /// Checks the block of a loop; `isCertain` says that all of it runs a second time.
  private mutating func checkLoop(
    _ block: Block, at place: Place, isCertain: Bool, binding name: Name? = nil
  ) {
    symbols.events.begin()
    let turn = place.inBlock {
      $0.isRepeated = true
      if isCertain { $0.isInLoop = true } else { $0.isCertain = false }
    }
    check(block, at: turn, binding: name)
    symbols.events.endLoop()
  }

  // MARK: Ways out of a block

  /// Returns the word by which a statement always leaves its block, and whether an error may be the
  /// way.
  private func leavingWord(
    _ statement: Statement, at place: Place
  ) -> (word: String, isError: Bool)? {
    switch statement.kind {
    case .returning: return ("return", false)
    case .breaking: return ("break", false)
    case .continuing: return ("continue", false)
    case .command(let command):
      guard case .command(let signature, _) = meaning(of: command, at: place),
        signature.is(.endsScript) || signature.is(.alwaysFails)
      else { return nil }
      return (signature.fullName, signature.is(.alwaysFails))
    case .conditional(let clauses, let otherwise?):
      let ways = (clauses.map(\.block) + [otherwise]).map { leavingWord($0, at: place) }
      return ways.contains { $0 == nil } ? nil : ("if", ways.contains { $0?.isError == true })
    case .attempt(let block, _, let handler):
      guard leavingWord(block, at: place) != nil, let way = leavingWord(handler, at: place) else {
        return nil
      }
      return ("try", way.isError)
    case .whileLoop(let condition, let block):
      guard case .literal(.boolean(true)) = condition.kind,
        !block.statements.contains(where: breaks)
      else { return nil }
      return ("while (true)", true)
    default: return nil
    }
  }

  private func leavingWord(_ block: Block, at place: Place) -> (word: String, isError: Bool)? {
    block.statements.lazy.compactMap { leavingWord($0, at: place) }.first
  }

  /// Returns whether a statement has a `break` for the loop around it.
  private func breaks(_ statement: Statement) -> Bool {
    switch statement.kind {
    case .breaking, .invalid: true
    case .conditional, .attempt:
      statement.blocks.contains { $0.statements.contains(where: breaks) }
    default: false
    }
  }

  /// Returns whether no statement leaves the others out.
  func runsThrough(_ statements: [Statement], at place: Place) -> Bool {
    statements.allSatisfy { statement in
      switch statement.kind {
      case .command, .assignment, .expression: leavingWord(statement, at: place) == nil
      default: false
      }
    }
  }

  /// Returns whether all of the block of a `repeat` runs a second time, if nothing fails.
  private func runsAgain(_ block: Block, _ count: Argument, at place: Place) -> Bool {
    guard let times = count.constant.flatMap({ Int64($0) }), times > 1 else { return false }
    return runsThrough(block.statements, at: place)
  }

  /// Returns the same of a `for` over words or a range that are written out.
  private func runsAgain(_ block: Block, _ items: [Argument], at place: Place) -> Bool {
    let words = items.map { $0.selectsOperations ? "*" : $0.constant ?? "*" }
    guard !words.contains(where: GlobPattern.isPattern), runsThrough(block.statements, at: place)
    else { return false }
    if words.count > 1 { return true }
    guard case .word(let word)? = items.first,
      case (.literal(let lower), .literal(let upper))? = word.rangeEnds
    else { return false }
    return lower < upper
  }

  /// Warns of a block whose condition is written out as false.
  private mutating func warnNeverRuns(_ block: Block, _ condition: Expression, at place: Place) {
    guard case .literal(.boolean(false)) = condition.kind, let first = block.statements.first
    else { return }
    report(
      .unreachable, "nothing in this block runs", first.range, at: place,
      labels: [.init("this is never true", source: place.source, range: condition.range)],
      severity: .warning)
  }

  // MARK: Variables and definitions

  private mutating func check(_ assignment: Assignment, at place: Place) {
    let name = assignment.name
    switch assignment.source {
    case .command(let command):
      noteMistakenText(command, for: name.text, at: place)
      check(command, at: place)
    case .value(let argument):
      check(argument, at: place)
      refuseLast(argument, at: place)
      noteTexts(of: argument, for: name.text)
    }
    note(
      name.text, is: kind(of: assignment.source, at: place), text: Self.text(of: assignment.source))
    switch place.scope.assign(name, place.source) {
    case .done: break
    case .local(let variable): warn(local: name, variable, at: place)
    case .captured(let variable):
      report(
        .capturedVariable, "'\(name.text)' cannot be assigned here", name.range, at: place,
        labels: variable.map { [$0.spot.label("it is made here")] } ?? [],
        help: "a block on its own thread reads the variables around it as they were")
    }
  }

  /// Warns of a variable of a `def` that is called like one outside, which it does not assign.
  private mutating func warn(
    local name: Name, _ outer: VariableScope.Variable?, at place: Place
  ) {
    let read = place.scope.outerRead(of: name.text)
    // Whether it is also read does not matter then.
    place.scope.read(name.text)
    report(
      .localVariable,
      "this '\(name.text)' is local to the call"
        + (read == nil
          ? "; the variable outside the 'def' keeps its value"
          : ", which has read the variable outside the 'def' before"),
      name.range, at: place,
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

  private mutating func check(_ definition: Definition, at place: Place) {
    let name = definition.name
    if Keyword(name.text) == nil, catalog.isReserved(name.text) {
      report(.nameTaken, "'\(name.text)' is a word of the language", name.range, at: place)
    }
    noteReplacing(name.text, name.range, at: place)
    words.define(DefinedCommand.signature(of: definition))
    for parameter in definition.parameters {
      guard let standard = parameter.standard else { continue }
      check(standard, at: place.with { $0.scope = $0.scope.outermost })
      noteTexts(of: standard, for: parameter.name.text)
    }
    deferBody(definition, at: place)
  }

  /// Notes the name that a statement with a syntax error may have been meant to create, so that its
  /// later uses are not reported, too.
  private mutating func noteNames(of statement: Statement, at place: Place) {
    // Nor is it that a variable would have been read.
    noteReads(in: place.source.text(in: statement.range), at: place.with { $0.isLater = true })
    let (lower, upper) = (statement.range.lower, statement.range.upper)
    let head = place.source.text(in: SourceRange(lower, min(upper, lower + 80)))
    let words = head.split { $0 == " " || $0 == "\t" || $0 == "=" || $0 == "\n" }
    guard words.count > 1 else { return }
    let name = String(words[1])
    if words[0] == "let" {
      place.scope.give(name)
    } else if words[0] == "def" {
      self.words.define(
        CommandSignature(
          path: [name],
          CommandDeclaration(
            summary: "",
            positionals: [CommandSignature.Positional("argument", .any, .repeating)])))
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
