import CommandParts
import PracticeServer
import ShellLanguage
import ShellSession

/// `server reset`: as at the start.
enum ServerReset: Command {
  static let path = ["server", "reset"]
  static let declaration = CommandDeclaration(
    summary: "Clears all faults of the practice server and restores the initial data",
    discussion: "Seed 1, a full quota, counts at zero; the address stays.",
    examples: [.init("server fail 50%; server reset; server", "no faults any more")],
    searchTerms: ["clear", "clean", "faults"])

  static func run(_ invocation: Invocation) throws -> Value {
    invocation.server.reset()
    return .null
  }
}
