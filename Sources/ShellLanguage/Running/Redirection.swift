/// Where the text of a command goes, with every word worked out.
public struct Redirection: Sendable {
  /// A file at the end.
  public struct File: Sendable, Hashable {
    /// Its path as written.
    public let path: String
    /// Whether the text is added to what is there.
    public let isAppending: Bool
  }

  /// The programs that the text goes through in turn, each with its arguments.
  public let programs: [[String]]
  /// The file at the end, if there is one.
  public let file: File?
  /// Where it is written.
  public let range: SourceRange
  /// The text it is written in.
  public let source: SourceText
}
