import CommandParts
import PracticeServer
import ShellLanguage
import ShellSession

/// `server bandwidth`: a slow line.
enum ServerBandwidth: Command {
  static let size = Positional<ByteSize>("size", help: "bytes per second: 64kB, 1MB")

  static let path = ["server", "bandwidth"]
  static let declaration = CommandDeclaration(
    summary: "Limits how fast the practice server sends",
    discussion: """
      The limit is for each connection, in bytes per second, and only for the imitated APIs; 0 \
      removes it.
      """,
    positionals: [size],
    examples: [.init("server bandwidth 100kB; fetch questions; wait; server reset", "a slow line")],
    searchTerms: ["slow", "throttle", "speed", "limit"])

  static func run(_ invocation: Invocation) throws -> Value {
    let bytes = invocation.call[size].bytes
    invocation.server.update { $0.bandwidth = bytes == 0 ? nil : bytes }
    return .null
  }
}
