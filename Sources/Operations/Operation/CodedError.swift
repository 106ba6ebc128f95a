public import Foundation

/// An error that a program can tell by a stable code and a person by one sentence.
public protocol CodedError: LocalizedError, CustomStringConvertible {
  /// The stable code, in lower case with hyphens, such as `cancelled` or `timed-out`.
  var code: String { get }
  /// One sentence for people, without a full stop at its end.
  var message: String { get }
  /// The name of the page that explains the error: its code, unless one code has several causes.
  var topic: String { get }
}

extension CodedError {
  /// The message.
  public var description: String { message }
  /// The message, which is then also the `localizedDescription`.
  public var errorDescription: String? { message }
  /// Nil: the message says it.
  public var failureReason: String? { nil }
  /// Nil.
  public var recoverySuggestion: String? { nil }
  /// Nil.
  public var helpAnchor: String? { nil }
  /// The code.
  public var topic: String { code }
}
