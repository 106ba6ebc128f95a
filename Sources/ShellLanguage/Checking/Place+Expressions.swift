extension Place {
  func check(_ word: Word) {
    if word.constant != nil { return }
    for segment in word.segments {
      guard case .expression(let expression) = segment.content else { continue }
      with { $0.leniency = segment.isBraced ? .none : .text }.check(expression)
      // `${1}` is an argument in other shells, and here a number.
      guard segment.isBraced, case .literal(.integer(let number)) = expression.kind else {
        continue
      }
      report(
        .expectedVariable, "'${\(number)}' is the number \(number)", expression.range,
        help: number > 0
          ? "an argument of the script is written '${$\(number)}'" : "write the number",
        severity: .warning)
    }
  }

  /// Checks an expression whose value is used as it is.
  func check(value expression: Expression) {
    if case .bareWord(let word) = expression.kind, context == nil,
      catalog.collections.contains(word)
    {
      return refuseCollection(word, expression.range)
    }
    check(expression)
  }

  /// Checks an expression of which only counts whether it holds.
  func check(condition: Expression) {
    refuseText(condition)
    check(condition)
  }

  func check(_ expression: Expression) {
    guard expression.depth < 16 || hasRoom(for: expression.range) else { return }
    look(at: expression)
    switch expression.kind {
    case .literal, .bareWord: break
    case .object(let name): noteObject(name, expression.range)
    case .variable(let name): checkVariable(name, expression.range)
    case .name(let name): checkName(name, expression.range)
    case .reference(let name): checkReference(name, expression.range)
    case .interpolation(let word): check(word)
    case .property(let base, _, _): check(base)
    case .element(let base, let index):
      check(base)
      check(index)
    case .call(let name, let arguments, let range):
      for argument in arguments { check(value: argument) }
      if name == "format" { checkPattern(arguments, range) }
    case .unary(.not, let operand): check(condition: operand)
    case .unary(.negate, let operand): check(operand)
    case .count(let clause): check(clause)
    case .binary(.and, let left, let right, _), .binary(.or, let left, let right, _):
      check(condition: left)
      check(condition: right)
    case .binary(.coalesce, let left, let right, _):
      with { $0.leniency = .absent }.check(left)
      check(right)
      if case .literal(let value) = left.kind { warnOfDefault(for: value, left.range) }
    case .binary(let binary, let left, let right, let range):
      check(left)
      if binary == .in { check(value: right) } else { check(right) }
      checkLiterals(binary, left, right, range)
      guard [.equal, .notEqual].contains(binary) else { return }
      if case .literal(.null) = right.kind { warnOfErrorAsTest(left) }
      if case .literal(.null) = left.kind { warnOfErrorAsTest(right) }
    }
  }

  /// Warns of `1 ?? "x"`, which is 1: the argument is `$1`.
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

  private func check(_ clause: CountClause) {
    var context: String? = "element"
    switch clause.things.kind {
    case .bareWord(let word):
      context = facts.map { $0.collections[word] ?? OperationSelection.namespace }
      let range = clause.things.range
      if GlobPattern.isPattern(word) {
        known.whenKnown { reportImpossible(pattern: word, range) }
      } else if !catalog.collections.contains(word) {
        report(
          .unknownCollection, "there is nothing called '\(word)' to be counted", range,
          help: Spelling.help(for: word, among: catalog.collections)
            ?? "count \(catalog.collectionsText), names such as delay-*, or a list")
      }
    case .literal:
      report(
        .typeMismatch, "only the elements of a list can be counted", clause.things.range,
        help: "'length' gives the length of a text: (length($text))")
    default: break
    }
    check(clause.things)
    // The kind of a list's elements is unknown, so no bare word in the condition can be checked.
    if let condition = clause.condition {
      with { $0.context = context }.check(condition: condition)
    }
  }

  /// Reports what two literals cannot give, which is known before anything runs.
  private func checkLiterals(
    _ binary: Expression.BinaryOperator, _ left: Expression, _ right: Expression,
    _ range: SourceRange
  ) {
    // There an error may be what is wanted.
    if isAttempted { return }
    if binary == .range { refuseRangeEnds(left, right, range) }
    guard case .literal(let second) = right.kind else { return }
    report(range) { () throws(UnplacedError) in
      if case .literal(let first) = left.kind {
        // A loop counts a range without making its list, however long.
        if binary == .range {
          _ = try Evaluator.rangeEnds(first, second)
        } else {
          _ = try Evaluator.apply(binary, first, second)
        }
      } else if binary == .divide || binary == .remainder, case .integer(0) = second {
        throw UnplacedError(.divisionByZero, "division by zero")
      }
    }
  }

  /// Reports a pattern of `format` that is written out and does not fit its values.
  private func checkPattern(_ arguments: [Expression], _ range: SourceRange) {
    guard !isAttempted, let first = arguments.first else { return }
    var pattern: String?
    switch first.kind {
    case .literal(let value): pattern = value.text
    case .interpolation(let word): pattern = word.constant
    default: break
    }
    guard let pattern else { return }
    report(range) { () throws(UnplacedError) in
      try TextPattern(pattern).check(count: arguments.count - 1)
    }
  }

  /// Reports the error that something throws.
  private func report(_ range: SourceRange, _ body: () throws(UnplacedError) -> Void) {
    do throws(UnplacedError) { try body() } catch {
      report(error.page, error.message, range, help: error.help)
    }
  }

  /// Refuses ends of a range that are never whole numbers.
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

  // MARK: Variables

  /// Says what other shells call `$HOME`.
  static func environmentHelp(_ name: String) -> String? {
    guard name.count > 1,
      name.utf8.allSatisfy({ $0.isNamePart && !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0) })
    else { return nil }
    return "a variable of the environment is $env.\(name)"
  }

  private func checkVariable(_ name: String, _ range: SourceRange) {
    if scope.read(name, at: spot(range)) || ["@", "#", "env"].contains(name) { return }
    if let number = Int(name) {
      guard number == 0 else { return }
      return report(
        .undefinedVariable, "there is no variable '0'", range, help: "the first argument is $1")
    }
    if known.scripts.areUnknown || isReadLater(name) { return }
    reportUndefined(
      name, range,
      help: source.helpForHyphen(after: name, range)
        ?? (isObject(name) ? source.helpForObject(name, range) : nil) ?? Spelling.help(
          for: name, among: scope.visibleNames) ?? Self.environmentHelp(name))
  }

  /// Notes that a variable is read after it may have been made; returns whether that is so.
  func isReadLater(_ name: String) -> Bool { readsLater && known.later.read(name) }

  /// Reports a variable that is not there.
  func reportUndefined(_ name: String, _ range: SourceRange, help: String?) {
    let label = known.later[name].flatMap { later -> Diagnostic.Label? in
      let isHere = later.spot.source.isSame(as: source)
      // One that is made before it is gone.
      if isHere, later.spot.range.lower < range.lower { return nil }
      return later.spot.label(
        later.isNested
          ? "this one is local to the block that reads the file"
          : "it is made here, " + (isHere ? "further down" : "later"))
    }
    report(
      .undefinedVariable, "there is no variable '\(name)'", range, labels: label.map { [$0] } ?? [],
      help: help)
  }
}
