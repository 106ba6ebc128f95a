import Foundation
public import Operations

/// Says that the system refused something about a file.
public struct FileError: CodedError, Sendable, Equatable {
  /// The path as it was given.
  public let path: String
  /// The system's error number.
  public let number: Int32
  /// What is wrong, where the system has no good words for it.
  private let explanation: String?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - path: The path as it was given.
  ///   - number: The system's error number.
  ///   - explanation: What is wrong; nil for what the system says.
  public init(path: String, number: Int32, explanation: String? = nil) {
    self.path = path
    self.number = number
    self.explanation = explanation
  }

  /// `file(13)` and so on, by the system's number.
  public var code: String { "file(\(number))" }

  /// The path, and what the system says.
  public var message: String {
    "'\(printable(path))': \(explanation ?? String(cString: strerror(number)))"
  }
}
