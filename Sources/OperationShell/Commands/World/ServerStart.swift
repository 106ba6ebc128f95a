import PracticeServer
import ShellLanguage

/// `server start`: now, and not with the first request, for other clients.
enum ServerStart: Command {
  static let signature = CommandSignature(
    path: ["server", "start"],
    summary: "Starts the practice server now, and shows its address",
    discussion: """
      It starts by itself with the first request; this is for other clients, which then meet the \
      faults that are set here, and for a port of one's own. It ends with the session. 'opsh \
      --practice-server PORT' serves without a shell.
      """,
    positionals: [
      .init(
        "port", .integer(minimum: 0, maximum: 65_535), .optional, help: "on 127.0.0.1; 0 for any")
    ],
    examples: [.init("server start", "its address, for curl for example")],
    searchTerms: ["listen", "port", "address", "curl", "url"])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.refuseOnVirtualClock("other clients take real time")
    let server = invocation.session.world.server
    let port = invocation.call.integer("port").map(UInt16.init) ?? 0
    do {
      try server.start(port: port)
    } catch {
      throw invocation.call.failure(
        error.code, error.message, at: "port",
        help: error.code == "address-in-use" ? "'server start' takes any that is free" : nil)
    }
    if port != 0, let actual = server.port, actual != port {
      throw invocation.call.failure(
        "already-started", "the practice server is running already, on port \(actual)", at: "port")
    }
    invocation.printText(server.baseURL ?? "")
    return server.baseURL.map(Value.string) ?? .null
  }
}
