import CommandParts
import PracticeServer
import ShellLanguage
import ShellSession

/// `server fail`: responses with an error status.
enum ServerFail: Command {
  static let share = Positional<Percentage>("share", help: "share of the requests: 20%")
  static let status = Option<Int>(
    "status", .integer(minimum: 400, maximum: 599), default: 503, help: "status of the response")

  static let path = ["server", "fail"]
  static let declaration = CommandDeclaration(
    summary: "Makes the practice server fail a share of requests",
    discussion: "Requests to the imitated APIs get an error status; 0% ends it.",
    positionals: [share], options: [status],
    examples: [
      .init(
        "server fail 100%; fetch questions; wait --any-outcome; server reset", "everything fails")
    ],
    searchTerms: ["error", "status", "fault", "503"])

  static func run(_ invocation: Invocation) throws -> Value {
    let (percent, number) = (invocation.call[share].percent, invocation.call[status])
    invocation.server.update {
      $0.failPercent = percent
      $0.failStatus = number
    }
    invocation.confirm(share) { "\($0) of requests fail with \(number)" }
    return .null
  }
}
