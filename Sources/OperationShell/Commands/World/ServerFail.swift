import PracticeServer
import ShellLanguage

/// `server fail`: failing answers.
enum ServerFail: Command {
  static let signature = CommandSignature(
    path: ["server", "fail"],
    summary: "Makes the practice server fail a share of requests",
    discussion: "They are answered with an error status; 0% ends it.",
    positionals: [.init("share", .percent, help: "how many of a hundred: 20%")],
    options: [
      .init(
        "status", .integer(minimum: 400, maximum: 599), help: "with which status; 503 if left out")
    ],
    examples: [
      .init(
        "server fail 100%; fetch questions; wait --any-outcome; server reset", "everything fails")
    ],
    searchTerms: ["error", "status", "fault", "503"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let server = invocation.session.world.server
    server.update {
      $0.failPercent = call.percent("share") ?? 0
      $0.failStatus = call.integer("status") ?? 503
    }
    invocation.confirmShare { "\($0) of requests fail with \(server.faults.failStatus)" }
    return .null
  }
}
