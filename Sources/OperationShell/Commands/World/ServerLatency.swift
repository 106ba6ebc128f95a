import PracticeServer
import ShellLanguage

/// `server latency`: how long answers take.
enum ServerLatency: Command {
  static let signature = CommandSignature(
    path: ["server", "latency"],
    summary: "Makes the practice server wait before it answers",
    discussion: "Each answer comes this much later, give or take the jitter; 0 ends it.",
    positionals: [.init("duration", .duration, help: "how long: 200ms, 2s")],
    options: [.init("jitter", .duration, help: "how far one answer may be off")],
    examples: [.init("server latency 50ms --jitter 20ms; fetch questions; wait", "a slow server")],
    searchTerms: ["slow", "delay", "fault"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let latency = call.duration("duration") ?? .zero
    let jitter = call.duration("jitter") ?? .zero
    guard jitter <= latency else {
      throw call.failure(
        "bad-jitter", "the jitter is larger than the latency: no answer comes before its question",
        at: "jitter",
        help: "at most: server latency \(Value.duration(latency).text) "
          + "--jitter \(Value.duration(latency).text)")
    }
    // The server adds chance to the least time that an answer takes.
    invocation.session.world.server.update {
      $0.latency = latency - jitter
      $0.jitter = jitter * 2
    }
    return .null
  }
}
