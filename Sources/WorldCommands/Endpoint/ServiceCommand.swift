import CommandParts
import OpshNetworking
package import ShellLanguage
import ShellSession

/// A command that shows or chooses a service: `endpoint` for all APIs, `endpoint API` for one.
protocol ServiceCommand: Command {
  /// The API; nil for all.
  static var api: NetworkEnvironment.API? { get }
  static var summary: String { get }
  static var discussion: String { get }
  /// What else there is to say about the service of one API.
  static var remark: String { get }
  /// The options that say what the service knows the program by.
  static var credentials: [Option<String?>] { get }
  static var examples: [CommandDeclaration.Example] { get }
  static var searchTerms: [String] { get }

  /// Returns the service that a call chooses, with its credentials.
  static func makeService(
    for selection: NetworkEnvironment.Selection, _ call: CommandCall
  ) throws -> NetworkEnvironment.Service
}

/// The arguments of those commands.
enum ServiceParameters {
  static let service = Positional<String?>("service", help: "practice, live, or a base URL")
  static let ownService = Positional<String?>(
    "service", help: "practice, live, a base URL, or 'none' for the service of all APIs")
  /// Of an API whose real service no longer exists.
  static let imitatedService = Positional<String?>(
    "service", help: "practice, a base URL, or 'none' for the service of all APIs")
  static let key = Option<String?>("key", help: "key that the service counts requests by")

  /// What to write in place of a text that is not a service.
  static func help(for text: String) -> String {
    text.contains("/")
      ? "a base URL is such as http://127.0.0.1:8080"
      : Spelling.help(for: text, among: ["practice", "live"])
        ?? "'practice', 'live', or a base URL such as http://127.0.0.1:8080"
  }
}

extension ServiceCommand {
  static var summary: String {
    "Shows or sets the service of requests" + (api.map { " for \($0.name)" } ?? "")
  }
  static var discussion: String {
    "It overrides the service that 'endpoint' chooses for all APIs, until the next choice for all. "
      + "'none' removes it. " + remark
  }
  static var remark: String { "A key is for this service only." }
  static var credentials: [Option<String?>] { [ServiceParameters.key] }
  static var examples: [CommandDeclaration.Example] {
    let path = path.joined(separator: " ")
    return [
      .init(
        "\(path) http://127.0.0.1:1; endpoint; \(path) none",
        "asked of another service than the rest, and no longer")
    ]
  }
  static var searchTerms: [String] { ["url", "host", "server", "stack", "exchange", "api"] }

  static func makeService(
    for selection: NetworkEnvironment.Selection, _ call: CommandCall
  ) throws -> NetworkEnvironment.Service {
    NetworkEnvironment.Service(
      selection: selection, key: credentials.isEmpty ? nil : call[ServiceParameters.key])
  }

  static var path: [String] { ["endpoint"] + (api.map { [$0.name] } ?? []) }

  private static var service: Positional<String?> {
    guard let api else { return ServiceParameters.service }
    return api.lostName == nil ? ServiceParameters.ownService : ServiceParameters.imitatedService
  }

  static var declaration: CommandDeclaration {
    CommandDeclaration(
      summary: summary, discussion: discussion, positionals: [service],
      options: credentials, examples: examples, searchTerms: searchTerms,
      rules: [ArgumentRule(refusal)])
  }

  static var completions: [ParameterCompletion] {
    let offersAll = api?.lostName == nil
    return [
      ParameterCompletion(service) { _, _ in
        Array(EndpointText.candidates.prefix(offersAll ? EndpointText.candidates.count : 1))
      }
    ]
  }

  // MARK: Checks

  /// Refuses a service that is neither a name nor a usable URL, or is gone, and credentials without
  /// a service.
  @Sendable private static func refusal(of call: CommandCall) -> Diagnostic? {
    if let text = service(of: call) {
      do throws(NetworkError) {
        let gone = gone(try NetworkEnvironment.Selection(text))
        return gone.map { call.failure(.serviceGone, $0, at: service) }
      } catch {
        return call.failure(error, at: service, help: ServiceParameters.help(for: text))
      }
    }
    // Only running shows whether a variable names a service.
    guard call.lacks(service) || !call.texts(of: service).isEmpty,
      let option = credentials.first(where: { call.has($0) })
    else { return nil }
    return call.failure(
      .missingService,
      "what a service knows us by belongs to a service: "
        + "'\(call.signature.fullName) URL --\(option.name) …'", at: option)
  }

  /// The service that a call chooses, as far as it is known; nil also for one that takes the choice
  /// back.
  static func service(of call: CommandCall) -> String? {
    let text = call.texts(of: service).first?.text
    return text == "none" && api != nil ? nil : text
  }

  /// The virtual clock refuses every service but the practice server.
  static func clockUse(of call: CommandCall) -> ClockUse {
    guard let text = service(of: call),
      let selection = try? NetworkEnvironment.Selection(text), selection != .practice
    else { return .none }
    return .needsRealTime(call.failure(NetworkEnvironment.notVirtual(selection), at: service))
  }

  // MARK: Running

  static func run(_ invocation: Invocation) throws -> Value {
    let (call, network) = (invocation.call, invocation.outside.network)
    if let api, call[service] == "none" {
      network.unselect(api)
    } else if let selection = try call[service].map(NetworkEnvironment.Selection.init) {
      network.select(try makeService(for: selection, call), for: api)
    } else {
      let shown: [NetworkEnvironment.API?] =
        if let api { [api] } else { NetworkEnvironment.API.all + [nil] }
      EndpointText.show(shown, in: network, invocation)
    }
    return .string(network.services[api].selection.text)
  }

  /// Why a service cannot be chosen for an API whose real service no longer exists; nil for others.
  private static func gone(_ selection: NetworkEnvironment.Selection) -> String? {
    guard let lost = api?.lostName, selection == .live else { return nil }
    return "\(lost) no longer exists; only the practice server has it"
  }
}

extension ErrorPage {
  package static let missingService = ErrorPage(
    "missing-service", "A key belongs to a service, and none is named",
    "Keys are sent to the service that gave them, and to no other.",
    help: "'endpoint live --key …' keeps a key", wrong: "endpoint --key abc",
    right: "endpoint practice", proof: .checking)
}
