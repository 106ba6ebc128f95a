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
    let server = invocation.session.world.server
    server.update {
      $0.latency = call.duration("duration") ?? .zero
      $0.jitter = call.duration("jitter") ?? .zero
    }
    return .null
  }
}
