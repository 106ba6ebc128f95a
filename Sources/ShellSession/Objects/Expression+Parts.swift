package import ShellLanguage

extension ShellLanguage.Expression {
  /// The operations and queues that the expression names before a dot.
  package var objectNames: [String] {
    parts {
      switch $0 {
      case .object(let name), .reference(let name): name
      default: nil
      }
    }
  }

  /// The variables in it.
  package var variableNames: [String] {
    parts {
      switch $0 {
      case .variable(let name), .name(let name), .reference(let name): name
      default: nil
      }
    }
  }

  /// The bare words in it, including those before a dot.
  package var words: Set<String> {
    Set(
      parts {
        switch $0 {
        case .bareWord(let word), .object(let word), .reference(let word): word
        default: nil
        }
      })
  }

  /// The counted objects.
  package var countClauses: [CountClause] {
    let own: [CountClause] = if case .count(let clause) = kind { [clause] } else { [] }
    return own + children.flatMap(\.countClauses)
  }

  /// The names of the properties it reads; in a condition of `count of` a bare word may be one.
  package var propertyNames: Set<String> {
    var names = Set(parts { if case .property(_, let name, _) = $0 { name } else { nil } })
    for clause in countClauses {
      names.formUnion(
        clause.condition?.parts { if case .bareWord(let word) = $0 { word } else { nil } } ?? [])
    }
    return names
  }

  /// The operands whose values help a reader of a failed comparison: every operand that is not a
  /// literal, outermost first.
  package var comparedParts: [ShellLanguage.Expression] {
    switch kind {
    case .unary(.not, let operand): operand.comparedParts
    case .binary(.and, let left, let right, _), .binary(.or, let left, let right, _):
      left.comparedParts + right.comparedParts
    case .binary(_, let left, let right, _): [left, right].filter(\.isWorthShowing)
    default: isWorthShowing ? [self] : []
    }
  }

  private var isWorthShowing: Bool {
    switch kind {
    case .literal, .bareWord: false
    default: true
    }
  }

  private func parts(_ pick: (Kind) -> String?) -> [String] {
    let own = pick(kind).map { [$0] } ?? []
    return own + children.flatMap { $0.parts(pick) }
  }

  /// The subexpressions.
  var children: [ShellLanguage.Expression] {
    switch kind {
    case .literal, .variable, .bareWord, .object, .name, .reference, .interpolation: []
    case .property(let base, _, _): [base]
    case .element(let base, let index): [base, index]
    case .call(_, let arguments, _): arguments
    case .unary(_, let operand): [operand]
    case .count(let clause): [clause.things] + (clause.condition.map { [$0] } ?? [])
    case .binary(_, let left, let right, _): [left, right]
    }
  }
}
