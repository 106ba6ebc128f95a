import ShellLanguage

/// Ends the run from anywhere inside it.
///
/// No `try` of the language catches it.
struct SessionEnd: Error {
  enum Cause: Sendable, Equatable {
    /// `quit`, with the status asked for, if any; `now` cancels instead of waiting.
    case quit(status: Int32?, now: Bool)
    /// Checking found an error, so nothing of the program runs.
    case refused
    /// A signal that ends a program: interrupt, terminate, hang-up, quit.
    case signal(Int32)
    /// `--timeout` is over.
    case timeout
    /// Standard output can't be written any more; the number is the error.
    case outputLost(Int32)
  }

  /// The exit status of a run that `--timeout` ended, as that of the program `timeout`.
  static let timeoutStatus: Int32 = 124

  let cause: Cause
}

/// Ctrl-C at the prompt: ends what was typed in that line, and nothing else.
struct Interruption: Error {
  /// What is said about it.
  let message: String

  init(_ message: String = "interrupted") {
    self.message = message
  }
}

/// Ends a body because the session ends.
struct BodyEnded: Error {}
