import CommandParts
import PracticeServer
import ShellLanguage
import ShellSession

/// `server drop`: dropped connections.
enum ServerDrop: Command {
  static let share = Positional<Percentage>("share", help: "share of the connections: 20%")

  static let path = ["server", "drop"]
  static let declaration = CommandDeclaration(
    summary: "Makes the practice server drop a share of connections",
    discussion: """
      It closes them without a whole response, for requests to the imitated APIs only; 0% ends it.
      """,
    positionals: [share],
    examples: [
      .init(
        "server drop 100%; fetch questions; wait --any-outcome; server reset",
        "every connection is lost")
    ],
    searchTerms: ["close", "lost", "connection", "fault"])

  static func run(_ invocation: Invocation) throws -> Value {
    let percent = invocation.call[share].percent
    invocation.server.update { $0.dropPercent = percent }
    invocation.confirm(share) { "\($0) of connections are dropped" }
    return .null
  }
}
