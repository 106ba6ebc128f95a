/// Says why a text is not JSON, or why a value does not have the expected shape.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong, with the byte or the path where it is.
  public let description: String

  init(_ description: String) { self.description = description }
}
