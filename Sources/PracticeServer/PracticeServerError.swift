/// A failure to start the practice server.
///
/// ```swift
/// do {
///   try server.start(port: 8080)
/// } catch {
///   print(error.message)  // port 8080 is already in use on 127.0.0.1
/// }
/// ```
public struct PracticeServerError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A stable name for the kind of failure, such as `address-in-use` or `library-missing`.
  public let code: String
  /// One sentence for people, without a final full stop.
  public let message: String

  /// Creates an error.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
