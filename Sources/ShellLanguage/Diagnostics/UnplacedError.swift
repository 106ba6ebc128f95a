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

  static func overflow(_ kind: NumberKind) -> UnplacedError {
    UnplacedError(
      .overflow, "the result is beyond what a number of this kind can hold", help: kind.help)
  }

  static func mismatch(_ verb: String, _ left: Value, _ right: Value) -> UnplacedError {
    UnplacedError(
      .typeMismatch, "cannot \(verb) \(left.describedType) and \(right.describedType)",
      help: helpForMismatch(left.unspelled, right.unspelled))
  }

  private static func helpForMismatch(_ left: Value, _ right: Value) -> String? {
    switch (left, right) {
    case (.null, _), (_, .null): "'??' gives a value in place of null: ($value ?? 0)"
    case (.string, _), (_, .string):
      "(text($value)) is a value as a text, (number($text)) a text as a number"
    case (.percent, _), (_, .percent):
      "a percentage multiplies a number, a duration or a size: (5 * 20%)"
    case (.duration, .integer), (.duration, .real), (.integer, .duration), (.real, .duration):
      "a number with a unit is a duration: 1s"
    case (.size, .integer), (.size, .real), (.integer, .size), (.real, .size):
      "a number with a unit is a size: 1kB"
    default: nil
    }
  }
}
