import OpshWebAPIs

/// A method of the Stack Exchange API: its path, and how it is answered.
struct StackExchangeMethod: Sendable {
  /// The methods, in the order of the overview.
  static let all: [StackExchangeMethod] =
    questions + answers + searches + tags + info + siteIndependent

  /// Returns a list; the text is the part of the path in place of `{…}`.
  typealias List = @Sendable (Parameters, String) throws(APIError) -> Listing
  /// Returns a list of a site.
  typealias ListOfSite = @Sendable (SiteLists, Parameters, String) throws(APIError) -> Listing

  enum Answering: Sendable {
    case anywhere(List)
    case onSite(ListOfSite)
  }

  /// The path after the version, as documentation writes it.
  let pattern: String
  private let parts: [String]
  /// An example query for the overview.
  let sample: String
  let answering: Answering
  /// What a client knows of it; nil for a method that the client has no use for.
  var endpoint: (any APIEndpoint.Type)?

  /// A method that needs no site.
  init(_ pattern: String, list: @escaping List) {
    self.init(pattern, sample: "", .anywhere(list))
  }

  /// A method that lists what is on a site.
  init(ofSite pattern: String, sample: String = "", list: @escaping ListOfSite) {
    self.init(pattern, sample: "?site=stackoverflow" + sample, .onSite(list))
  }

  /// A method that lists what is on a site, for an endpoint of the client.
  ///
  /// The parameters are checked against the endpoint's before the list is made.
  init(of endpoint: any APIEndpoint.Type, list: @escaping ListOfSite) {
    self.init(ofSite: endpoint.path, list: list)
    self.endpoint = endpoint
  }

  private init(_ pattern: String, sample: String, _ answering: Answering) {
    (self.pattern, self.sample, self.answering) = (pattern, sample, answering)
    parts = pattern.split(separator: "/").map(String.init)
  }

  /// A method whose path has a list of ids.
  init(ofSite ids: APIParameter<[Int]>, list: @escaping ListOfSite) {
    self.init(ofSite: ids.declaration.path ?? "", list: list)
  }

  /// Returns the part of a path in place of `{…}`; nil if the method has another path.
  func argument(in segments: ArraySlice<String>) -> String? {
    guard parts.count == segments.count else { return nil }
    var argument = ""
    for (part, segment) in zip(parts, segments) {
      if part.hasPrefix("{") { argument = segment } else if part != segment { return nil }
    }
    return argument
  }
}

/// A path of the Stack Exchange API.
struct StackExchangeRoute {
  /// The method; nil for a path that names none.
  let method: StackExchangeMethod?
  /// The part of the path in place of `{…}`.
  let argument: String

  /// Finds the method of a path.
  ///
  /// - Parameter segments: The parts of the path after the version, decoded.
  init(_ segments: ArraySlice<String>) {
    for method in StackExchangeMethod.all {
      guard let argument = method.argument(in: segments) else { continue }
      (self.method, self.argument) = (method, argument)
      return
    }
    (method, argument) = (nil, "")
  }

  /// The method as documentation writes it.
  var pattern: String { method?.pattern ?? "unknown method" }
}
