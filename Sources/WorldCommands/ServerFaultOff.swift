import CommandParts
import PracticeServer
package import ShellLanguage
import ShellSession
import OpshTerminal

/// `server fault off`: clears faults, and leaves the data and the counts as they are.
enum ServerFaultOff: Command {
  static let name = Positional<[String]>(
    "name", ServerFaultCommand.kind, help: "faults to clear (default: all)")
  static let route = Option<[String]>(
    "route", help: "only faults that were set with exactly this route"
  ).namingRoutes()

  static let path = ["server", "fault", "off"]
  static let declaration = CommandDeclaration(
    summary: "Clears faults of the practice server, some or all",
    discussion: """
      Without a name it clears all of them, also those of latency, fail, drop and bandwidth. \
      'server reset' also restores the data, the quota and the counts.
      """,
    positionals: [name], options: [route],
    examples: [
      .init("server fault stall 10%; server fault off stall; server faults stall", "set, and gone")
    ],
    searchTerms: ["clear", "remove", "heal"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let server = invocation.server
    let routes = try call.routes(route)
    let names = call[name]
    if !call.mentions(name), routes == nil {
      server.setFaults(Faults())
    } else if !call.mentions(name) || !names.isEmpty {
      try remove(names, routes, call, server)
    }
    return .null
  }

  private static func remove(
    _ names: [String], _ routes: [RoutePattern]?, _ call: CommandCall, _ server: PracticeServer
  ) throws {
    for (index, name) in (names.isEmpty ? [nil] : names.map(Optional.some)).enumerated() {
      let doomed = server.faults.active.filter { fault in
        (name == nil || fault.name == name) && routes?.contains(fault.route) ?? true
      }
      guard doomed.isEmpty else {
        server.update { faults in
          for fault in doomed { faults.remove(named: fault.name, route: fault.route) }
        }
        continue
      }
      let active = server.faults.active.map(\.description)
      let culprit: any Parameter = name == nil ? route : Self.name
      throw call.failure(
        .notSet,
        "no fault \(name.map { "'\($0)' " } ?? "")is set"
          + (routes.map { " for \($0.map(\.description).joined(separator: ", "))" } ?? ""),
        at: culprit, index: index,
        help: active.isEmpty
          ? "none is set"
          : "set are: " + active.joined(separator: "; "))
    }
  }

  static let completions = [
    ParameterCompletion(name) { _, outside in
      outside.network.server.faults.active.map {
        CompletionCandidate($0.name, summary: $0.description)
      }
    },
    ParameterCompletion(route) { _, outside in
      outside.network.server.faults.active.map {
        CompletionCandidate($0.route.description, summary: $0.description)
      }
    },
  ]
}

extension ErrorPage {
  package static let notSet = ErrorPage(
    "not-set", "No such fault is set", "'server faults' shows what is set.",
    help: "'server faults' shows what is set", wrong: "server fault off stall-body",
    right: "server fault off", proof: .unproven)
}
