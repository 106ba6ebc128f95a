import ShellLanguage

/// What opsh is to run.
public enum Program: Sendable {
  /// A script file.
  case file(String)
  /// The text after `-c`.
  case text(String)
  /// Standard input, statement by statement.
  case standardInput
  /// The lines of a transcript, one after the other; what comes of them is written to a file.
  case transcript(String, result: String, isUpdating: Bool)
  /// Nothing; only the prompt.
  case none
}

extension Program {
  /// What stands for the file in messages.
  var name: String {
    switch self {
    case .file(let path): path
    case .text: "-c"
    case .standardInput: "<stdin>"
    case .transcript, .none: SourceText.promptName
    }
  }
}
