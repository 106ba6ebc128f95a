/// A place as people read it: line and column, both counted from 1.
public struct SourcePlace: Sendable, Hashable {
  /// The line, counted from 1 unless the text says that it begins further down.
  public let line: Int

  /// The column in characters (grapheme clusters), counted from 1.
  public let column: Int

  /// Creates a place.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}
