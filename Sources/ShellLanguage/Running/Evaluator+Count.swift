extension Evaluator {
  /// How many things a clause counts.
  func number(of clause: CountClause) throws -> Int {
    // What is inside another count may be about what that counts.
    if subject == nil, let kept = try context.host.keptNumber(of: clause) { return kept }
    return try counted(clause).count
  }

  /// The things that a clause counts.
  func counted(_ clause: CountClause) throws -> [Value] {
    let things = try things(clause.things)
    guard let condition = clause.condition else { return things }
    return try things.filter { thing in
      try context.host.counting(thing) {
        try Evaluator(context: context, source: source, subject: thing).evaluate(condition).isTruthy
      }
    }
  }

  private func things(_ expression: Expression) throws -> [Value] {
    if case .bareWord(let word) = expression.kind {
      if let things = context.host.collection(named: word, in: context) { return things }
      throw failure(
        "unknown-collection", "there is nothing called '\(word)' to be counted", expression.range,
        help: Spelling.help(for: word, among: context.host.catalog.collections)
          ?? "count \(context.host.catalog.collectionsText), names such as delay-*, or a list")
    }
    guard case .list(let values) = try evaluate(expression) else {
      throw failure("type-mismatch", "only the elements of a list can be counted", expression.range)
    }
    return values
  }
}
