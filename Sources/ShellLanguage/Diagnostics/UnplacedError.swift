/// An error that does not know its place, such as an operator's, a command's or the host's.
///
/// The interpreter turns it into a `Diagnostic` at what was evaluated or at the statement that ran.
public struct UnplacedError: Error {
  /// What kind of error it is.
  public let page: ErrorPage
  /// One sentence without a final full stop.
  public let message: String
  /// What to do about it.
  public var help: String?

  /// Creates an error; without `help` it has its page's.
  public init(_ page: ErrorPage, _ message: String, help: String? = nil) {
    self.page = page
    self.message = message
    self.help = help ?? page.help
  }

  /// Returns a diagnostic of this error, raised while running, at a range of the source.
  public func placed(at range: SourceRange, in source: SourceText) -> Diagnostic {
    Diagnostic(page, message, source: source, range: range, help: help, phase: .running)
  }

  static let overflow = UnplacedError(
    .overflow, "the result is beyond what a number of this kind can hold")

  static func mismatch(_ verb: String, _ left: Value, _ right: Value) -> UnplacedError {
    UnplacedError(.typeMismatch, "cannot \(verb) \(left.describedType) and \(right.describedType)")
  }
}
