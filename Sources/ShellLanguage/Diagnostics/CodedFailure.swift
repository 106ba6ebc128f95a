/// An error that a command throws and that knows its code but not its place.
///
/// The interpreter turns it into a `Diagnostic` at the statement that ran.
public protocol CodedFailure: Error {
  /// A stable name, such as `timed-out`.
  var code: String { get }
  /// One sentence without a final full stop.
  var message: String { get }
  /// What to do about it.
  var help: String? { get }
}

extension CodedFailure {
  /// No advice.
  public var help: String? { nil }
}
