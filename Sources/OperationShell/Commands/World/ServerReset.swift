import PracticeServer
import ShellLanguage

/// `server reset`: as at the start.
enum ServerReset: Command {
  static let signature = CommandSignature(
    path: ["server", "reset"],
    summary: "Takes all faults away, and makes the data as at the start",
    discussion: "Seed 1, a full quota, counts at zero; the address stays.",
    examples: [.init("server fail 50%; server reset; server", "no faults any more")],
    searchTerms: ["clear", "clean", "faults"])

  static func run(_ invocation: Invocation) throws -> Value {
    let server = invocation.session.world.server
    server.reset()
    return .null
  }
}
