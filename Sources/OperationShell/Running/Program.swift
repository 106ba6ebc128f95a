import ShellLanguage

/// The program of a run.
public enum Program: Sendable {
  /// A script file.
  case file(String)
  /// The text after `-c`.
  case text(String)
  /// Standard input, statement by statement.
  case standardInput
  /// The lines of a transcript in order; the results are written to a file.
  case transcript(String, result: String, isUpdating: Bool)
  /// Only the prompt.
  case none
}

extension Program {
  /// The program in a file; `-` is standard input.
  public init(path: String) { self = path == "-" ? .standardInput : .file(path) }

  /// The name of the file in messages.
  var name: String {
    switch self {
    case .file(let path): path
    case .text: "-c"
    case .standardInput: "<stdin>"
    case .transcript, .none: SourceText.promptName
    }
  }
}
