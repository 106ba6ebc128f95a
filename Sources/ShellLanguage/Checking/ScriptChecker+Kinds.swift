import Locking

extension ScriptChecker {
  /// A check of an expression that is deferred until all variables are known.
  struct DeferredCheck {
    enum What {
      case comparison(Expression.BinaryOperator, Expression, Expression)
      case property(Expression, String)
      case condition(Expression)
    }

    let what: What
    let range: SourceRange
    let source: SourceText
    let context: String?
    let selfKind: StaticKind
    let leniency: PathLeniency
  }

  /// What a path can be that ends in no property of its value.
  enum PathLeniency {
    /// A mistake.
    case none
    /// In `$name.json`, a value with a text after it.
    case text
    /// On the left of `??`, an absent key of a record.
    case absent
  }

  /// What is known of a variable, wherever it is given something.
  struct VariableFacts {
    /// What it is, unless it is given values of two kinds.
    private(set) var kind: StaticKind?
    /// The one text that it is ever given, if that is written out.
    private(set) var constant: String?

    mutating func note(_ kind: StaticKind, text: String?) {
      guard let known = self.kind else {
        self.kind = kind
        constant = text
        return
      }
      if known != kind { self.kind = .unknown }
      constant = nil
    }
  }

  /// Notes what a variable was given.
  func note(_ name: String, is kind: StaticKind, text: String? = nil) {
    variables[name, default: VariableFacts()].note(kind, text: text)
  }

  /// What `let NAME = …` gives the variable.
  func kind(of source: Assignment.Source) -> StaticKind {
    switch source {
    case .command(let command): return kind(of: command)
    case .value(.word(let word)):
      guard let bare = word.bareText else {
        return word.soleExpression == nil ? StaticKind([.string]) : .unknown
      }
      if let value = LiteralReader.value(of: bare) { return StaticKind(of: value).widened }
      return ExecutionContext.rangeLiteral(bare) == nil
        ? StaticKind([.string]) : StaticKind([.list])
    case .value(.expression(let expression, _)):
      // Variables may be given other values further down, so that they say nothing here.
      return kind(of: expression, readsVariables: false).widened
    case .value: return .unknown
    }
  }

  /// What a command gives; `isOriginal` says that it is the host's, whatever has its name.
  private func kind(of command: CommandStatement, isOriginal: Bool = false) -> StaticKind {
    guard facts != nil, let first = command.arguments[0].bareText else { return .unknown }
    if !isOriginal {
      guard !isUncertain(first), definition(named: first) == nil, laterDefinitions[first] == nil
      else { return .unknown }
      if let text = aliases[first] { return kind(ofAlias: first, text, command) }
    }
    let resolved = command.resolved(in: source, catalog)
    guard case .command(let signature, _) = resolved.match else { return .unknown }
    // What a program prints, without its last line feeds.
    if signature.is(.runsProgram) { return StaticKind([.string]) }
    return signature.command?.value(
      of: CheckedCall(signature: signature, binding: resolved.binding, inheritsOptions: true))
      ?? .unknown
  }

  private func kind(
    ofAlias name: String, _ text: String, _ command: CommandStatement
  ) -> StaticKind {
    guard aliasDepth < 100,
      let expansion = AliasExpansion(name, text, in: command.arguments, command.range, of: source)
    else { return .unknown }
    let outer = source
    aliasDepth += 1
    source = expansion.source
    defer {
      source = outer
      aliasDepth -= 1
    }
    return kind(
      of: expansion.command, isOriginal: expansion.command.arguments[0].bareText == name)
  }

  /// What an expression gives, as far as can be known.
  func kind(of expression: Expression, readsVariables: Bool = true) -> StaticKind {
    if expression.depth > 16, CallStack.isNearlyFull { return .unknown }
    switch expression.kind {
    case .literal(let value): return StaticKind(of: value)
    case .interpolation: return StaticKind([.string])
    case .bareWord(let word):
      if let context = expressionContext {
        guard let shape = facts?.properties(of: context) else { return .unknown }
        if let kind = shape[word] { return kind }
      }
      // A word that is called like a variable was hardly meant as a word; running says so.
      return StaticKind([.string], words: [word])
    case .variable("self"): return selfKind
    case .variable(let name), .name(let name):
      return readsVariables ? variables[name]?.kind ?? .unknown : .unknown
    case .object(let name): return name == "last" ? .object("operation") : objectKind(name)
    case .reference(let name):
      if variables[name] != nil || name == "env" { return .unknown }
      return name == "last" ? .object("operation") : objectKind(name)
    case .property(let base, _, _) where base.isEnvironment: return StaticKind([.string, .null])
    case .property(let base, let name, _):
      let kind = kind(of: base, readsVariables: readsVariables)
      if let shape = kind.shape, kind.families.count == 1 {
        return properties(of: shape)?[name] ?? .unknown
      }
      return name == "count" && kind.families.isSubset(of: [.list, .string])
        ? StaticKind([.number]) : .unknown
    case .element: return .unknown
    case .call(let name, _, _): return BuiltinFunction.kinds[name] ?? .unknown
    case .count: return StaticKind([.number])
    case .unary(.not, _): return StaticKind([.boolean])
    case .unary(.negate, _): return .unknown
    case .binary(let binary, let left, let right, _):
      switch binary {
      case .range: return StaticKind([.list])
      case .coalesce:
        return kind(of: left, readsVariables: readsVariables)
          .orElse(kind(of: right, readsVariables: readsVariables))
      case .add, .subtract, .multiply, .divide, .remainder:
        let numbers = StaticKind([.number])
        return kind(of: left, readsVariables: readsVariables) == numbers
          && kind(of: right, readsVariables: readsVariables) == numbers ? numbers : .unknown
      default: return StaticKind([.boolean])
      }
    }
  }

  /// A bare word before a dot is what the names of the script say.
  private func objectKind(_ name: String) -> StaticKind {
    guard let facts else { return .unknown }
    if let context = expressionContext, let kind = facts.properties(of: context)?[name] {
      return kind
    }
    // As when running, an operation comes first where both have the name.
    let isOperation =
      facts.has(name, in: "operation")
      || symbols.canMake(name, in: "operation")
    let isQueue =
      facts.has(name, in: "queue") || symbols.canMake(name, in: "queue")
    if isOperation != isQueue { return .object(isQueue ? "queue" : "operation") }
    return .unknown
  }

  /// Looks at what an expression compares and reads, once all is known.
  func look(at expression: Expression) {
    guard facts != nil, attemptDepth == 0 else { return }
    switch expression.kind {
    case .binary(let binary, let left, let right, let range):
      switch binary {
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .before, .after,
        .matches:
        deferredChecks.append(
          DeferredCheck(
            what: .comparison(binary, left, right), range: range, source: source,
            context: expressionContext, selfKind: selfKind, leniency: .none))
      default: break
      }
    case .property(let base, let name, let range):
      deferredChecks.append(
        DeferredCheck(
          what: .property(base, name), range: range, source: source, context: expressionContext,
          selfKind: selfKind, leniency: pathLeniency))
    default: break
    }
  }

  /// Has it looked at later whether a condition is a text.
  func deferCheck(of condition: Expression) {
    guard facts != nil, attemptDepth == 0 else { return }
    deferredChecks.append(
      DeferredCheck(
        what: .condition(condition), range: condition.range, source: condition.source ?? source,
        context: expressionContext, selfKind: selfKind, leniency: .none))
  }

  /// Reports comparisons that have one result whatever happens, properties nothing has, and conditions
  /// that are texts.
  func runDeferredChecks() {
    guard !hasUnknownNames else { return }
    let outer = (source, expressionContext, selfKind)
    for check in deferredChecks {
      (source, expressionContext, selfKind) = (check.source, check.context, check.selfKind)
      switch check.what {
      case .comparison(let binary, let left, let right): compare(binary, left, right, check.range)
      case .property(let base, let name): reportProperty(base, name, check)
      case .condition(let condition):
        if kind(of: condition).isText { reportText(condition) }
      }
    }
    (source, expressionContext, selfKind) = outer
  }

  private func compare(
    _ binary: Expression.BinaryOperator, _ left: Expression, _ right: Expression,
    _ range: SourceRange
  ) {
    if binary == .matches {
      if let context = expressionContext { reportUnknownWord(left, context) }
      return
    }
    var (first, second) = (kind(of: left), kind(of: right))
    // As when running: next to a text, a word that is also an amount is meant as the word.
    if case .bareWord(let word) = right.kind, first.families.subtracting([.null]) == [.string],
      !second.families.contains(.string)
    {
      second = StaticKind([.string], words: [word])
    } else if case .bareWord(let word) = left.kind,
      second.families.subtracting([.null]) == [.string], !first.families.contains(.string)
    {
      first = StaticKind([.string], words: [word])
    }
    // Null is what has not come yet; to compare with it is to ask whether it has.
    if first.isUnknown || second.isUnknown || first.families == [.null]
      || second.families == [.null]
    {
      return
    }
    switch binary {
    case .equal, .notEqual:
      guard !first.canEqual(second) else { return }
      // Two words written out are for a person to judge.
      if case .literal = left.kind, case .literal = right.kind, first.families == second.families {
        return
      }
      if reportUnknownOperand(left, right) { return }
      report(
        .impossibleComparison,
        "\(shown(left)) is \(first.description), and never equals \(second.description)", range,
        help: helpForComparison(first, second))
    default:
      guard !first.canBeOrdered(with: second), !areLiterals(left, right),
        !reportUnknownOperand(left, right)
      else { return }
      report(
        .typeMismatch, "cannot compare \(first.description) and \(second.description)", range,
        help: "compare values of the same kind")
    }
  }

  private func areLiterals(_ left: Expression, _ right: Expression) -> Bool {
    if case .literal = left.kind, case .literal = right.kind { return true }
    return false
  }

  private func shown(_ expression: Expression) -> String {
    let text = (expression.source ?? source).text(in: expression.range)
    return "'\(text.count > 40 ? text.prefix(40) + "…" : text[...])'"
  }

  private func helpForComparison(_ left: StaticKind, _ right: StaticKind) -> String {
    if let words = left.words, words.count > 1, let word = right.words?.first {
      return Spelling.help(for: word, among: words) ?? "it is one of: "
        + words.joined(separator: ", ")
    }
    if let words = right.words, words.count > 1, let word = left.words?.first {
      return Spelling.help(for: word, among: words) ?? "it is one of: "
        + words.joined(separator: ", ")
    }
    return "compare values of the same kind"
  }

  private func properties(of shape: String) -> [String: StaticKind]? {
    facts?.properties(of: shape) ?? (shape == "caught error" ? HostFacts.caughtError : nil)
  }

  private func reportProperty(_ base: Expression, _ name: String, _ check: DeferredCheck) {
    let (kind, range) = (kind(of: base), check.range)
    guard kind.families.count == 1 else { return }
    if check.leniency == .absent, kind.families == .record { return }
    guard let shape = kind.shape else {
      if check.leniency == .text, kind.families != .list { return }
      return reportPlainProperty(base, kind, name, range)
    }
    guard let properties = properties(of: shape), properties[name] == nil else { return }
    report(
      .unknownProperty, noProperty(name, of: shape), range,
      help: Spelling.help(for: name, among: properties.keys) ?? "it has: "
        + properties.keys.sorted().joined(separator: ", "))
  }
}

extension ScriptChecker {
  /// A variable with a text after it, as a text holds it.
  ///
  /// After a list a dot asks for a property in a text too.
  private static func followed(_ written: String, _ kind: StaticKind, by name: String) -> String {
    guard written.hasPrefix("$") else { return "${\(written)}.\(name)" }
    return kind.families == .list ? "${\(written.dropFirst())}.\(name)" : "\(written).\(name)"
  }

  /// A text, a number and the like have few properties or none.
  private func reportPlainProperty(
    _ base: Expression, _ kind: StaticKind, _ name: String, _ range: SourceRange
  ) {
    let names: [String]
    switch kind.families.members.first {
    case .string?: names = ["count"]
    case .list?: names = ["count", "first", "last"]
    case .duration?: names = ["seconds"]
    case .number?, .boolean?, .size?, .percent?: names = []
    default: return
    }
    guard !names.contains(name) else { return }
    let written = (base.source ?? source).text(in: base.range)
    let text = Self.followed(written, kind, by: name)
    report(
      .unknownProperty, "\(StaticKind(kind.families).description) has no property '\(name)'", range,
      help: Spelling.help(for: name, among: names)
        ?? "it has \(names.isEmpty ? "none" : names.joined(separator: ", "));"
        + " where the dot is text, write it in a text: \"\(text)\"")
  }
}

extension StaticKind {
  /// What `A ?? B` is.
  func orElse(_ other: StaticKind) -> StaticKind {
    if families == .null { return other }
    guard families.isDisjoint(with: [.record, .object]),
      other.families.isDisjoint(with: [.record, .object])
    else { return .unknown }
    return StaticKind(families.subtracting(.null).union(other.families))
  }

  /// Whether it is a text, or null where there is none yet.
  var isText: Bool { families.contains(.string) && families.isSubset(of: [.string, .null]) }

  /// Without the text, which a variable need not keep.
  var widened: StaticKind { StaticKind(families, shape: shape) }

  /// What the name of a `catch` stands for.
  static let caughtError = StaticKind.record("caught error")
}

extension HostFacts {
  /// The properties of a caught error, which every host has.
  static let caughtError: [String: StaticKind] = [
    "code": StaticKind([.string]), "message": StaticKind([.string]),
    "help": StaticKind([.string, .null]), "file": StaticKind([.string]),
    "line": StaticKind([.number]), "column": StaticKind([.number]),
  ]
}

extension BuiltinFunction {
  /// What the functions give that always give the same kind.
  static let kinds: [String: StaticKind] = [
    "length": StaticKind([.number]), "upper": StaticKind([.string]),
    "lower": StaticKind([.string]), "trim": StaticKind([.string]),
    "replace": StaticKind([.string]), "join": StaticKind([.string]),
    "format": StaticKind([.string]), "text": StaticKind([.string]),
    "starts-with": StaticKind([.boolean]), "ends-with": StaticKind([.boolean]),
    "contains": StaticKind([.boolean]), "split": StaticKind([.list]), "list": StaticKind([.list]),
  ]
}

extension ErrorPage {
  static let impossibleComparison = ErrorPage(
    "impossible-comparison", "A comparison has the same result whatever happens",
    """
    The two sides can never be equal: they are of kinds that have nothing in common, or one \
    is a word that the property never is. A misspelt state would otherwise be a condition \
    that silently never holds.
    """,
    wrong: "let q = fetch questions\nwait $q\nexpect ($q.state != finnished)",
    right: "let q = fetch questions\nwait $q\nexpect ($q.state == finished)")
}
