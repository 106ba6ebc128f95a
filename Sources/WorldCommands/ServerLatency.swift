import CommandParts
import PracticeServer
package import ShellLanguage
import ShellSession

/// `server latency`: how long responses take.
enum ServerLatency: Command {
  static let duration = Positional<Duration>("duration", help: "delay of each response: 200ms, 2s")
  static let jitter = Option<Duration>(
    "jitter", default: .zero, help: "how far one response may be off"
  ).refused { call, jitter in
    guard let latency = call.known(duration), let spread = call.known(jitter), spread > latency
    else { return nil }
    return call.failure(
      .badJitter, "the jitter is larger than the latency: no answer comes before its question",
      at: jitter,
      help: "at most: server latency \(latency.argumentText) --jitter \(latency.argumentText)")
  }

  static let path = ["server", "latency"]
  static let declaration = CommandDeclaration(
    summary: "Makes the practice server wait before it answers",
    discussion: """
      Each response of the imitated APIs comes this much later, give or take the jitter; 0 ends it.
      """,
    positionals: [duration], options: [jitter],
    examples: [.init("server latency 50ms --jitter 20ms; fetch questions; wait", "a slow server")],
    searchTerms: ["slow", "delay", "fault"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let (latency, spread) = (call[duration], call[jitter])
    // The server adds a random time to the least one that a response takes.
    invocation.server.update {
      $0.latency = latency - spread
      $0.jitter = spread * 2
    }
    return .null
  }
}

extension ErrorPage {
  package static let badJitter = ErrorPage(
    "bad-jitter", "The jitter is larger than the latency",
    "No answer can come before its question.", help: "choose a smaller jitter, or more latency",
    wrong: "server latency 10ms --jitter 20ms", right: "server latency 20ms --jitter 10ms")
}
