import OpshLocking

extension Place {
  /// Returns what `let NAME = …` gives the variable.
  func kind(of source: Assignment.Source) -> StaticKind {
    switch source {
    case .command(let command): return kind(of: command)
    case .value(.word(let word)):
      guard let bare = word.bareText else {
        return word.soleExpression == nil ? StaticKind([.string]) : .unknown
      }
      if let value = LiteralReader.value(of: bare) { return StaticKind(of: value).widened }
      return StaticKind(ExecutionContext.rangeLiteral(bare) == nil ? [.string] : [.list])
    case .value(.expression(let expression, _)):
      // Variables may be given other values further down, so that they say nothing here.
      return kind(of: expression, readsVariables: false).widened
    case .value: return .unknown
    }
  }

  /// Returns what a command gives; `isOriginal` says that it is the host's, whatever has its name.
  private func kind(of command: CommandStatement, isOriginal: Bool = false) -> StaticKind {
    guard facts != nil, let first = command.arguments[0].bareText,
      isOriginal || known.words.later[first] == nil
    else { return .unknown }
    switch meaning(of: command, isOriginal: isOriginal) {
    case .uncertain, .definition, .unknown, .alias(nil): return .unknown
    case .alias(let expansion?):
      return inside(expansion).kind(of: expansion.command, isOriginal: expansion.isOriginal)
    // What a program prints, without its last line feeds.
    case .command(_, let call) where call.signature.is(.runsProgram): return StaticKind([.string])
    case .command(_, var call):
      call.inheritedOptions = nil
      return call.signature.command?.value(of: call) ?? .unknown
    }
  }

  /// Returns what an expression gives, as far as can be known.
  func kind(of expression: Expression, readsVariables: Bool = true) -> StaticKind {
    func kind(_ part: Expression) -> StaticKind {
      self.kind(of: part, readsVariables: readsVariables)
    }
    if expression.depth > 16, CallStack.isNearlyFull { return .unknown }
    switch expression.kind {
    case .literal(let value): return StaticKind(of: value)
    case .interpolation: return StaticKind([.string])
    case .bareWord(let word):
      if let context = context {
        guard let shape = facts?.properties(of: context) else { return .unknown }
        if let kind = shape[word] { return kind }
      }
      // A word that is called like a variable was hardly meant as a word; running says so.
      return StaticKind([.string], words: [word])
    case .variable("self"): return selfKind
    case .variable(let name), .name(let name):
      return readsVariables ? known.variables[name]?.kind ?? .unknown : .unknown
    case .object(let name): return objectKind(name)
    case .reference(let name):
      return known.variables[name] != nil || name == "env" ? .unknown : objectKind(name)
    case .property(let base, _, _) where base.isEnvironment: return StaticKind([.string, .null])
    case .property(let base, let name, _):
      let kind = kind(base)
      if let shape = kind.shape, kind.families.count == 1 {
        return properties(of: shape)?[name] ?? .unknown
      }
      return name == "count" && kind.families.isSubset(of: [.list, .string])
        ? StaticKind([.number]) : .unknown
    case .call(let name, _, _): return BuiltinFunction.kinds[name] ?? .unknown
    case .count: return StaticKind([.number])
    case .unary(.not, _): return StaticKind([.boolean])
    case .element, .unary(.negate, _): return .unknown
    case .binary(.range, _, _, _): return StaticKind([.list])
    case .binary(.coalesce, let left, let right, _): return kind(left).orElse(kind(right))
    case .binary(let binary, let left, let right, _):
      switch binary {
      case .add, .subtract, .multiply, .divide, .remainder:
        let numbers = StaticKind([.number])
        return kind(left) == numbers && kind(right) == numbers ? numbers : .unknown
      default: return StaticKind([.boolean])
      }
    }
  }

  /// Returns what a bare word before a dot is, by the names of the script.
  private func objectKind(_ name: String) -> StaticKind {
    if name == "last" { return .object("operation") }
    guard let facts else { return .unknown }
    if let context = context, let kind = facts.properties(of: context)?[name] { return kind }
    // As when running, an operation comes first where both have the name.
    let (isOperation, isQueue) = (mayHave(name, in: "operation"), mayHave(name, in: "queue"))
    return isOperation == isQueue ? .unknown : .object(isQueue ? "queue" : "operation")
  }

  private func mayHave(_ name: String, in namespace: String) -> Bool {
    facts?.has(name, in: namespace) == true || known.symbols.canMake(name, inAny: [namespace])
  }

  private func properties(of shape: String) -> [String: StaticKind]? {
    facts?.properties(of: shape) ?? (shape == "caught error" ? HostFacts.caughtError : nil)
  }

  /// Has looked at later what an expression compares and reads.
  func look(at expression: Expression) {
    if isAttempted { return }
    switch expression.kind {
    case .binary(.matches, let left, _, _):
      guard let context = context else { return }
      known.whenKnown { reportUnknownWord(left, context) }
    case .binary(let binary, let left, let right, let range):
      switch binary {
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .before, .after:
        known.whenKnown { compare(binary, left, right, range) }
      default: break
      }
    case .property(let base, let name, let range):
      known.whenKnown { reportProperty(base, name, range) }
    default: break
    }
  }

  /// Reports a comparison that has one result whatever happens.
  private func compare(
    _ binary: Expression.BinaryOperator, _ left: Expression, _ right: Expression,
    _ range: SourceRange
  ) {
    var (first, second) = (kind(of: left), kind(of: right))
    // As when running: next to a text, a word that is also an amount is meant as the word.
    if case .bareWord(let word) = right.kind, first.isText, !second.families.contains(.string) {
      second = StaticKind([.string], words: [word])
    } else if case .bareWord(let word) = left.kind, second.isText, !first.families.contains(.string)
    {
      first = StaticKind([.string], words: [word])
    }
    // Null is what has not come yet; to compare with it is to ask whether it has.
    guard !first.isUnknown, !second.isUnknown, first.families != .null, second.families != .null
    else { return }
    if second.families == .percent ? isShare(left) : first.families == .percent && isShare(right) {
      report(
        .impossibleComparison, "'progress' is a number from 0 to 1, and no percentage", range,
        help: "half is 0.5")
      return
    }
    var areLiterals = false
    if case .literal = left.kind, case .literal = right.kind { areLiterals = true }
    if binary == .equal || binary == .notEqual {
      // Two words written out are for a person to judge.
      guard !first.canEqual(second), !areLiterals || first.families != second.families,
        !reportUnknownOperand(left, right)
      else { return }
      report(
        .impossibleComparison,
        "\(shown(left)) is \(first.description), and never equals \(second.description)", range,
        help: Self.helpForWords(first, second) ?? Self.helpForWords(second, first)
          ?? "compare values of the same kind")
    } else if !first.canBeOrdered(with: second), !areLiterals, !reportUnknownOperand(left, right) {
      report(
        .typeMismatch, "cannot compare \(first.description) and \(second.description)", range,
        help: "compare values of the same kind")
    }
  }

  /// Returns whether it is the progress of an operation.
  private func isShare(_ expression: Expression) -> Bool {
    switch expression.kind {
    case .bareWord("progress"): context == OperationSelection.namespace
    case .property(let base, "progress", _): kind(of: base).families == .object
    default: false
    }
  }

  private func shown(_ expression: Expression) -> String {
    let text = (expression.source ?? source).text(in: expression.range)
    return "'\(text.count > 40 ? text.prefix(40) + "…" : text[...])'"
  }

  private static func helpForWords(_ kind: StaticKind, _ other: StaticKind) -> String? {
    guard let words = kind.words, words.count > 1, let word = other.words?.first else { return nil }
    return Spelling.help(for: word, among: words) ?? "it is one of: "
      + words.joined(separator: ", ")
  }

  /// Reports a property that its value never has.
  private func reportProperty(_ base: Expression, _ name: String, _ range: SourceRange) {
    let kind = kind(of: base)
    guard kind.families.count == 1, leniency != .absent || kind.families != .record else { return }
    if let shape = kind.shape {
      if let properties = properties(of: shape), properties[name] == nil {
        reportUnknownProperty(name, of: shape, properties, range)
      }
    } else if leniency != .text || kind.families == .list {
      reportPlainProperty(base, kind, name, range)
    }
  }

  func reportUnknownProperty(
    _ name: String, of shape: String, _ properties: [String: StaticKind], _ range: SourceRange
  ) {
    let article = shape.first.map { "aeiou".contains($0) } == true ? "an" : "a"
    report(
      .unknownProperty, "\(article) \(shape) has no property '\(name)'", range,
      help: Spelling.help(for: name, among: properties.keys) ?? "it has: "
        + properties.keys.sorted().joined(separator: ", "))
  }

  /// Reports a property of a text, a number and the like, which have few or none.
  private func reportPlainProperty(
    _ base: Expression, _ kind: StaticKind, _ name: String, _ range: SourceRange
  ) {
    let names: [String]
    switch kind.families {
    case .string: names = ["count"]
    case .list: names = ["count", "first", "last"]
    case .duration: names = ["seconds"]
    case .number, .boolean, .size, .percent: names = []
    default: return
    }
    guard !names.contains(name) else { return }
    // After a list a dot asks for a property in a text too.
    var written = (base.source ?? source).text(in: base.range)
    if !written.hasPrefix("$") {
      written = "${\(written)}"
    } else if kind.families == .list {
      written = "${\(written.dropFirst())}"
    }
    report(
      .unknownProperty, "\(StaticKind(kind.families).description) has no property '\(name)'", range,
      help: Spelling.help(for: name, among: names)
        ?? "it has \(names.isEmpty ? "none" : names.joined(separator: ", "));"
        + " where the dot is text, write it in a text: \"\(written).\(name)\"")
  }
}

extension StaticKind {
  /// Returns what `A ?? B` is.
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
    "length": StaticKind([.number]), "upper": StaticKind([.string]), "lower": StaticKind([.string]),
    "trim": StaticKind([.string]), "replace": StaticKind([.string]), "join": StaticKind([.string]),
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
    """, wrong: "let q = fetch questions\nwait $q\nexpect ($q.state != finnished)",
    right: "let q = fetch questions\nwait $q\nexpect ($q.state == finished)")
}
