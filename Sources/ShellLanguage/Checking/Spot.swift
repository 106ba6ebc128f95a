/// A range of a text.
struct Spot {
  let source: SourceText
  let range: SourceRange

  /// Returns a label that marks it.
  func label(_ message: String) -> Diagnostic.Label {
    Diagnostic.Label(message, source: source, range: range)
  }

  /// Returns whether both are the same range of the same text.
  func isSame(as other: Spot) -> Bool { range == other.range && source.isSame(as: other.source) }
}
