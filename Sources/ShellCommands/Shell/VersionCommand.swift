import CommandParts
import ShellLanguage
import ShellSession
import OpshTerminal

/// `version`: the version of opsh.
enum VersionCommand: Command {
  static let path = ["version"]
  static let declaration = CommandDeclaration(
    summary: "Shows the version of opsh",
    examples: [.init("version", "name and number")],
    searchTerms: ["about", "release"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    invocation.print(StyledText(Version.text))
    return .string(Version.number)
  }
}
