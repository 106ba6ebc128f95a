import CommandParts
import PracticeServer
import ShellLanguage
import ShellSession

/// `server seed`: other data.
enum ServerSeed: Command {
  static let number = Positional<Int>(
    "number", .integer(minimum: 0), help: "random seed; 1 at the start")

  static let path = ["server", "seed"]
  static let declaration = CommandDeclaration(
    summary: "Sets the random seed of the practice server",
    discussion: "The same seed gives the same questions, and faults in the same order.",
    positionals: [number],
    examples: [
      .init("server seed 7; fetch questions --pagesize 3; wait; result last", "other questions")
    ],
    searchTerms: ["random", "deterministic", "data", "chance"])

  static func run(_ invocation: Invocation) throws -> Value {
    invocation.server.setSeed(UInt64(invocation.call[number]))
    return .null
  }
}
