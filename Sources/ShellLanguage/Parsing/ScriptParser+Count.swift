extension ScriptParser {
  /// Where what is counted begins, if `of` stands behind the word `count`.
  func startOfCounted() -> Int? {
    var offset = position
    while let byte = byte(at: offset), byte.isBlank || byte == .newline { offset += 1 }
    return offset > position && plainWord(at: offset) == "of" ? offset + 2 : nil
  }

  /// Reads `THINGS where E` of `count of THINGS where E`; the condition goes as far as it can.
  mutating func parseCount(from start: Int, at things: Int) throws(ParseFailure) -> Expression {
    try enter(at: start)
    defer { depth -= 1 }
    position = things
    let counted = try parseOperand()
    let end = position
    skipLayout()
    var condition: Expression?
    if plainWord(at: position) == "where" {
      position += "where".utf8.count
      condition = try parseExpression()
    } else {
      position = end
    }
    let depth = max(counted.depth, condition?.depth ?? 0) + 1
    guard depth < Parser.maximumDepth else { throw tooDeep(at: start) }
    return Expression(
      .count(CountClause(things: counted, condition: condition)),
      range(start, start + 5).union(condition?.range ?? counted.range), depth: depth)
  }
}
