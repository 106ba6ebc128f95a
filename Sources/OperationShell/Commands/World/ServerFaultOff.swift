import PracticeServer
import ShellLanguage
import Terminal

/// `server fault off`: takes faults away, and leaves the data and the counts as they are.
enum ServerFaultOff: Command {
  static let signature = CommandSignature(
    path: ["server", "fault", "off"],
    summary: "Takes faults of the practice server away, some or all",
    discussion: """
      Without a name all of them go, those of latency, fail, drop and bandwidth too. 'server \
      reset' also begins the data, the quota and the counts anew.
      """,
    positionals: [
      .init(
        "name", ServerFaultCommand.kind, .repeating, help: "which; all if left out")
    ],
    options: [
      .init(
        "route", .string, repeats: true, valueName: "PATH",
        help: "only what was set with just this route")
    ],
    examples: [
      .init("server fault stall 10%; server fault off stall; server faults stall", "set, and gone")
    ],
    searchTerms: ["clear", "remove", "heal"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let server = invocation.session.world.server
    let routes = call.has("route") ? try ServerFaultCommand.routes(call) : nil
    let names = call.strings("name")
    if names.isEmpty, routes == nil {
      server.setFaults(Faults())
    } else {
      try remove(names, routes, call, server)
    }
    return .null
  }

  private static func remove(
    _ names: [String], _ routes: [RoutePattern]?, _ call: CommandCall, _ server: PracticeServer
  ) throws {
    for (index, name) in (names.isEmpty ? [nil] : names.map(Optional.some)).enumerated() {
      let doomed = server.faults.named.filter { fault in
        (name == nil || fault.name == name) && routes?.contains(fault.route) ?? true
      }
      guard doomed.isEmpty else {
        server.update { faults in
          for fault in doomed { faults.remove(named: fault.name, route: fault.route) }
        }
        continue
      }
      let active = server.faults.named.map(\.description)
      var failure = call.failure(
        "not-set",
        "no fault \(name.map { "'\($0)' " } ?? "")is set"
          + (routes.map { " for \($0.map(\.description).joined(separator: ", "))" } ?? ""),
        at: name == nil ? "route" : "name",
        help: active.isEmpty
          ? "none is set; 'server fault off' takes away what latency, fail and drop have set"
          : "set are: " + active.joined(separator: "; "))
      let arguments = call.arguments("name")
      if index < arguments.count { failure.range = arguments[index].range }
      throw failure
    }
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    let active = session.world.server.faults.named
    switch argument {
    case "name": return active.map { CompletionCandidate($0.name, summary: $0.description) }
    case "--route":
      return active.map { CompletionCandidate($0.route.description, summary: $0.description) }
    default: return []
    }
  }
}
