extension ScriptWalk {
  mutating func check(_ word: Word, at place: Place) {
    if word.constant != nil { return }
    for segment in word.segments {
      guard case .expression(let expression) = segment.content else { continue }
      check(expression, at: place.with { $0.leniency = segment.isBraced ? .none : .text })
      // `${1}` is an argument in other shells, and here a number.
      guard segment.isBraced, case .literal(.integer(let number)) = expression.kind else {
        continue
      }
      report(
        .expectedVariable, "'${\(number)}' is the number \(number)", expression.range, at: place,
        help: number > 0
          ? "an argument of the script is written '${$\(number)}'" : "write the number",
        severity: .warning)
    }
  }

  /// Checks an expression whose value is used as it is.
  mutating func check(value expression: Expression, at place: Place) {
    if case .bareWord(let word) = expression.kind, place.context == nil,
      catalog.collections.contains(word)
    {
      return refuseCollection(word, expression.range, at: place)
    }
    check(expression, at: place)
  }

  /// Checks an expression of which only counts whether it holds.
  mutating func check(condition: Expression, at place: Place) {
    refuseText(condition, at: place)
    check(condition, at: place)
  }

  mutating func check(_ expression: Expression, at place: Place) {
    guard expression.depth < 16 || hasRoom(for: expression.range, at: place) else { return }
    look(at: expression, at: place)
    switch expression.kind {
    case .literal, .bareWord: break
    case .object(let name): noteObject(name, expression.range, at: place)
    case .variable(let name): checkVariable(name, expression.range, at: place)
    case .name(let name): checkName(name, expression.range, at: place)
    case .reference(let name): checkReference(name, expression.range, at: place)
    case .interpolation(let word): check(word, at: place)
    case .property(let base, _, _): check(base, at: place)
    case .element(let base, let index):
      check(base, at: place)
      check(index, at: place)
    case .call(let name, let arguments, let range):
      for argument in arguments { check(value: argument, at: place) }
      if name == "format" { checkPattern(arguments, range, at: place) }
    case .unary(.not, let operand): check(condition: operand, at: place)
    case .unary(.negate, let operand): check(operand, at: place)
    case .count(let clause): check(clause, at: place)
    case .binary(.and, let left, let right, _), .binary(.or, let left, let right, _):
      check(condition: left, at: place)
      check(condition: right, at: place)
    case .binary(.coalesce, let left, let right, _):
      check(left, at: place.with { $0.leniency = .absent })
      check(right, at: place)
      if case .literal(let value) = left.kind { warnOfDefault(for: value, left.range, at: place) }
    case .binary(let binary, let left, let right, let range):
      check(left, at: place)
      if binary == .in { check(value: right, at: place) } else { check(right, at: place) }
      checkLiterals(binary, left, right, range, at: place)
    }
  }

  /// Warns of `1 ?? "x"`, which is 1: the argument is `$1`.
  private mutating func warnOfDefault(
    for value: Value, _ range: SourceRange, at place: Place
  ) {
    if case .null = value { return }
    var help = "write the value alone"
    if case .integer(1...) = value {
      help = "an argument of the script is written '$\(value.text)'"
    }
    report(
      .expectedVariable, "a value that is written out is never null: '??' has no effect", range,
      at: place, help: help, severity: .warning)
  }

  private mutating func check(_ clause: CountClause, at place: Place) {
    var context: String? = "element"
    switch clause.things.kind {
    case .bareWord(let word):
      context = facts.map { $0.collections[word] ?? OperationSelection.namespace }
      let range = clause.things.range
      if GlobPattern.isPattern(word) {
        whenKnown { $0.reportImpossible(pattern: word, range, at: place) }
      } else if !catalog.collections.contains(word) {
        report(
          .unknownCollection, "there is nothing called '\(word)' to be counted", range, at: place,
          help: Spelling.help(for: word, among: catalog.collections)
            ?? "count \(catalog.collectionsText), names such as delay-*, or a list")
      }
    case .literal:
      report(
        .typeMismatch, "only the elements of a list can be counted", clause.things.range,
        at: place, help: "'length' gives the length of a text: (length($text))")
    default: break
    }
    check(clause.things, at: place)
    // The kind of a list's elements is unknown, so no bare word in the condition can be checked.
    if let condition = clause.condition {
      check(condition: condition, at: place.with { $0.context = context })
    }
  }

  /// Reports what two literals cannot give, which is known before anything runs.
  private mutating func checkLiterals(
    _ binary: Expression.BinaryOperator, _ left: Expression, _ right: Expression,
    _ range: SourceRange, at place: Place
  ) {
    // There an error may be what is wanted.
    if place.isAttempted { return }
    if binary == .range { refuseRangeEnds(left, right, range, at: place) }
    guard case .literal(let second) = right.kind else { return }
    report(range, at: place) { () throws(UnplacedError) in
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
  private mutating func checkPattern(
    _ arguments: [Expression], _ range: SourceRange, at place: Place
  ) {
    guard !place.isAttempted, let first = arguments.first else { return }
    var pattern: String?
    switch first.kind {
    case .literal(let value): pattern = value.text
    case .interpolation(let word): pattern = word.constant
    default: break
    }
    guard let pattern else { return }
    report(range, at: place) { () throws(UnplacedError) in
      try TextPattern(pattern).check(count: arguments.count - 1)
    }
  }

  /// Reports the error that something throws.
  private mutating func report(
    _ range: SourceRange, at place: Place, _ body: () throws(UnplacedError) -> Void
  ) {
    do throws(UnplacedError) { try body() } catch {
      report(error.page, error.message, range, at: place, help: error.help)
    }
  }

  /// Refuses ends of a range that are never whole numbers.
  private mutating func refuseRangeEnds(
    _ left: Expression, _ right: Expression, _ range: SourceRange, at place: Place
  ) {
    for end in [left, right] {
      if case .literal = end.kind { continue }
      let families = kind(of: end, at: place, readsVariables: false).families
      guard families.isDisjoint(with: [.number, .string]) else { continue }
      return report(
        .typeMismatch,
        "a range needs an integer on both sides, found \(StaticKind(families).description)", range,
        at: place, help: "for example 1..5")
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

  private mutating func checkVariable(_ name: String, _ range: SourceRange, at place: Place) {
    if place.scope.read(name, at: place.spot(range)) || ["@", "#", "env"].contains(name) { return }
    if let number = Int(name) {
      guard number == 0 else { return }
      return report(
        .undefinedVariable, "there is no variable '0'", range, at: place,
        help: "the first argument is $1")
    }
    if scripts.areUnknown || isReadLater(name, at: place) { return }
    reportUndefined(
      name, range, at: place,
      help: place.source.helpForHyphen(after: name, range)
        ?? (isObject(name) ? place.source.helpForObject(name, range) : nil)
        ?? Spelling.help(for: name, among: place.scope.visibleNames)
        ?? Self.environmentHelp(name))
  }

  /// Notes that a variable is read after it may have been made; returns whether that is so.
  mutating func isReadLater(_ name: String, at place: Place) -> Bool {
    place.readsLater && later.read(name)
  }

  /// Reports a variable that is not there.
  mutating func reportUndefined(
    _ name: String, _ range: SourceRange, at place: Place, help: String?
  ) {
    let label = later[name].map { later in
      later.spot.label(
        later.isNested
          ? "this one is local to the block that reads the file"
          : "it is made here, "
            + (later.spot.source.isSame(as: place.source) ? "further down" : "later"))
    }
    report(
      .undefinedVariable, "there is no variable '\(name)'", range, at: place,
      labels: label.map { [$0] } ?? [], help: help)
  }
}
