import PracticeServer
import ShellLanguage

/// `server seed`: other data.
enum ServerSeed: Command {
  static let signature = CommandSignature(
    path: ["server", "seed"],
    summary: "Chooses the data and the chance of the practice server",
    discussion: "The same seed gives the same questions, and faults in the same order.",
    positionals: [.init("number", .integer(minimum: 0), help: "the seed; 1 at the start")],
    examples: [
      .init("server seed 7; fetch questions --pagesize 3; wait; result last", "other questions")
    ],
    searchTerms: ["random", "deterministic", "data"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let server = invocation.session.world.server
    server.setSeed(UInt64(call.integer("number") ?? 1))
    return .null
  }
}
