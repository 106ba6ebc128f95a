/// One kind of error or warning: its stable code, and what `explain` says about it.
///
/// Each is declared in a file that raises it, as a static member that the functions for errors take,
/// so that an error without a page does not compile.
public struct ErrorPage: Sendable {
  /// How the wrong example shows the code.
  public enum Proof: String, Sendable {
    /// Checking the example gives an error of this code.
    case checking
    /// Checking it gives a warning.
    case warning
    /// It checks clean, and running it gives the code.
    case running
    /// The error needs conditions that an example cannot create.
    case unproven
  }

  /// The stable name, such as `unclosed-quote`; a number may follow, as in `exit-status(3)`.
  public var code: String
  /// The name by which `explain` finds the page: the code, unless one code has several causes.
  public let topic: String
  /// What it says, in one line without a final full stop.
  public let summary: String
  /// What it means, and why it is so.
  public let meaning: String
  /// What to do where the error itself says nothing better.
  public var help: String?
  /// A script with the error, or in parentheses conditions that no script can create.
  public let wrong: String
  /// The script as it was meant.
  public let right: String
  /// How the wrong example shows it.
  public let proof: Proof

  /// Creates a page; an example that is a script shows the code when it is checked, by default.
  ///
  /// Without `topic` it is the page of the code.
  public init(
    _ code: String, topic: String? = nil, _ summary: String, _ meaning: String,
    help: String? = nil, wrong: String, right: String, proof: Proof? = nil
  ) {
    self.code = code
    self.topic = topic ?? code
    self.summary = summary
    self.meaning = meaning
    self.help = help
    self.wrong = wrong
    self.right = right
    self.proof = proof ?? (wrong.hasPrefix("(") ? .unproven : .checking)
  }

  /// Returns whether it is one of several errors.
  func `is`(_ pages: ErrorPage...) -> Bool { pages.contains { $0.code == code } }

  /// Returns the same error with a number after its code.
  public func with(_ number: Int32) -> ErrorPage {
    var copy = self
    copy.code = "\(code)(\(number))"
    return copy
  }
}
