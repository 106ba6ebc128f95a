/// What a path leads to.
enum Route: Equatable {
  case index
  case stackExchange(StackExchangeRoute)
  /// The search for tweets.
  case tweets
  /// The same in a format that there is not.
  case tweetsInOtherFormat
  case parse(ParseRoute)
  /// Leads to the next place of a circle.
  case redirectLoop(Int)
  /// A path outside the imitated services.
  case notFound

  /// Finds the route of a path.
  ///
  /// - Parameter segments: The parts of the path between the slashes, decoded.
  init(segments: [String]) {
    let first = segments.first
    switch first {
    case nil: self = .index
    case "2.2", "2.3": self = .stackExchange(StackExchangeRoute(Array(segments.dropFirst())))
    case "search.json" where segments.count == 1: self = .tweets
    case "1", "parse": self = ParseRoute(segments).map { .parse($0) } ?? .notFound
    case "redirect-loop" where segments.count == 2:
      self = Int(segments[1]).map { .redirectLoop($0 == 1 ? 2 : 1) } ?? .notFound
    case let name? where segments.count == 1 && (name == "search" || name.hasPrefix("search.")):
      self = .tweetsInOtherFormat
    default: self = .notFound
    }
  }

  /// The route as documentation writes it.
  var pattern: String {
    switch self {
    case .index: "/"
    case .stackExchange(let route): route.pattern
    case .tweets, .tweetsInOtherFormat: "search.json"
    case .parse(let route): route.pattern
    case .redirectLoop: "redirect-loop"
    case .notFound: "not found"
    }
  }

  /// Whether the path belongs to an imitated service, where faults apply.
  var isImitated: Bool {
    switch self {
    case .stackExchange, .tweets, .tweetsInOtherFormat, .parse: true
    case .index, .redirectLoop, .notFound: false
    }
  }

  /// What the server says about itself.
  static let overview = """
    opsh practice server: invented data in the shapes of three APIs

    Stack Exchange (/2.2 answers the same)
      /2.3/questions?site=stackoverflow
      /2.3/questions/{ids}?site=stackoverflow
      /2.3/questions/{ids}/answers?site=stackoverflow
      /2.3/answers?site=stackoverflow
      /2.3/answers/{ids}?site=stackoverflow
      /2.3/search?site=stackoverflow&tagged=swift;linux
      /2.3/search/advanced?site=stackoverflow&q=queue
      /2.3/tags?site=stackoverflow
      /2.3/tags/{tags}/info?site=stackoverflow
      /2.3/info?site=stackoverflow
      /2.3/sites
      /2.3/errors
      /2.3/errors/{id}

    Twitter search as of 2012
      /search.json?q=swift

    Parse (/1 and /parse/1 answer the same; any X-Parse-Application-Id and key will do)
      /parse/classes/Quote
      /parse/classes/Quote/{objectId}

    """
}
