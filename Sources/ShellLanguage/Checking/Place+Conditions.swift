extension Place {
  /// Refuses a text as a condition, such as a bare word; whether some others are texts is known only
  /// when all variables are.
  ///
  /// Where bare words are properties, it is one of those.
  func refuseText(_ condition: Expression) {
    switch condition.kind {
    case .literal(.string), .interpolation: return reportText(condition)
    case .bareWord(let word):
      guard let context = context else { return refuse(word, condition) }
      if reportUnknownWord(condition, context) { return }
    case .binary(.coalesce, _, _, _): break
    case .literal, .binary, .unary, .count, .element: return
    default: break
    }
    if isAttempted { return }
    known.whenKnown { if kind(of: condition).isText { reportText(condition) } }
  }

  /// Warns where the error of an operation is compared with null: a cancelled one has one, too.
  func warnOfErrorAsTest(_ tested: Expression) {
    let subject: String
    switch tested.kind {
    case .property(let base, "error", _):
      switch base.kind {
      case .object, .variable, .reference:
        subject = (tested.source ?? source).text(in: base.range) + "."
      default: return
      }
    case .bareWord("error") where context == OperationSelection.namespace: subject = ""
    default: return
    }
    report(
      .errorAsTest, "a cancelled operation has an error, too", tested.range,
      help: "for a failure write: (\(subject)outcome == failed); for a success: "
        + "(\(subject)outcome == succeeded)", severity: .warning)
  }

  /// Reports a condition that is a text.
  private func reportText(_ condition: Expression) {
    add(.textAsCondition(condition, source: condition.source ?? source))
  }

  /// Refuses a bare word as a condition.
  private func refuse(_ word: String, _ condition: Expression) {
    if catalog.collections.contains(word) { return refuseCollection(word, condition.range) }
    let help: String
    if scope.visibleNames.contains(word) {
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
      .expectedCondition, "'\(word)' is a text; expected a condition", condition.range, help: help)
  }

  /// Refuses `return last` and `let o = (last)`, which were hardly meant as the text.
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

  /// Refuses `(ops)`, which was hardly meant as the text.
  func refuseCollection(_ word: String, _ range: SourceRange) {
    report(
      .unknownCollection, "'\(word)' cannot be used as a value", range,
      help: helpForCollection(word))
  }

  func helpForCollection(_ word: String) -> String {
    let isSelection = facts?.collections[word] == OperationSelection.namespace
    let loop =
      isSelection
      ? "to go through operations write: for op in all { … }, or for op in ops where (…) { … }; "
      : ""
    return loop + "to count them: (count of \(word))"
  }

  /// Checks what a `for` goes through where it is a collection of the host.
  func check(_ collection: LoopCollection, binding name: Name) {
    let element = facts.map { $0.collections[collection.name] ?? OperationSelection.namespace }
    if let condition = collection.condition {
      with { $0.context = element }.check(condition: condition)
    }
    known.note(name.text, is: element.map { .object($0) } ?? .unknown)
  }

  /// Checks the words that a `for` goes through.
  func checkWords(_ items: [Argument], of name: Name) {
    let misplaced = LoopCollection.misplacedWhere(items, in: catalog)
    if let word = misplaced {
      let collection = items[0].bareText ?? ""
      report(
        .expectedCondition, "'where' needs one condition in parentheses after it", word.range,
        help: "for \(name.text) in \(collection) where (…) { … }")
    }
    for item in items {
      check(item)
      if misplaced == nil { checkForWord(item) }
      noteTexts(of: item, for: name.text)
    }
    known.note(
      name.text, is: items.allSatisfy(\.selectsOperations) ? .object("operation") : .unknown)
  }

  /// Refuses a pattern in a `for` that no operation's name can match, such as `*.txt`, and warns of
  /// `for op in ops`, which goes through one text.
  func checkForWord(_ item: Argument) {
    guard let text = item.bareText else { return }
    if !isAttempted, item.selectsOperations,
      !text.utf8.allSatisfy({ byte in
        byte.isNamePart || byte == .minus || byte >= 0x80 || byte == UInt8(ascii: "*")
          || byte == UInt8(ascii: "?")
      })
    {
      report(
        .unknownOperation, "no operation's name can match '\(text)'", item.range,
        help: "a word with a '*' is a pattern of operations; where the star is text, quote the word"
      )
    }
    if catalog.collections.contains(text) {
      report(
        .unknownCollection, "'\(text)' is only a text here", item.range,
        help: helpForCollection(text), severity: .warning)
    }
  }

  /// Reports a bare word that is not a property where bare words are properties.
  ///
  /// - Returns: Whether it is not a property.
  @discardableResult func reportUnknownWord(_ operand: Expression, _ shape: String) -> Bool {
    guard case .bareWord(let word) = operand.kind, let properties = facts?.properties(of: shape),
      properties[word] == nil
    else { return false }
    reportUnknownProperty(word, of: shape, properties, operand.range)
    return true
  }

  /// Reports the operand of an impossible comparison that was to be a property and is none.
  func reportUnknownOperand(_ left: Expression, _ right: Expression) -> Bool {
    guard let context = context, let properties = facts?.properties(of: context) else {
      return false
    }
    if case .bareWord(let word) = right.kind, properties[word]?.families.contains(.string) == true {
      return false
    }
    if case .bareWord = left.kind { return reportUnknownWord(left, context) }
    return reportUnknownWord(right, context)
  }
}

extension ErrorPage {
  static let errorAsTest = ErrorPage(
    "error-as-test", "'error' is compared with null, as if only failed operations had one",
    """
    A cancelled operation has an error with the code 'cancelled', and is no failure. What tells how \
    an operation has ended is its 'outcome'.
    """, wrong: "delay 1ms --name a\nwait\nif (a.error != null) { fail \"a\" }",
    right: "delay 1ms --name a\nwait\nif (a.outcome == failed) { fail \"a\" }", proof: .warning)
}
