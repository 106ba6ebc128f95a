import CommandParts
import ShellLanguage
import ShellSession

/// `command`: a command itself, where something else has its name.
enum OriginalCommand: Command {
  static let command = Positional<Block>(
    "command", .command, help: "command with its arguments")

  static let path = ["command"]
  static let declaration = CommandDeclaration(
    summary: "Runs a command itself, where a definition or an alias has its name",
    discussion: """
      A 'def' or an alias can have the name of a command and replaces it. Inside a 'def', its own \
      name means the 'def', so that a 'def' that adds to a command runs it with 'command'.
      """,
    positionals: [command],
    examples: [
      .init("command delay 5ms; wait", "the command 'delay', whatever a script defines")
    ],
    searchTerms: ["builtin", "original", "override", "replace", "shadow", "def", "alias"],
    blockVariables: [], traits: [.passesOptionsOn, .runsOriginal, .worksInReplay])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.context.runOriginal(invocation.call[command])
  }
}
