extension ScriptChecker {
  /// Checks an expression of which only counts whether it holds.
  func check(condition: Expression, in scope: CheckedScope) {
    refuseText(condition, in: scope)
    check(condition, in: scope)
  }

  /// Refuses a text as a condition, such as a bare word; whether some others are texts is known only
  /// when all variables are.
  ///
  /// Where bare words are properties, it is one of those.
  func refuseText(_ condition: Expression, in scope: CheckedScope) {
    switch condition.kind {
    case .bareWord(let word): refuseWord(word, condition, in: scope)
    case .literal(.string), .interpolation: reportText(condition)
    case .binary(.coalesce, _, _, _): deferCheck(of: condition)
    case .literal, .binary, .unary, .count, .element: break
    default: deferCheck(of: condition)
    }
  }

  /// Reports a condition that is a text.
  func reportText(_ condition: Expression) {
    diagnostics.append(.textAsCondition(condition, source: condition.source ?? source))
  }

  private func refuseWord(_ word: String, _ condition: Expression, in scope: CheckedScope) {
    let isName = word.utf8.allSatisfy { $0.isNamePart || $0 == .minus }
    guard let context = expressionContext else {
      if catalog.collections.contains(word) { return refuseCollection(word, condition.range) }
      let help: String
      if scope.visibleNames.contains(word) {
        help = "did you mean '$\(word)'?"
      } else if isOperation(word) {
        help = "this is an operation; compare one of its properties: (\(word).state == finished)"
      } else if let near = Spelling.suggestions(for: word, among: ["true", "false"]).first {
        help = "did you mean '\(near)'?"
      } else {
        help = isName ? "a variable is written '$\(word)'" : "compare it with something: =="
      }
      return report(
        .expectedCondition, "'\(word)' is a text; expected a condition", condition.range,
        help: help)
    }
    if !reportUnknownWord(condition, context) { deferCheck(of: condition) }
  }

  /// `return last` and `let o = (last)` were hardly meant as the text.
  func refuseLast(_ argument: Argument) {
    var word = argument.bareText
    if case .expression(let expression, _) = argument, case .bareWord(let bare) = expression.kind {
      word = bare
    }
    guard word == "last" else { return }
    report(
      .typeMismatch, "'last' cannot be used as a value", argument.range,
      help: Diagnostic.helpForLast + "; a text stands in quotes")
  }

  /// Reports a bare word that is not a property where bare words are properties.
  ///
  /// - Returns: Whether it is not a property.
  @discardableResult
  func reportUnknownWord(_ operand: Expression, _ shape: String) -> Bool {
    guard case .bareWord(let word) = operand.kind, let properties = facts?.properties(of: shape),
      properties[word] == nil
    else { return false }
    report(
      .unknownProperty, noProperty(word, of: shape), operand.range,
      help: Spelling.help(for: word, among: properties.keys) ?? "it has: "
        + properties.keys.sorted().joined(separator: ", "))
    return true
  }

  /// Reports the operand of an impossible comparison that was to be a property and is none.
  func reportUnknownOperand(_ left: Expression, _ right: Expression) -> Bool {
    guard let context = expressionContext, let properties = facts?.properties(of: context) else {
      return false
    }
    if case .bareWord(let word) = right.kind, properties[word]?.families.contains(.string) == true {
      return false
    }
    if case .bareWord = left.kind { return reportUnknownWord(left, context) }
    return reportUnknownWord(right, context)
  }

  func noProperty(_ name: String, of shape: String) -> String {
    let article = shape.first.map { "aeiou".contains($0) } == true ? "an" : "a"
    return "\(article) \(shape) has no property '\(name)'"
  }

  /// Whether the name is that of an operation, or looks like one that a counter makes.
  func isOperation(_ word: String) -> Bool {
    if facts?.has(word, in: "operation") == true || word == "last" { return true }
    let parts = word.split(separator: "-")
    return parts.count > 1 && Int(parts[parts.count - 1]) != nil
  }
}
