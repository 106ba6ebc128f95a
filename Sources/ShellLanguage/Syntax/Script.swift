/// A text that has been read: its statements, and what is wrong with it.
public struct Script: Sendable {
  /// The text.
  public let source: SourceText
  /// The statements in order; those that could not be read are of kind `invalid`.
  public let statements: [Statement]
  /// What reading found wrong.
  public let diagnostics: [Diagnostic]
  /// Whether the text ends within a quote, brace, parenthesis or continued line, so that a reader
  /// should ask for more lines.
  public let isIncomplete: Bool

  /// Returns the index of the top-level statement that a diagnostic is about.
  public func statementIndex(of diagnostic: Diagnostic) -> Int? {
    let places =
      [(diagnostic.source, diagnostic.range)]
      + diagnostic.labels.map { ($0.source, $0.range) }
    for (text, range) in places where text.isSame(as: source) {
      return statementIndex(at: range.lower)
    }
    return nil
  }

  /// Returns the indices of the top-level statements that have an error, so that the others can
  /// run.
  public func faultyStatements(_ diagnostics: [Diagnostic]) -> Set<Int> {
    var result: Set<Int> = []
    for diagnostic in self.diagnostics + diagnostics where diagnostic.severity == .error {
      if let index = statementIndex(of: diagnostic) { result.insert(index) }
    }
    for (index, statement) in statements.enumerated() {
      if case .invalid = statement.kind { result.insert(index) }
    }
    return result
  }

  /// The last statement that begins at or before an offset.
  private func statementIndex(at offset: Int) -> Int? {
    var low = 0
    var high = statements.count
    while low < high {
      let middle = (low + high) / 2
      if statements[middle].range.lower <= offset { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : statements.isEmpty ? nil : 0
  }
}
