extension Expression {
  /// Returns an expression with a constant value, in the place of this one.
  public func constant(_ value: Value) -> Expression {
    Expression(.literal(value), range, source: source)
  }

  /// Returns the expression with parts replaced.
  ///
  /// - Parameter replacement: Returns what replaces a part, the outermost first; nil keeps the part
  ///   and replaces inside it.
  /// - Returns: The expression with the replaced parts.
  /// - Throws: What `replacement` throws.
  public func replacing(
    _ replacement: (Expression) throws -> Expression?
  ) rethrows -> Expression {
    if let new = try replacement(self) { return new }
    let kind: Kind
    switch self.kind {
    case .literal, .variable, .bareWord, .object, .name, .reference: return self
    case .interpolation(let word):
      let segments = try word.segments.map { segment in
        guard case .expression(let expression) = segment.content else { return segment }
        return Word.Segment(
          content: .expression(try expression.replacing(replacement)), isQuoted: segment.isQuoted,
          range: segment.range)
      }
      kind = .interpolation(Word(range: word.range, segments: Word.Segments(segments)))
    case .property(let base, let name, let range):
      kind = .property(try base.replacing(replacement), name, range)
    case .element(let base, let index):
      kind = .element(try base.replacing(replacement), try index.replacing(replacement))
    case .call(let name, let arguments, let range):
      kind = .call(name, try arguments.map { try $0.replacing(replacement) }, range)
    case .count(let clause):
      kind = .count(
        CountClause(
          things: try clause.things.replacing(replacement),
          condition: try clause.condition?.replacing(replacement)))
    case .unary(let unary, let operand): kind = .unary(unary, try operand.replacing(replacement))
    case .binary(let binary, let left, let right, let range):
      kind = .binary(
        binary, try left.replacing(replacement), try right.replacing(replacement), range)
    }
    return Expression(kind, range, depth: depth, source: source)
  }

  /// Returns a property of a value, in the place of this expression.
  public func property(_ name: String, of value: Value) -> Expression {
    Expression(.property(constant(value), name, range), range, depth: 2, source: source)
  }
}
