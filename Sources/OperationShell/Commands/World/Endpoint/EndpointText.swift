import Networking
import PracticeServer
import ShellLanguage
import ShellOutput
import Terminal

/// The text about services that `endpoint` shows.
enum EndpointText {
  /// Shows the services of APIs, as a table or as objects.
  static func show(_ apis: [World.API?], in world: World, _ invocation: Invocation) {
    guard !invocation.isJSON else {
      for api in apis { invocation.object(.endpoint, fields(of: api, in: world)) }
      return
    }
    var table = Table(columns: [
      .init("api"), .init("service"), .init("address", isFlexible: true), .init("remarks"),
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
      "api": .optional(api?.name), "service": .string(name(of: service)),
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
  ///   - api: The API; nil for addresses that begin with a slash, as in `get /path`.
  ///   - world: The services.
  /// - Returns: The cells: API, service, address, and remarks.
  static func row(of api: World.API?, in world: World) -> [StyledText] {
    let service = world.services[api]
    let isOwn = api.map { world.services.own[$0] != nil } ?? false
    let name = name(of: service)
    return [
      StyledText(api?.name ?? "/…"), StyledText(name, style: isOwn ? .bold : .plain),
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
    if api?.lostName != nil {
      if service.selection == .live { remarks.append("no longer exists") }
      if let credentials = service.credentials {
        remarks.append("application id \(credentials.applicationID), key ***")
      }
    } else if api != nil {
      if service.key != nil { remarks.append("key ***") }
      if let quota = world.pacer.quota(of: address(of: service, in: world)) {
        remarks.append("quota \(quota.remaining) of \(quota.maximum) requests left today")
      }
    }
    return remarks.joined(separator: ", ")
  }

  /// The names of services, for completion.
  static let candidates = [
    CompletionCandidate("practice", summary: "the embedded server"),
    CompletionCandidate("live", summary: Endpoint.live().baseURL),
  ]
}
