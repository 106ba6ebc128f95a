import Foundation
public import Operations

/// An error of the system about a file.
public struct FileError: CodedError, Sendable, Equatable {
  /// The path as it was given.
  public let path: String
  /// The system's error number.
  public let number: Int32
  /// The description of the error, if the system has none that fits.
  private let explanation: String?

  /// Creates an error; without an explanation it has the system's description.
  public init(path: String, number: Int32, explanation: String? = nil) {
    self.path = path
    self.number = number
    self.explanation = explanation
  }

  /// `file(13)` and so on, by the system's number.
  public var code: String { "file(\(number))" }

  /// The path and the description of the error.
  public var message: String {
    "'\(printable(path))': \(explanation ?? String(cString: strerror(number)))"
  }
}
