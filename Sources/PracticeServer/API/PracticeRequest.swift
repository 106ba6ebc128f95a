import OpshSupport

/// A request as the routes see it.
struct PracticeRequest {
  /// One field of a query, decoded.
  struct Field: Equatable {
    var name: String
    var value: String
  }

  /// The connection of a request.
  struct Connection {
    /// Whether it is encrypted.
    var isSecure = false
    /// Whether another request was answered on it.
    var isReused = false
  }

  let method: String
  let route: Route
  /// The parts of the path between the slashes, decoded.
  let segments: [String]
  let fields: [Field]
  /// The target as it was sent.
  let target: [UInt8]
  /// Whether the request has been sent here from under another host name.
  let isElsewhere: Bool
  /// What was sent with the request.
  var body: [UInt8] = []
  /// Whether more was sent than is kept.
  var bodyIsTooLong = false
  /// The connection that it came on.
  var connection = Connection()
  /// Looks a header up, whatever the case of its name.
  var header: (String) -> String? = { _ in nil }

  /// The first part of a path to which redirected requests go.
  static let elsewhere = "elsewhere"

  /// Takes the target of a request line apart.
  ///
  /// - Parameters:
  ///   - method: The method, in capitals.
  ///   - target: The target as it was sent: a path and maybe a query, or a whole URL.
  init(method: String, target: [UInt8]) {
    self.method = method
    self.target = target
    let origin = Self.originForm(target)
    let end = origin.firstIndex(of: UInt8(ascii: "?"))
    let path = end.map { origin[..<$0] } ?? origin
    var segments = path.split(separator: UInt8(ascii: "/")).map {
      PercentEncoding.decode($0, plusIsSpace: false)
    }
    isElsewhere = segments.first == Self.elsewhere
    if isElsewhere { segments.removeFirst() }
    self.segments = segments
    route = Route(segments: segments)
    fields = Self.fields(of: end.map { origin[($0 + 1)...] } ?? [])
  }

  var isRead: Bool { method == "GET" || method == "HEAD" }

  /// The path without what stands before it in a request that was redirected.
  var path: String { "/" + segments.joined(separator: "/") }

  /// The fields by their names in lower case; of a name that is given twice the first counts.
  var parameters: [String: String] {
    Dictionary(fields.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
  }

  /// The target from the path on.
  var originForm: String { String(decoding: Self.originForm(target), as: UTF8.self) }

  /// The same for each repetition of a request, and hardly ever for another one.
  var identity: UInt64 {
    target.reduce(method.utf8.reduce(fnvBasis) { fnv($0, $1) }) { fnv($0, $1) }
  }

  /// A target from the path on, without the scheme and host of a whole URL.
  static func originForm(_ target: [UInt8]) -> ArraySlice<UInt8> {
    guard target.starts(with: "http".utf8) else { return target[...] }
    for scheme in ["http://", "https://"] where target.starts(with: scheme.utf8) {
      let rest = target.dropFirst(scheme.utf8.count)
      return rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        .map { rest[$0...] } ?? []
    }
    return target[...]
  }

  private static func fields(of query: ArraySlice<UInt8>) -> [Field] {
    query.split(separator: UInt8(ascii: "&")).map { pair in
      let equals = pair.firstIndex(of: UInt8(ascii: "="))
      return Field(
        name: PercentEncoding.decode(equals.map { pair[..<$0] } ?? pair, plusIsSpace: true),
        value: equals.map { PercentEncoding.decode(pair[($0 + 1)...], plusIsSpace: true) } ?? "")
    }
  }
}
