import OpshNetworking
import PracticeServer
import ShellOutput
package import ShellSession
import OpshTerminal

/// The text about services that `endpoint` shows.
enum EndpointText {
  /// Shows the services of APIs, as a table or as objects.
  static func show(
    _ apis: [NetworkEnvironment.API?], in network: NetworkEnvironment, _ invocation: Invocation
  ) {
    guard !invocation.isJSON else {
      for api in apis { invocation.object(.endpoint, fields(of: api, in: network)) }
      return
    }
    var table = Table(columns: [
      .init("api"), .init("service"), .init("address", isFlexible: true, goesBelow: true),
      .init("remarks"),
    ])
    table.rows = apis.map { row(of: $0, in: network) }
    invocation.print(table)
  }

  private static func fields(of api: NetworkEnvironment.API?, in network: NetworkEnvironment)
    -> [String: JSONValue]
  {
    let service = network.services[api]
    let remarks = remarks(on: api, service, in: network)
    var address: String? = address(of: service, in: network)
    if service.selection == .practice { address = network.server.baseURL }
    return [
      "api": .optional(api?.name), "service": .string(name(of: service)),
      "address": .optional(address), "remarks": .optional(remarks.isEmpty ? nil : remarks),
    ]
  }

  private static func name(of service: NetworkEnvironment.Service) -> String {
    switch service.selection {
    case .practice: "practice"
    case .live: "live"
    case .url: "another"
    }
  }

  /// - Parameters:
  ///   - api: The API; nil for addresses that begin with a slash, as in `get /path`.
  ///   - network: The services.
  /// - Returns: The cells: API, service, address, and remarks.
  static func row(of api: NetworkEnvironment.API?, in network: NetworkEnvironment) -> [StyledText] {
    let service = network.services[api]
    let isOwn = api.map { network.services.own[$0] != nil } ?? false
    let name = name(of: service)
    return [
      StyledText(api?.name ?? "/…"), StyledText(name, style: isOwn ? .bold : .plain),
      StyledText(VisibleText.escape(address(of: service, in: network))),
      StyledText(VisibleText.escape(remarks(on: api, service, in: network)), style: .dim),
    ]
  }

  private static func address(
    of service: NetworkEnvironment.Service, in network: NetworkEnvironment
  ) -> String {
    switch service.selection {
    case .practice: network.server.baseURL ?? "starts on first use"
    case .live: Endpoint.live().baseURL
    case .url(let endpoint): endpoint.baseURL
    }
  }

  private static func remarks(
    on api: NetworkEnvironment.API?, _ service: NetworkEnvironment.Service,
    in network: NetworkEnvironment
  ) -> String {
    var remarks: [String] = []
    if api?.lostName != nil {
      if service.selection == .live { remarks.append("no longer exists") }
      if let credentials = service.credentials {
        remarks.append("application id \(credentials.applicationID), key ***")
      }
    } else if api != nil {
      if service.key != nil { remarks.append("key ***") }
      if let quota = network.pacer.quota(of: address(of: service, in: network)) {
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

extension ObjectKind {
  package static let endpoint = ObjectKind(
    type: "endpoint", commands: "`endpoint` and those of the single APIs, one for each API",
    keys: [
      ("api", "the API; null for addresses that begin with a slash"),
      ("service", "`practice`, `live` or `another`"), ("address", "the base URL, or null"),
      ("remarks", "credentials that are set, masked, and the quota that is left"),
    ])
}
