import CommandParts
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// `clear`: an empty screen.
enum Clear: Command {
  static let path = ["clear"]
  static let declaration = CommandDeclaration(
    summary: "Clears the screen",
    discussion: """
      Does nothing where standard output is not a terminal. While a line is typed, Ctrl-L does the \
      same and keeps the line.
      """,
    examples: [.init("clear", "an empty screen, with the prompt at its top")],
    searchTerms: ["cls", "screen", "reset", "empty", "erase"], traits: [.worksInReplay])

  static func run(_ invocation: Invocation) throws -> Value {
    let (configuration, output) = (
      invocation.run.configuration, invocation.screen.output
    )
    let capabilities = TerminalCapabilities.detect(
      environment: configuration.environment, input: output.streams.input,
      output: output.streams.output)
    if capabilities.isInteractive { output.clearScreen() }
    return .null
  }
}
