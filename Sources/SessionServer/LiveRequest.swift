/// A request to a live server, as its rules see it.
package struct LiveRequest: Sendable {
  package var method: String
  /// The path without a query.
  package var path: String
  /// The host that it is for, with the port.
  package var host: String
  /// The address of the client in digits.
  package var client: String
  package var origins: [String] = []
  package var cookies: [String] = []
  package var contentTypes: [String] = []
  /// What a browser says of the page that sends it.
  package var fetchSites: [String] = []
  package var lastEventID: String?
  package var body: [UInt8] = []
  package var bodyIsTooLong: Bool = false

  /// The values of the cookies of a name.
  func cookies(named name: String) -> [String] {
    cookies.flatMap { $0.split(separator: ";") }.compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let key = parts[0].drop { $0 == " " }
      guard parts.count == 2, key == name else { return nil }
      return String(parts[1])
    }
  }

  /// Whether its body says that it is JSON.
  var isJSON: Bool {
    guard contentTypes.count == 1, let type = contentTypes[0].split(separator: ";").first else {
      return false
    }
    return type.lowercased().filter { $0 != " " && $0 != "\t" } == "application/json"
  }
}
