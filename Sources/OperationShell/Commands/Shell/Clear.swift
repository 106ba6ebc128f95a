import ShellLanguage
import Terminal

/// `clear`: an empty screen.
enum Clear: Command {
  static let signature = CommandSignature(
    path: ["clear"],
    summary: "Clears the screen",
    discussion: """
      Does nothing where standard output is not a terminal. While a line is typed, Ctrl-L does the \
      same and keeps the line.
      """,
    examples: [.init("clear", "an empty screen, with the prompt at its top")],
    searchTerms: ["cls", "screen", "reset", "empty", "erase"])

  static func run(_ invocation: Invocation) throws -> Value {
    let environment = invocation.session.configuration.environment
    if TerminalCapabilities.detect(environment: environment).isInteractive {
      invocation.session.output.clearScreen()
    }
    return .null
  }
}
