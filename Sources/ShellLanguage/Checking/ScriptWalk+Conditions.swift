extension ScriptWalk {
  /// Refuses a text as a condition, such as a bare word; whether some others are texts is known only
  /// when all variables are.
  ///
  /// Where bare words are properties, it is one of those.
  mutating func refuseText(_ condition: Expression, at place: Place) {
    switch condition.kind {
    case .literal(.string), .interpolation: return reportText(condition, at: place)
    case .bareWord(let word):
      guard let context = place.context else { return refuse(word, condition, at: place) }
      if reportUnknownWord(condition, context, at: place) { return }
    case .binary(.coalesce, _, _, _): break
    case .literal, .binary, .unary, .count, .element: return
    default: break
    }
    if place.isAttempted { return }
    whenKnown {
      if $0.kind(of: condition, at: place).isText { $0.reportText(condition, at: place) }
    }
  }

  /// Reports a condition that is a text.
  private mutating func reportText(_ condition: Expression, at place: Place) {
    add(.textAsCondition(condition, source: condition.source ?? place.source), at: place)
  }

  /// Refuses a bare word as a condition.
  private mutating func refuse(_ word: String, _ condition: Expression, at place: Place) {
    if catalog.collections.contains(word) {
      return refuseCollection(word, condition.range, at: place)
    }
    let help: String
    if place.scope.visibleNames.contains(word) {
      help = "did you mean '$\(word)'?"
    } else if isOperation(word) {
      help = "this is an operation; compare one of its properties: (\(word).state == finished)"
    } else if let near = Spelling.suggestions(for: word, among: ["true", "false"]).first {
      help = "did you mean '\(near)'?"
    } else if word.utf8.allSatisfy({ $0.isNamePart || $0 == .minus }) {
      help = "a variable is written '$\(word)'"
    } else {
      help = "compare it with something: =="
    }
    report(
      .expectedCondition, "'\(word)' is a text; expected a condition", condition.range, at: place,
      help: help)
  }

  /// Refuses `return last` and `let o = (last)`, which were hardly meant as the text.
  mutating func refuseLast(_ argument: Argument, at place: Place) {
    var word = argument.bareText
    if case .expression(let expression, _) = argument, case .bareWord(let bare) = expression.kind {
      word = bare
    }
    guard word == "last" else { return }
    report(
      .typeMismatch, "'last' cannot be used as a value", argument.range, at: place,
      help: Diagnostic.helpForLast + "; a text stands in quotes")
  }

  /// Refuses `(ops)`, which was hardly meant as the text.
  mutating func refuseCollection(_ word: String, _ range: SourceRange, at place: Place) {
    report(
      .unknownCollection, "'\(word)' cannot be used as a value", range, at: place,
      help: helpForCollection(word))
  }

  func helpForCollection(_ word: String) -> String {
    let isSelection = facts?.collections[word] == OperationSelection.namespace
    let loop = isSelection ? "to go through operations write: for op in all { … }; " : ""
    return loop + "to count them: (count of \(word))"
  }

  /// Refuses a pattern in a `for` that no operation's name can match, such as `*.txt`, and warns of
  /// `for op in ops`, which goes through one text.
  mutating func checkForWord(_ item: Argument, at place: Place) {
    guard let text = item.bareText else { return }
    if !place.isAttempted, item.selectsOperations,
      !text.utf8.allSatisfy({ byte in
        byte.isNamePart || byte == .minus || byte >= 0x80 || byte == UInt8(ascii: "*")
          || byte == UInt8(ascii: "?")
      })
    {
      report(
        .unknownOperation, "no operation's name can match '\(text)'", item.range, at: place,
        help: "a word with a '*' is a pattern of operations; where the star is text, quote the word"
      )
    }
    if catalog.collections.contains(text) {
      report(
        .unknownCollection, "'\(text)' is only a text here", item.range, at: place,
        help: helpForCollection(text), severity: .warning)
    }
  }

  /// Reports a bare word that is not a property where bare words are properties.
  ///
  /// - Returns: Whether it is not a property.
  @discardableResult
  mutating func reportUnknownWord(
    _ operand: Expression, _ shape: String, at place: Place
  ) -> Bool {
    guard case .bareWord(let word) = operand.kind, let properties = facts?.properties(of: shape),
      properties[word] == nil
    else { return false }
    reportUnknownProperty(word, of: shape, properties, operand.range, at: place)
    return true
  }

  /// Reports the operand of an impossible comparison that was to be a property and is none.
  mutating func reportUnknownOperand(
    _ left: Expression, _ right: Expression, at place: Place
  ) -> Bool {
    guard let context = place.context, let properties = facts?.properties(of: context) else {
      return false
    }
    if case .bareWord(let word) = right.kind, properties[word]?.families.contains(.string) == true {
      return false
    }
    if case .bareWord = left.kind { return reportUnknownWord(left, context, at: place) }
    return reportUnknownWord(right, context, at: place)
  }
}
