extension Evaluator {
  /// Refuses a count of the elements of a list whose condition names a field that no element has.
  ///
  /// The misspelt name would be a text, which no element ever equals. A word stands for a field where
  /// what it is a part of reads nothing else: in `name == $wanted` and `$mode == fast` there is more
  /// to compare.
  func refuseMissingFields(of clause: CountClause, in things: [Value]) throws {
    if case .bareWord = clause.things.kind { return }
    guard let condition = clause.condition, !things.isEmpty else { return }
    let missing = condition.loneWord { word in
      let values = things.compactMap { $0.property(word) }
      if values.isEmpty { return nil }
      return values.contains { if case .string = $0 { true } else { false } } ? .text : .other
    }
    guard let missing, case .bareWord(let word) = missing.kind else { return }
    let names = Set(things.flatMap(\.propertyNames)).sorted()
    throw failure(
      .unknownProperty, "no element of the list has a property '\(word)'", missing.range,
      help: Spelling.help(for: word, among: names)
        ?? (names.isEmpty || names.count > 40 ? nil : "they have: " + names.joined(separator: ", "))
    )
  }
}

extension ExecutionContext {
  /// Refuses a count of the elements of a list whose condition names a field that no element has.
  public func refuseMissingFields(of clause: CountClause, in things: [Value]) throws {
    try evaluator.refuseMissingFields(of: clause, in: things)
  }
}

/// What elements have in a field: a text in one of them at least, or none.
private enum Field {
  case text
  case other
}

extension Expression {
  /// The first part of a condition that reads nothing but words, none of which is a field: its word.
  fileprivate func loneWord(_ field: (String) -> Field?) -> Expression? {
    switch kind {
    case .binary(.and, let left, let right, _), .binary(.or, let left, let right, _):
      left.loneWord(field) ?? right.loneWord(field)
    case .unary(.not, let operand): operand.loneWord(field)
    default: words(field)?.first
    }
  }

  /// The words in it; nil if it reads anything else.
  private func words(_ field: (String) -> Field?) -> [Expression]? {
    func all(_ parts: [Expression]) -> [Expression]? {
      let words = parts.map { $0.words(field) }
      return words.contains { $0 == nil } ? nil : words.flatMap { $0 ?? [] }
    }
    switch kind {
    case .literal: return []
    case .bareWord(let word): return field(word) == nil ? [self] : nil
    case .unary(_, let operand): return all([operand])
    // In 'swift in tags' the field is on the right.
    case .binary(.in, let left, let right, _): return all([right, left])
    case .binary(let binary, let left, let right, _):
      // In 'stat == finished' the second word is meant as it is written: as a field it is no text.
      if binary == .equal || binary == .notEqual, case .bareWord = left.kind,
        case .bareWord(let word) = right.kind, field(word) == .other
      {
        return left.words(field)
      }
      return all([left, right])
    case .call(_, let arguments, _): return all(arguments)
    default: return nil
    }
  }
}
