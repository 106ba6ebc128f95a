extension ScriptChecker {
  func check(_ command: CommandStatement, in scope: CheckedScope) {
    checkCommand(command, in: scope)
    refuseRedirectedAlias(command)
    warnOtherShells(command)
    refuseRedirectionOfNothing(command)
    check(command.redirection, in: scope)
  }

  /// Refuses a redirection after a command that prints nothing.
  private func refuseRedirectionOfNothing(_ command: CommandStatement) {
    guard let redirection = command.redirection else { return }
    var (meant, text) = (command, source)
    if let name = command.arguments[0].bareText {
      if isUncertain(name) || definition(named: name) != nil { return }
      if let alias = aliases[name] {
        guard
          let expansion = AliasExpansion(
            name, alias, in: command.arguments, command.range, of: source)
        else { return }
        (meant, text) = (expansion.command, expansion.source)
      }
    }
    guard let refusal = meant.refusal(of: redirection, in: text, catalog) else { return }
    report(refusal.page, refusal.message, redirection.range, help: refusal.help)
  }

  func check(_ redirection: RedirectionSyntax?, in scope: CheckedScope) {
    guard let redirection else { return }
    noteWriter()
    for word in redirection.programs.flatMap(\.self) { check(word, in: scope) }
    if let file = redirection.file { check(file, in: scope) }
  }

  /// Checks a command; `isOriginal` says that it is the host's, whatever definition has its name.
  func checkCommand(
    _ command: CommandStatement, in scope: CheckedScope, isOriginal: Bool = false
  ) {
    let arguments = command.arguments
    let name = isOriginal ? nil : arguments[0].bareText
    if let name, isUncertain(name) { return check(uncertain: name, arguments, in: scope) }
    if let name, let signature = definition(named: name) {
      warnRecursion(name, arguments[0].range)
      let words = arguments.dropFirst()
      let binder = ArgumentBinder(
        signature: signature, source: source, catalog: catalog, context: nil)
      let bound = binder.examine(words, range: command.range)
      noteTexts(of: bound)
      check(words, bound, of: signature, command.range, in: scope)
      noteCall(.definition(name), arguments[0].range)
      return
    }
    if let name, let text = aliases[name] { return check(alias: name, text, command, in: scope) }
    let resolved = command.resolved(in: source, catalog)
    if case .command(let signature, _) = resolved.match {
      check(resolved.arguments, resolved.binding, of: signature, command.range, in: scope)
    } else {
      reportUnknown(resolved.match, arguments)
      for argument in arguments.dropFirst() { check(argument, in: scope) }
    }
  }

  /// Warns where a definition that replaces a command calls itself, and meant the command.
  private func warnRecursion(_ name: String, _ range: SourceRange) {
    guard name == definitionName, catalog.hasCommand(name) else { return }
    report(
      .replacesCommand, "'\(name)' means the definition itself here", range,
      help: "'command \(name)' runs the command", severity: .warning)
  }

  func definition(named name: String) -> CommandSignature? {
    if let known = definitions[name] { return known }
    return laterDepth > 0 ? laterDefinitions[name]?.signature : nil
  }

  private func reportUnknown(_ match: CommandCatalog.Match, _ arguments: [Argument]) {
    var diagnostic = Diagnostic.unknownCommand(
      match, arguments, catalog, definitions: Array(definitions.keys), source: source)
    if diagnostic.is(.unknownCommand), let name = arguments[0].bareText {
      if hasUnknownNames || meanings.isOpen || meanings.nested.contains(name) { return }
      if laterDepth > 0, meanings.aliases.contains(name) { return }
      if let later = laterDefinitions[name] {
        let line = later.source.place(of: later.name.range.lower).line
        diagnostic.help =
          later.source.isSame(as: source)
          ? "it is defined further down, on line \(line)"
          : "it is defined later, on line \(line) of \(later.source.name)"
        diagnostic.labels.append(
          .init("it is defined here", source: later.source, range: later.name.range))
      }
    }
    diagnostics.append(diagnostic)
  }

  private func check(
    _ arguments: ArraySlice<Argument>, _ result: ArgumentBinder.Result,
    of signature: CommandSignature, _ range: SourceRange, in scope: CheckedScope
  ) {
    if !result.problems.isEmpty { diagnostics += result.problems }
    warnOfDoubtfulWords(result, signature)
    var own = arguments
    if signature.is(.definesAlias) { return define(alias: result, signature, in: scope) }
    if signature.is(.removesAlias) { forget(aliases: arguments) }
    if let words = result.command, let first = words.first {
      own = arguments.dropLast(words.count)
      if case .block(let block) = first, words.count == 1 {
        if signature.is(.runsOriginal), block.statements.count != 1 {
          report(.expectedCommand, "expected one command, found a block", first.range)
        }
        check(first, in: scope, of: signature)
      } else if let command = result.commandStatement {
        checkCommand(command, in: scope, isOriginal: signature.is(.runsOriginal))
      }
    }
    // What stands in a block that does not belong here was hardly meant as statements.
    let refused = Set(
      result.problems.filter { $0.is(.unexpectedBlock) }.map(\.range.lower))
    let call = CheckedCall(
      signature: signature, binding: result, inheritsOptions: inheritsOptions || laterDepth > 0,
      enclosing: enclosing)
    for argument in own {
      if case .block = argument, refused.contains(argument.range.lower) { continue }
      if hasContext(argument, signature, result) { continue }
      let runsOnce = runsOnce(argument, call)
      if runsOnce { blocksAtOnce += 1 }
      if case .block = argument { enclosing = runsOnce ? enclosing + [call] : [] }
      check(argument, in: scope, of: signature)
      enclosing = call.enclosing
      if runsOnce { blocksAtOnce -= 1 }
    }
    if signature.is(.runsProgram) { noteProgram(arguments, in: scope) }
    noteNames(of: call, range)
    if attemptDepth == 0 { reportMistakes(of: call, range) }
    if signature.is(.waits) { symbols.noteWait() }
    noteConstants(in: arguments, of: signature, range)
    if signature.mayWrite, statementNumber < firstWriter ?? .max { noteWriter() }
    checkWrittenExpressions(signature, result, in: scope)
    if signature.is(.includesScript) { checkInclusion(signature, result, range, in: scope) }
  }

  /// Reports what the host would refuse in any case.
  private func reportMistakes(of call: CheckedCall, _ range: SourceRange) {
    guard facts != nil, let command = call.signature.command, call.binding.problems.isEmpty
    else { return }
    for mistake in command.mistakes(in: call) + command.optionMistakes(in: call) {
      if let name = mistake.definable, hasUnknownNames || meanings.has(name) { continue }
      let bound = call.given(mistake.parameter) ?? []
      let place = mistake.index < bound.count ? bound[mistake.index].range : range
      report(mistake.page, mistake.message, place, help: mistake.help)
    }
  }

  /// The variables that the text of a program names are read; those that are not ours may be the
  /// system shell's own.
  private func noteProgram(_ arguments: ArraySlice<Argument>, in scope: CheckedScope) {
    for name in arguments.compactMap(\.constant).flatMap(ShellLine.variables) {
      noteRead(name, in: scope)
    }
  }

  /// Expressions that were given as words have been read by the binder, and only by it; those in
  /// which bare words are properties are looked at here too.
  private func checkWrittenExpressions(
    _ signature: CommandSignature, _ result: ArgumentBinder.Result, in scope: CheckedScope
  ) {
    for element in result.expressions {
      for bound in element.arguments {
        guard case .expression(let expression) = bound.content else { continue }
        let context = self.context(signature, element.name)
        let outer = (source, expressionContext)
        if let own = expression.source { source = own }
        expressionContext = context
        // What stands in parentheses has been looked at as every argument is.
        if context == nil, bound.text.hasPrefix("(") {
          if facts != nil { refuseText(expression, in: scope) }
        } else if facts != nil, result.problems.isEmpty {
          check(condition: expression, in: scope)
        } else {
          check(expression, in: scope)
        }
        (source, expressionContext) = outer
      }
    }
  }

  /// What the bare words in an argument are properties of; nil for one that is evaluated as any.
  private func context(_ signature: CommandSignature, _ name: String) -> String? {
    guard facts != nil, case .condition(let namespace)? = signature.kind(of: name) else {
      return nil
    }
    return namespace
  }

  /// Whether the argument is an expression in which bare words are properties.
  private func hasContext(
    _ argument: Argument, _ signature: CommandSignature, _ result: ArgumentBinder.Result
  ) -> Bool {
    let written: Expression
    switch argument {
    case .expression(let expression, _), .assignedExpression(_, let expression, _):
      written = expression
    default: return false
    }
    return result.expressions.contains { element in
      context(signature, element.name) != nil
        && element.arguments.contains { bound in
          if case .expression(let expression) = bound.content { return expression === written }
          return false
        }
    }
  }

  private func checkInclusion(
    _ signature: CommandSignature, _ result: ArgumentBinder.Result, _ range: SourceRange,
    in scope: CheckedScope
  ) {
    guard let name = signature.positionals.first?.name,
      let argument = result.arguments[name]?.first, let path = argument.value?.text
    else {
      hasUnknownNames = true
      return
    }
    checkIncluded(path, argument.range, at: range, in: scope)
  }

  // MARK: Arguments and expressions

  func check(_ argument: Argument, in scope: CheckedScope, of signature: CommandSignature? = nil) {
    switch argument {
    case .word(let word): check(word, in: scope)
    case .expression(let expression, _): check(value: expression, in: scope)
    case .assignedExpression(let word, let expression, _):
      check(word, in: scope)
      check(value: expression, in: scope)
    case .block(let block):
      let inner = CheckedScope(
        parent: scope, isBoundary: signature?.is(.blockIsBody) ?? false,
        given: Set(signature?.blockVariables ?? []))
      for name in signature?.blockVariables ?? [] { note(name, is: .unknown) }
      let isBody = signature?.is(.blockIsBody) == true
      laterDepth += 1
      if isBody { bodyDepth += 1 }
      repeatDepth += 1
      let outerSelf = selfKind
      if let signature { selfKind = selfKind(in: signature) }
      // What a handler or a body does is no part of the 'try' that it was written in.
      let attempts = attemptDepth
      if isBody { attemptDepth = 0 }
      // After an alias the words are in a text of their own, but not what stands in their blocks.
      let outer = source
      source = block.source
      check(block.statements, in: inner)
      source = outer
      attemptDepth = attempts
      selfKind = outerSelf
      laterDepth -= 1
      if isBody { bodyDepth -= 1 }
      repeatDepth -= 1
      warnUnused(inner, of: block.source)
    }
  }

  /// What `$self` is in the block of a command: its operation, or what it watches.
  private func selfKind(in signature: CommandSignature) -> StaticKind {
    guard signature.blockVariables.contains("self") else { return selfKind }
    if signature.is(.blockIsBody) { return .object("operation") }
    guard case .name(let namespace)? = signature.positionals.first?.kind,
      facts?.properties(of: namespace) != nil
    else { return .unknown }
    return .object(namespace)
  }

  private func check(_ word: Word, in scope: CheckedScope) {
    if word.constant != nil { return }
    for segment in word.segments {
      guard case .expression(let expression) = segment.content else { continue }
      let outer = pathLeniency
      pathLeniency = segment.isBraced ? .none : .text
      check(expression, in: scope)
      pathLeniency = outer
      if segment.isBraced, case .literal(.integer(let number)) = expression.kind {
        warnOfArgument(number, expression)
      }
    }
  }

  /// `${1}` is an argument in other shells, and here a number.
  private func warnOfArgument(_ number: Int64, _ expression: Expression) {
    report(
      .expectedVariable, "'${\(number)}' is the number \(number)", expression.range,
      help: number > 0
        ? "an argument of the script is written '${$\(number)}'" : "write the number",
      severity: .warning)
  }

  /// `1 ?? "x"` is 1: the argument is `$1`.
  private func warnOfDefault(for value: Value, _ range: SourceRange) {
    if case .null = value { return }
    var help = "write the value alone"
    if case .integer(1...) = value {
      help = "an argument of the script is written '$\(value.text)'"
    }
    report(
      .expectedVariable, "a value that is written out is never null: '??' has no effect", range,
      help: help, severity: .warning)
  }

  /// Checks an expression whose value is used as it is.
  func check(value expression: Expression, in scope: CheckedScope) {
    if case .bareWord(let word) = expression.kind, expressionContext == nil,
      catalog.collections.contains(word)
    {
      return refuseCollection(word, expression.range)
    }
    check(expression, in: scope)
  }

  /// `(ops)` was hardly meant as the text.
  func refuseCollection(_ word: String, _ range: SourceRange) {
    report(
      .unknownCollection, "'\(word)' cannot be used as a value", range,
      help: helpForCollection(word))
  }

  func helpForCollection(_ word: String) -> String {
    let isSelection = facts?.collections[word] == OperationSelection.namespace
    let loop = isSelection ? "to go through operations write: for op in all { … }; " : ""
    return loop + "to count them: (count of \(word))"
  }

  func check(_ expression: Expression, in scope: CheckedScope) {
    guard expression.depth < 16 || hasRoom(for: expression.range) else { return }
    look(at: expression)
    switch expression.kind {
    case .literal, .bareWord: break
    case .object(let name): noteObject(name, expression.range, in: scope)
    case .variable(let name): checkVariable(name, expression.range, in: scope)
    case .name(let name): checkName(name, expression.range, in: scope)
    case .reference(let name): checkReference(name, expression.range, in: scope)
    case .interpolation(let word): check(word, in: scope)
    case .property(let base, _, _): check(base, in: scope)
    case .element(let base, let index):
      check(base, in: scope)
      check(index, in: scope)
    case .call(let name, let arguments, let range):
      for argument in arguments { check(value: argument, in: scope) }
      if name == "format" { checkPattern(arguments, range) }
    case .unary(.not, let operand): check(condition: operand, in: scope)
    case .unary(.negate, let operand): check(operand, in: scope)
    case .count(let clause): check(clause, in: scope)
    case .binary(.and, let left, let right, _), .binary(.or, let left, let right, _):
      check(condition: left, in: scope)
      check(condition: right, in: scope)
    case .binary(.coalesce, let left, let right, _):
      let outer = pathLeniency
      pathLeniency = .absent
      check(left, in: scope)
      pathLeniency = outer
      check(right, in: scope)
      if case .literal(let value) = left.kind { warnOfDefault(for: value, left.range) }
    case .binary(let binary, let left, let right, let range):
      check(left, in: scope)
      if binary == .in { check(value: right, in: scope) } else { check(right, in: scope) }
      checkLiterals(binary, left, right, range)
    }
  }

  private func check(_ clause: CountClause, in scope: CheckedScope) {
    if case .bareWord(let word) = clause.things.kind, !catalog.collections.contains(word),
      !GlobPattern.isPattern(word)
    {
      report(
        .unknownCollection, "there is nothing called '\(word)' to be counted", clause.things.range,
        help: Spelling.help(for: word, among: catalog.collections)
          ?? "count \(catalog.collectionsText), names such as delay-*, or a list")
    }
    if case .bareWord(let word) = clause.things.kind, GlobPattern.isPattern(word) {
      countedPatterns.append((word, clause.things.range, source))
    }
    if case .literal = clause.things.kind {
      report(
        .typeMismatch, "only the elements of a list can be counted", clause.things.range,
        help: "'length' gives the length of a text: (length($text))")
    }
    check(clause.things, in: scope)
    guard let condition = clause.condition else { return }
    let outer = expressionContext
    // The kind of a list's elements is unknown, so no bare word in the condition can be checked.
    if case .bareWord(let word) = clause.things.kind {
      expressionContext = facts.map { $0.collections[word] ?? OperationSelection.namespace }
    } else {
      expressionContext = "element"
    }
    check(condition: condition, in: scope)
    expressionContext = outer
  }

  /// What two literals give is known before anything runs.
  private func checkLiterals(
    _ binary: Expression.BinaryOperator, _ left: Expression, _ right: Expression,
    _ range: SourceRange
  ) {
    // There an error may be what is wanted.
    guard attemptDepth == 0 else { return }
    if binary == .range { refuseRangeEnds(left, right, range) }
    guard case .literal(let second) = right.kind else { return }
    do throws(UnplacedError) {
      if case .literal(let first) = left.kind {
        // A loop counts a range without making its list, however long.
        if binary == .range {
          _ = try Evaluator.rangeEnds(first, second)
          return
        }
        _ = try Evaluator.apply(binary, first, second)
      } else if binary == .divide || binary == .remainder, case .integer(0) = second {
        throw UnplacedError(.divisionByZero, "division by zero")
      }
    } catch {
      report(error.page, error.message, range, help: error.help)
    }
  }

  /// The ends of a range are whole numbers, which some expressions never give.
  private func refuseRangeEnds(_ left: Expression, _ right: Expression, _ range: SourceRange) {
    for end in [left, right] {
      if case .literal = end.kind { continue }
      let families = kind(of: end, readsVariables: false).families
      guard families.isDisjoint(with: [.number, .string]) else { continue }
      return report(
        .typeMismatch,
        "a range needs an integer on both sides, found \(StaticKind(families).description)", range,
        help: "for example 1..5")
    }
  }

  /// What other shells call `$HOME`.
  static func environmentHelp(_ name: String) -> String? {
    guard name.count > 1,
      name.utf8.allSatisfy({ $0.isNamePart && !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0) })
    else { return nil }
    return "a variable of the environment is $env.\(name)"
  }

  private func checkVariable(_ name: String, _ range: SourceRange, in scope: CheckedScope) {
    if scope.read(name, at: (range, source)) || name == "@" || name == "#" || name == "env" {
      return
    }
    if Int(name) != nil {
      if Int(name) == 0 {
        report(
          .undefinedVariable, "there is no variable '0'", range, help: "the first argument is $1")
      }
      return
    }
    if hasUnknownNames { return }
    noteUndefined(
      name, range,
      help: source.helpForHyphen(after: name, range)
        ?? (isObject(name) ? source.helpForObject(name, range) : nil)
        ?? Spelling.help(for: name, among: scope.visibleNames) ?? Self.environmentHelp(name))
  }

  /// Reports a variable that is not there, unless what reads it runs after it may have been made.
  func noteUndefined(_ name: String, _ range: SourceRange, help: @autoclosure () -> String?) {
    let later = laterVariables[name]
    if laterDepth > bodyDepth, later != nil {
      laterReads.insert(name)
      return
    }
    report(
      .undefinedVariable, "there is no variable '\(name)'", range,
      labels: later.map {
        let note =
          $0.isNested
          ? "this one is local to the block that reads the file"
          : "it is made here, " + ($0.source.isSame(as: source) ? "further down" : "later")
        return [.init(note, source: $0.source, range: $0.name.range)]
      } ?? [], help: help())
  }
}
