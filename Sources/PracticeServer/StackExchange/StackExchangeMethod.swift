import OpshJSON
import OpshWebAPIs

/// A method of the Stack Exchange API: its path, and how it is answered.
struct StackExchangeMethod: Sendable {
  /// Returns a list; the text is the part of the path in place of `{…}`.
  typealias List = @Sendable (Parameters, String) throws(APIError) -> Found<JSONValue>
  /// Returns a list of a site.
  typealias ListOfSite = @Sendable (SiteRequest) throws(APIError) -> Found<JSONValue>

  enum Answering: Sendable {
    case anywhere(List)
    case onSite(ListOfSite)
  }

  /// The methods, in the order of the overview.
  static let all: [StackExchangeMethod] = [
    .init(of: Questions.self) { (request) throws(APIError) in try request.questions() },
    .init(Questions.ids) { (request) throws(APIError) in
      try request.posts(.question, of: try Parameters.identifiers(request.argument))
    },
    .init(Answers.questionIDs) { (request) throws(APIError) in try request.answersToQuestions() },
    .init(of: Answers.self) { (request) throws(APIError) in
      try request.posts(.answer, sort: try request.postSort())
    },
    .init(Answers.ids) { (request) throws(APIError) in
      try request.posts(.answer, of: try Parameters.identifiers(request.argument))
    },
    .init("search", sample: "&tagged=swift;linux") { (request) throws(APIError) in
      try request.search()
    },
    .init("search/advanced", sample: "&q=queue") { (request) throws(APIError) in
      try request.advancedSearch()
    },
    .init("tags") { (request) throws(APIError) in try request.tags() },
    .init("tags/{tags}/info") { (request) throws(APIError) in try request.namedTags() },
    .init("info") { (request) in request.info() },
    .init("sites", .anywhere { (parameters, _) throws(APIError) in try sites(parameters) }),
    .init("errors", .anywhere { (parameters, _) throws(APIError) in try errors(parameters) }),
    .init("errors/{id}", .anywhere { (_, id) throws(APIError) in throw try simulated(id) }),
  ]

  /// The path after the version, as documentation writes it.
  let pattern: String
  private let parts: [String]
  /// An example query for the overview.
  let sample: String
  let answering: Answering
  /// The description of it that clients have, with which its parameters are checked; nil for a method that the
  /// client has no use for.
  var endpoint: (any APIEndpoint.Type)?

  private init(_ pattern: String, sample: String = "", _ answering: Answering) {
    (self.pattern, self.sample, self.answering) = (pattern, sample, answering)
    parts = pattern.split(separator: "/").map(String.init)
  }

  private init(_ pattern: String, sample: String = "", list: @escaping ListOfSite) {
    self.init(pattern, sample: "?site=stackoverflow" + sample, .onSite(list))
  }

  private init(of endpoint: any APIEndpoint.Type, list: @escaping ListOfSite) {
    self.init(endpoint.path, list: list)
    self.endpoint = endpoint
  }

  private init(_ ids: APIParameter<[Int]>, list: @escaping ListOfSite) {
    self.init(ids.declaration.path ?? "", list: list)
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
    method = StackExchangeMethod.all.first { $0.argument(in: segments) != nil }
    argument = method?.argument(in: segments) ?? ""
  }

  /// The method as documentation writes it.
  var pattern: String { method?.pattern ?? "unknown method" }
}
