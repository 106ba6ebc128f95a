import Networking
import PracticeServer
import ShellLanguage
import Terminal

/// `server fault`: anything that the practice server can do wrong, by its name.
enum ServerFaultCommand: Command {
  static let signature = CommandSignature(
    path: ["server", "fault"],
    summary: "Makes the practice server do something wrong, by name",
    discussion: """
      'server faults' lists the names and what the client reports for each. All requests are \
      struck unless a share is given, on all routes unless one is; faults add up, and one that is \
      set again with the same route is replaced. Which requests a share strikes is decided by \
      'server seed': the same seed strikes the same ones. 0% takes the fault away.
      """,
    positionals: [
      .init("name", kind, help: "what goes wrong: stall, reset, status-404, malformed-json, …"),
      .init("share", .percent, .optional, help: "how many of a hundred: 20%; all if left out"),
    ],
    options: [
      .init(
        "route", .string, repeats: true, valueName: "PATH",
        help: "only there: /search.json, '/2.3/questions*', 'POST /1/classes/*'"),
      .init("duration", .duration, help: "how long, where the fault takes a time"),
      .init("spread", .duration, help: "how far off it may be, where the fault takes that"),
      .init("size", .size, help: "how many or how much, where the fault takes a number"),
    ],
    examples: [
      .init(
        "server fault reset; fetch questions; wait --any-outcome; server fault off",
        "every connection is reset"),
      .init(
        "server fault stall 100% --route '/2.3/answers*'; fetch questions; wait",
        "only answers would stall"),
      .init(
        "server fault status-429 50% --duration 1s; server fault latency --duration 30ms; server",
        "two faults at once"),
    ],
    searchTerms: ["error", "chaos", "broken", "stall", "timeout", "reset", "redirect", "throttle"])

  static let kind = ArgumentKind.word(of: "fault", Fault.Kind.names)

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let server = invocation.session.world.server
    let share = call.percent("share") ?? 100
    let faults = try routes(call).map { (route) throws -> Fault in
      do throws(PracticeServerError) {
        return try Fault(
          call.string("name") ?? "", percent: share, route: route,
          duration: call.duration("duration"), spread: call.duration("spread"),
          size: call.size("size"))
      } catch {
        throw refusal(error, call)
      }
    }
    server.update { current in
      for fault in faults {
        if share > 0 {
          current.set(fault)
        } else {
          current.remove(named: fault.name, route: fault.route)
        }
      }
    }
    // A bare number might be meant as a share of one, or as a time.
    let isBare = call.arguments("share").first.map { !$0.text.hasSuffix("%") } ?? false
    if invocation.session.isInteractive || isBare {
      for fault in faults { invocation.printText(text(fault)) }
    }
    return .null
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    switch argument {
    case "name": candidates
    case "--route": routes
    default: []
    }
  }

  /// The names of all faults; one stands for all statuses.
  static let candidates: [CompletionCandidate] = Fault.Kind.all.map { kind in
    CompletionCandidate(
      kind.name == "status-NNN" ? "status-503" : kind.name, summary: kind.summary)
  }

  static let routes: [CompletionCandidate] = [
    CompletionCandidate("/2.3/questions*", summary: "questions, also by their ids"),
    CompletionCandidate("/2.3/answers*", summary: "answers"),
    CompletionCandidate("/2.3/search*", summary: "searches for questions"),
    CompletionCandidate("/search.json", summary: "tweets"),
    CompletionCandidate("*/classes/*", summary: "Parse, for example quotes"),
  ]

  /// The routes that `--route` names, or that of everything.
  static func routes(_ call: CommandCall) throws -> [RoutePattern] {
    guard call.has("route") else { return [.everything] }
    return try call.strings("route").map { (text) throws -> RoutePattern in
      do throws(PracticeServerError) {
        return try RoutePattern(text)
      } catch {
        throw call.failure(
          error.code, error.message, at: "route",
          help: "for example: --route /search.json, or --route '/2.3/*'")
      }
    }
  }

  private static func text(_ fault: Fault) -> String {
    fault.percent > 0
      ? "\(fault.description); the client reports \(fault.kind.report)"
      : "no \(fault.name) any more" + (fault.route == .everything ? "" : " for \(fault.route)")
  }

  /// The server's refusal, at the option that it is about.
  private static func refusal(_ error: PracticeServerError, _ call: CommandCall) -> Diagnostic {
    let name = call.string("name") ?? ""
    let kind = Fault.Kind.all.first {
      $0.name == name || name.hasPrefix("status-") && $0.name == "status-NNN"
    }
    let wrong = Fault.Parameter.allCases.first { parameter in
      call.has(parameter.rawValue) && kind?.meaning(of: parameter) == nil
    }
    let taken = Fault.Parameter.allCases.compactMap { parameter in
      kind?.meaning(of: parameter).map { "--\(parameter.rawValue) (\($0))" }
    }
    return call.failure(
      error.code, error.message, at: wrong?.rawValue ?? "name",
      help: taken.isEmpty
        ? "'\(name)' takes a share and a route only" : "it takes \(taken.joined(separator: ", "))")
  }
}
