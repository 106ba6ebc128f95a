/// Where the body of a request comes from, by which a curl command can say the same.
public enum BodyOrigin: Sendable, Equatable {
  /// The content of a file.
  case file(String)
  /// What standard input held.
  case standardInput
  /// The parts of a form with files.
  case parts([Part])

  /// A part of a form.
  public struct Part: Sendable, Equatable {
    /// The name of the field.
    public let name: String
    /// The text, or the path of the file.
    public let content: String
    /// The type of a file, such as `application/json`; nil for a text.
    public let fileType: String?

    /// Creates a part.
    public init(name: String, content: String, fileType: String?) {
      self.name = name
      self.content = content
      self.fileType = fileType
    }
  }
}
