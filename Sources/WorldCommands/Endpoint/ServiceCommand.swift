import CommandParts
import Networking
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

  /// What is wrong with credentials of which one needs another, and the one that is given.
  static func incompleteCredentials(
    isGiven: (Option<String?>) -> Bool
  ) -> (message: String, given: Option<String?>)?

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

  /// Returns what is wrong with a text that is neither a name nor a usable URL.
  static func mistake(in text: String) -> NetworkError? {
    do throws(NetworkError) {
      _ = try NetworkEnvironment.Selection(text)
      return nil
    } catch {
      return error
    }
  }

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

  static func incompleteCredentials(
    isGiven: (Option<String?>) -> Bool
  ) -> (message: String, given: Option<String?>)? { nil }

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
      options: credentials, examples: examples, searchTerms: searchTerms)
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

  /// Finds a service that is neither a name nor a usable URL, or is gone, and credentials that do
  /// not belong to a service or lack another one.
  static func mistakes(in call: CheckedCall) -> [CheckedCall.Mistake] {
    let text = call.written(service).first?.text
    if let text, !removesChoice(text) {
      if let error = ServiceParameters.mistake(in: text) {
        return [.init(error, at: service, help: ServiceParameters.help(for: text))]
      }
      if let gone = (try? NetworkEnvironment.Selection(text)).flatMap(gone) {
        return [.init(.serviceGone, gone, at: service)]
      }
      let lack = incompleteCredentials { call.mentions($0) }
      return lack.map { [.init(.incompleteCredentials, $0.message, at: $0.given)] } ?? []
    }
    // Only running shows whether a variable names a service.
    if text == nil { guard case .absent = call.known(service) else { return [] } }
    guard let option = credentials.first(where: { call.mentions($0) }) else { return [] }
    return [.init(.missingService, withoutService(option, call.signature), at: option)]
  }

  /// The virtual clock refuses every service but the practice server.
  static func clockUse(of call: CheckedCall) -> ClockUse {
    guard let text = call.written(service).first?.text, !removesChoice(text),
      let selection = try? NetworkEnvironment.Selection(text), selection != .practice
    else { return .none }
    return .needsRealTime(
      ClockUse.Refusal(
        message: NetworkEnvironment.notVirtual(selection).message, parameter: service.name))
  }

  /// Whether a text takes the choice for the API back.
  private static func removesChoice(_ text: String) -> Bool { api != nil && text == "none" }

  // MARK: Running

  static func run(_ invocation: Invocation) throws -> Value {
    let (call, network) = (invocation.call, invocation.outside.network)
    if let api, call[service] == "none" {
      try refuseWithoutService(call)
      network.unselect(api)
    } else if let selection = try selection(invocation) {
      if let gone = gone(selection) { throw call.failure(.serviceGone, gone, at: service) }
      network.select(try makeService(for: selection, call), for: api)
    } else {
      try refuseWithoutService(call)
      let shown: [NetworkEnvironment.API?] =
        if let api { [api] } else { NetworkEnvironment.API.all + [nil] }
      EndpointText.show(shown, in: network, invocation)
    }
    return .string(network.services[api].selection.text)
  }

  /// The service that a call names; nil where it names none.
  ///
  /// - Throws: A diagnostic where it is neither a name nor a usable URL, or where the virtual clock
  ///   refuses it.
  private static func selection(_ invocation: Invocation) throws -> NetworkEnvironment.Selection? {
    let call = invocation.call
    guard let text = call[service] else { return nil }
    let selection: NetworkEnvironment.Selection
    do throws(NetworkError) {
      selection = try NetworkEnvironment.Selection(text)
    } catch {
      throw call.failure(error, at: service, help: ServiceParameters.help(for: text))
    }
    if invocation.outside.network.isLocal, selection != .practice {
      let error = NetworkEnvironment.notVirtual(selection)
      throw call.failure(error, at: service)
    }
    return selection
  }

  /// Refuses credentials without a service.
  private static func refuseWithoutService(_ call: CommandCall) throws {
    guard let option = credentials.first(where: { call.has($0) }) else { return }
    throw call.failure(.missingService, withoutService(option, call.signature), at: option)
  }

  private static func withoutService(
    _ option: Option<String?>, _ signature: CommandSignature
  ) -> String {
    "what a service knows us by belongs to a service: "
      + "'\(signature.fullName) URL --\(option.name) …'"
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
