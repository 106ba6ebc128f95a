import PracticeServer
import ShellLanguage

/// `server drop`: dropped connections.
enum ServerDrop: Command {
  static let signature = CommandSignature(
    path: ["server", "drop"],
    summary: "Makes the practice server drop a share of connections",
    discussion: "It closes them without a whole answer; 0% ends it.",
    positionals: [.init("share", .percent, help: "how many of a hundred: 20%")],
    examples: [
      .init(
        "server drop 100%; fetch questions; wait --any-outcome; server reset",
        "every connection is lost")
    ],
    searchTerms: ["close", "lost", "connection", "fault"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let server = invocation.session.world.server
    server.update { $0.dropPercent = call.percent("share") ?? 0 }
    invocation.confirmShare { "\($0) of connections are dropped" }
    return .null
  }
}
