import CommandParts
import PracticeServer
import ShellLanguage
import ShellSession

/// `server start`: starts the server before the first request, for other clients.
enum ServerStart: Command {
  static let port = Positional<Int>(
    "port", .integer(minimum: 0, maximum: 65_535), default: 0,
    help: "port on 127.0.0.1; 0 for any that is free")

  static let path = ["server", "start"]
  static let declaration = CommandDeclaration(
    summary: "Starts the practice server now, and shows its address",
    discussion: """
      It starts automatically with the first request; this command is for other clients, which \
      then meet the faults that are set here, and for a port of your choice. It ends with the \
      session. 'opsh --practice-server PORT' serves without a shell.
      """,
    positionals: [port],
    examples: [.init("server start", "its address, for curl for example")],
    searchTerms: ["listen", "port", "address", "curl", "url"])

  static func clockUse(of call: CommandCall) -> ClockUse {
    .needsRealTime(call.failure(takingRealTime: "other clients take real time"))
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let (call, server) = (invocation.call, invocation.server)
    let number = UInt16(call[port])
    do {
      try server.start(port: number)
    } catch {
      throw call.failure(error, at: port)
    }
    if number != 0, let actual = server.port, actual != number {
      throw call.failure(
        .alreadyStarted, "the practice server is running already, on port \(actual)", at: port,
        help: "'server stop' stops it")
    }
    invocation.printText(server.baseURL ?? "")
    return server.baseURL.map(Value.string) ?? .null
  }
}
