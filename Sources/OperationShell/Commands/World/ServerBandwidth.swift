import PracticeServer
import ShellLanguage

/// `server bandwidth`: a slow line.
enum ServerBandwidth: Command {
  static let signature = CommandSignature(
    path: ["server", "bandwidth"],
    summary: "Limits how fast the practice server sends",
    discussion: "The limit is for each connection, in bytes per second; 0 ends it.",
    positionals: [.init("size", .size, help: "bytes per second: 64kB, 1MB")],
    examples: [.init("server bandwidth 100kB; fetch questions; wait; server reset", "a slow line")],
    searchTerms: ["slow", "throttle", "speed", "limit"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let server = invocation.session.world.server
    let size = call.size("size") ?? 0
    server.update { $0.bandwidth = size == 0 ? nil : Int(size) }
    return .null
  }
}
