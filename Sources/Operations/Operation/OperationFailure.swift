/// The error that an operation failed with, also as data.
public struct OperationFailure: CodedError, Sendable, Equatable {
  /// The stable code.
  public var code: String
  /// One sentence for people, without a full stop at its end.
  public var message: String
  /// The name of the page that explains it: its code, unless one code has several causes.
  public var topic: String
  /// The error that this was made from; nil if it was made from its parts.
  ///
  /// Two failures are equal if all but this is.
  public private(set) var underlying: (any Error)?

  /// Creates a failure from its parts.
  public init(code: String, message: String, topic: String? = nil) {
    self.code = code
    self.message = message
    self.topic = topic ?? code
  }

  /// Creates a failure from any error.
  ///
  /// A ``CodedError`` keeps its code and message. A `CancellationError` has the code `cancelled`.
  /// Everything else has the code `error`, and its description as the message.
  ///
  /// - Parameter error: The error to describe.
  public init(_ error: any Error) {
    switch error {
    case let failure as OperationFailure:
      self = failure
    case let coded as any CodedError:
      self.init(code: coded.code, message: coded.message, topic: coded.topic)
      underlying = error
    case is CancellationError:
      self.init(OperationError.cancelled)
      underlying = error
    default:
      self.init(code: "error", message: String(describing: error))
      underlying = error
    }
  }

  /// Compares codes, messages and topics.
  public static func == (one: Self, other: Self) -> Bool {
    one.code == other.code && one.message == other.message && one.topic == other.topic
  }
}
