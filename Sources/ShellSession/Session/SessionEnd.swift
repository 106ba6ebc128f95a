package import ShellLanguage

/// Ends the run from any place inside it.
///
/// `try` in a script does not catch it.
package struct SessionEnd: Error {
  package enum Cause: Sendable, Equatable {
    /// `quit`, with the status asked for, if any; `now` cancels instead of waiting.
    case quit(status: Int32?, now: Bool)
    /// Checking found an error, so nothing of the program runs.
    case refused
    /// A signal that ends a program: interrupt, terminate, hang-up, quit.
    case signal(Int32)
    /// `--timeout` has expired.
    case timeout
    /// Writing to standard output failed; the number is the error.
    case outputLost(Int32)
  }

  /// The exit status of a run that `--timeout` ended, the same as that of the program `timeout`.
  package static let timeoutStatus: Int32 = 124

  package let cause: Cause

  package init(cause: Cause) {
    self.cause = cause
  }
}

/// Ctrl-C at the prompt: ends the statements of the typed line, and nothing else.
package struct Interruption: Error {
  /// The message that the user sees.
  package let message: String

  package init(_ message: String = "interrupted") {
    self.message = message
  }
}

/// Ends a body because the session ends.
package struct BodyEnded: Error {}

extension ErrorPage {
  package static let interrupted = ErrorPage(
    "interrupted", "It was interrupted", "Ctrl-C, or the end of the session, stopped it.",
    wrong: "(Ctrl-C)", right: "wait")
}
