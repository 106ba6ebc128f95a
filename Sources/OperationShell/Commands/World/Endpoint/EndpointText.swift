import Networking
import PracticeServer
import ShellLanguage
import Terminal

/// What the commands about services say about one.
enum EndpointText {
  /// Shows the services of APIs, as a table or as objects.
  static func show(_ apis: [World.API?], in world: World, _ invocation: Invocation) {
    guard !invocation.isJSON else {
      for api in apis { invocation.object(.endpoint, fields(of: api, in: world)) }
      return
    }
    var table = Table(columns: [
      .init("api"), .init("service"), .init("address", isFlexible: true), .init("besides"),
    ])
    table.rows = apis.map { row(of: $0, in: world) }
    invocation.print(table)
  }

  private static func fields(of api: World.API?, in world: World) -> [String: JSONValue] {
    let service = world.services[api]
    let remarks = remarks(on: api, service, in: world)
    var address: String? = address(of: service, in: world)
    if service.selection == .practice { address = world.server.baseURL }
    return [
      "api": .optional(api?.rawValue), "service": .string(name(of: service)),
      "address": .optional(address), "remarks": .optional(remarks.isEmpty ? nil : remarks),
    ]
  }

  private static func name(of service: World.Service) -> String {
    switch service.selection {
    case .practice: "practice"
    case .live: "live"
    case .url: "another"
    }
  }

  /// - Parameters:
  ///   - api: What is asked for; nil for addresses that begin with a slash, as in `get /path`.
  ///   - world: Where it is asked.
  /// - Returns: The cells: API, service, address, and what else there is to say.
  static func row(of api: World.API?, in world: World) -> [StyledText] {
    let service = world.services[api]
    let isOwn = api.map { world.services.own[$0] != nil } ?? false
    let name = name(of: service)
    return [
      StyledText(api?.rawValue ?? "/…"), StyledText(name, style: isOwn ? .bold : .plain),
      StyledText(VisibleText.escape(address(of: service, in: world))),
      StyledText(VisibleText.escape(remarks(on: api, service, in: world)), style: .dim),
    ]
  }

  private static func address(of service: World.Service, in world: World) -> String {
    switch service.selection {
    case .practice: world.server.baseURL ?? "starts on first use"
    case .live: Endpoint.live().baseURL
    case .url(let endpoint): endpoint.baseURL
    }
  }

  private static func remarks(
    on api: World.API?, _ service: World.Service, in world: World
  ) -> String {
    var remarks: [String] = []
    switch api {
    case .questions?, .answers?:
      if service.key != nil { remarks.append("key ***") }
      if let quota = world.pacer.quota(of: address(of: service, in: world)) {
        remarks.append("quota \(quota.remaining) of \(quota.maximum) requests left today")
      }
    case .tweets?, .quotes?:
      if service.selection == .live { remarks.append("no longer exists") }
      if let credentials = service.credentials {
        remarks.append("application id \(credentials.applicationID), key ***")
      }
    case nil: break
    }
    return remarks.joined(separator: ", ")
  }

  /// What to write in place of a text that is no service.
  static func helpForService(_ text: String) -> String {
    text.contains("/")
      ? "a base URL is such as http://127.0.0.1:8080"
      : Spelling.help(for: text, among: ["practice", "live"])
        ?? "'practice', 'live', or a base URL such as http://127.0.0.1:8080"
  }

  static let candidates = [
    CompletionCandidate("practice", summary: "the embedded server"),
    CompletionCandidate("live", summary: Endpoint.live().baseURL),
  ]
}

extension CommandSignature.Positional {
  /// A service.
  static let service = CommandSignature.Positional(
    "service", .string, .optional, help: "practice, live, or a base URL")

  /// The service of one API.
  static let ownService = CommandSignature.Positional(
    "service", .string, .optional,
    help: "practice, live, a base URL, or 'none' for the one that all others are asked of")
}

extension Invocation {
  /// The service that the call names; nil where it names none.
  ///
  /// - Throws: A diagnostic where it is neither a name nor a usable URL, or beyond the virtual clock.
  func selection() throws -> World.Selection? {
    guard let text = call.string("service") else { return nil }
    let selection: World.Selection
    do {
      selection = try World.Selection(text)
    } catch {
      throw call.failure(
        error.code, error.message, at: "service",
        help: EndpointText.helpForService(text))
    }
    if session.world.isLocal, selection != .practice {
      let error = World.notVirtual(selection)
      throw call.failure(error.code, error.message, at: "service")
    }
    return selection
  }

  /// Refuses keys that are for no service.
  func refuseWithoutService(_ options: [String]) throws {
    guard let option = options.first(where: call.has) else { return }
    let path = call.signature.fullName
    throw call.failure(
      "missing-service",
      "what a service knows us by belongs to a service: '\(path) URL --\(option) …'", at: option)
  }

  /// Shows or chooses the service of one API.
  ///
  /// - Parameters:
  ///   - api: The API.
  ///   - options: Those of the call that belong to a service.
  ///   - makeService: Makes the service of what was chosen.
  /// - Returns: The service, as text.
  /// - Throws: A diagnostic where that makes no sense; then nothing has changed.
  func chooseService(
    of api: World.API, options: [String],
    _ makeService: (World.Selection) throws -> World.Service
  ) throws -> Value {
    let world = session.world
    if call.string("service") == "none" {
      try refuseWithoutService(options)
      world.unselect(api)
    } else if let selection = try selection() {
      if let lost = api.lostName, selection == .live {
        throw call.failure(
          "service-gone", "\(lost) no longer exists; only the practice server has it",
          at: "service")
      }
      world.select(try makeService(selection), for: api)
    } else {
      try refuseWithoutService(options)
      EndpointText.show([api], in: world, self)
    }
    return .string(world.services[api].selection.text)
  }
}
