import CommandParts
import PracticeServer
import ShellLanguage
import ShellSession
import OpshTerminal

/// `server fault`: anything that the practice server can do wrong, by its name.
enum ServerFaultCommand: Command {
  static let name = Positional<String>(
    "name", kind, help: "fault: stall, reset, status-404, malformed-json, …")
  static let share = Positional<Percentage>(
    "share", default: Percentage(percent: 100), help: "share of the requests: 20%")
  static let route = Option<[String]>(
    "route",
    help: "only requests of this route: /search.json, '/2.3/questions*', 'POST /1/classes/*'"
  ).namingRoutes()
  static let duration = Option<Duration?>("duration", help: "how long, for a fault that has a time")
  static let spread = Option<Duration?>(
    "spread", help: "how far the time may be off, for a fault that has a spread")
  static let size = Option<ByteSize?>(
    "size", help: "how many or how much, for a fault that has a number")
  static let next = Option<Int?>(
    "next", .integer(minimum: 1), help: "only the next N requests (default: all)")

  static let path = ["server", "fault"]
  static let declaration = CommandDeclaration(
    summary: "Makes the practice server do something wrong, by name",
    discussion: """
      'server faults' lists the names and what the client reports for each. A fault strikes all \
      requests to the imitated APIs unless a share or a route is given, and never another path of \
      the server, such as / or /cookies; faults add up, and setting one again with the same route \
      replaces it. 'server seed' decides which requests a share strikes: the same seed strikes the \
      same ones. With '--next N' it is for the next N requests of its routes only, and then cleared. \
      0% clears the fault. For 'expired-certificate' and 'wrong-host' the server speaks \
      TLS on a port of its own, where opsh trusts its issuer; other clients find the issuer's \
      certificate at /issuer.pem.
      """,
    positionals: [name, share], options: [route, next, duration, spread, size],
    examples: [
      .init(
        "server fault reset; fetch questions; wait --any-outcome; server fault off",
        "every connection is reset"),
      .init(
        "server fault stall 100% --route '/2.3/answers*'; fetch questions; wait",
        "only answers would stall"),
      .init(
        "server fault status-503 --next 2; fetch questions --retry 2; wait; server log",
        "the first two attempts fail, the third succeeds"),
      .init(
        "server fault status-429 50% --duration 1s; server fault latency --duration 30ms; server",
        "two faults at once"),
      .init(
        "server fault wrong-host; get /2.3/info; wait --any-outcome; explain; server fault off",
        "a certificate that no client accepts, and its cure"),
    ],
    searchTerms: ["error", "chaos", "broken", "stall", "timeout", "reset", "redirect", "throttle"],
    rules: [ArgumentRule(refusal)])

  static let kind = ArgumentKind.word(of: "fault", Fault.Kind.names)

  /// Refuses what the fault does not take.
  @Sendable private static func refusal(of call: CommandCall) -> Diagnostic? {
    guard let name = call.known(name), let duration = call.known(duration),
      let spread = call.known(spread), let size = call.known(size)
    else { return nil }
    do throws(PracticeServerError) {
      _ = try Fault(name, duration: duration, spread: spread, size: size?.bytes)
      return nil
    } catch {
      let (parameter, help) = culprit(ofFault: name, call)
      return call.failure(error, at: parameter, help: help)
    }
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let percent = call[share].percent
    let faults = try (call.routes(route) ?? [.everything]).map { route in
      try Fault(
        call[name], percent: percent, route: route, duration: call[duration], spread: call[spread],
        size: call[size]?.bytes, next: call[next])
    }
    invocation.server.update { current in
      for fault in faults {
        if percent > 0 {
          current.set(fault)
        } else {
          current.remove(named: fault.name, route: fault.route)
        }
      }
    }
    // A bare number might be meant as a share of one, or as a time.
    let isBare = call.arguments(of: share).first.map { !$0.text.hasSuffix("%") } ?? false
    if invocation.screen.isTypedAtPrompt || isBare {
      for fault in faults { invocation.printText(text(fault)) }
    }
    return .null
  }

  static let completions = [
    ParameterCompletion(name) { _, _ in candidates },
    ParameterCompletion(route) { _, _ in routeCandidates },
  ]

  /// The names of all faults, with one example of a status.
  static let candidates: [CompletionCandidate] = Fault.Kind.all.map { kind in
    CompletionCandidate(
      kind.name == "status-NNN" ? "status-503" : kind.name, summary: kind.summary)
  }

  private static let routeCandidates: [CompletionCandidate] = [
    CompletionCandidate("/2.3/questions*", summary: "questions, also by their ids"),
    CompletionCandidate("/2.3/answers*", summary: "answers"),
    CompletionCandidate("/2.3/search*", summary: "searches for questions"),
    CompletionCandidate("/search.json", summary: "tweets"),
    CompletionCandidate("*/classes/*", summary: "Parse, for example quotes"),
  ]

  private static func text(_ fault: Fault) -> String {
    fault.percent > 0
      ? "\(fault.description); the client reports \(fault.kind.report)"
      : "no \(fault.name) any more" + (fault.route == .everything ? "" : " for \(fault.route)")
  }

  /// The option that a refusal of the server is about, and what the fault takes.
  private static func culprit(
    ofFault name: String, _ call: CommandCall
  ) -> (parameter: any Parameter, help: String) {
    let kind = Fault.Kind.all.first {
      $0.name == name || name.hasPrefix("status-") && $0.name == "status-NNN"
    }
    let wrong = Fault.Parameter.allCases.first { parameter in
      call.has(option(of: parameter)) && kind?.meaning(of: parameter) == nil
    }
    let taken = Fault.Parameter.allCases.compactMap { parameter in
      kind?.meaning(of: parameter).map { "--\(parameter.rawValue) (\($0))" }
    }
    return (
      wrong.map { option(of: $0) } ?? Self.name,
      taken.isEmpty
        ? "'\(name)' takes a share and a route only" : "it takes \(taken.joined(separator: ", "))"
    )
  }

  private static func option(of parameter: Fault.Parameter) -> any Parameter {
    switch parameter {
    case .duration: duration
    case .spread: spread
    case .size: size
    }
  }
}

extension CommandCall {
  /// The routes that an option names; nil where it names none.
  func routes(_ option: some Parameter<[String]>) throws -> [RoutePattern]? {
    guard has(option) else { return nil }
    return try self[option].map { try RoutePattern($0) }
  }
}

extension Option<[String]> {
  /// Returns the option with the rule that its values are routes.
  func namingRoutes() -> Self {
    checkedEach(help: "for example: --route /search.json, or --route '/2.3/*'") {
      (text) throws(PracticeServerError) in _ = try RoutePattern(text)
    }
  }
}
