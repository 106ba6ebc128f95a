import OpshWebAPIs

/// What a path leads to.
enum Route {
  case index
  /// The certificate of the issuer of the server's own.
  case issuer
  case stackExchange(StackExchangeRoute)
  /// The search for tweets.
  case tweets
  /// Tweets in an unknown format.
  case tweetsInOtherFormat
  case parse(ParsePlatformRoute)
  /// One address of a redirect loop.
  case redirectLoop(Int)
  /// A path at which a client tries out credentials or cookies.
  case tryOut(TryOutRoute)
  /// A path outside the imitated services.
  case notFound

  /// Finds the route of a path.
  ///
  /// - Parameter segments: The parts of the path between the slashes, decoded.
  init(segments: [String]) {
    let first = segments.first
    switch first {
    case nil: self = .index
    case "issuer.pem" where segments.count == 1: self = .issuer
    case let version? where StackExchange.Version(rawValue: version) != nil:
      self = .stackExchange(StackExchangeRoute(segments.dropFirst()))
    case Tweets.path where segments.count == 1: self = .tweets
    case "1", "parse": self = ParsePlatformRoute(segments).map { .parse($0) } ?? .notFound
    case "redirect-loop" where segments.count == 2:
      self = Int(segments[1]).map { .redirectLoop($0 == 1 ? 2 : 1) } ?? .notFound
    case let name? where segments.count == 1 && (name == "search" || name.hasPrefix("search.")):
      self = .tweetsInOtherFormat
    default: self = TryOutRoute(segments).map { .tryOut($0) } ?? .notFound
    }
  }

  /// The route as documentation writes it.
  var pattern: String {
    switch self {
    case .index: "/"
    case .issuer: "issuer.pem"
    case .stackExchange(let route): route.pattern
    case .tweets, .tweetsInOtherFormat: Tweets.path
    case .parse(let route): route.pattern
    case .redirectLoop: "redirect-loop"
    case .tryOut(let route): route.pattern
    case .notFound: "not found"
    }
  }

  /// Whether the path belongs to an imitated service, where faults apply.
  var isImitated: Bool {
    switch self {
    case .stackExchange, .tweets, .tweetsInOtherFormat, .parse: true
    case .index, .issuer, .redirectLoop, .tryOut, .notFound: false
    }
  }

  /// What the server says about itself.
  static let overview = """
    opsh practice server: invented data in the shapes of three APIs

    Stack Exchange (/2.2 answers the same)
    \(stackExchange)

    Twitter search as of 2012
      /\(Tweets.path)?q=swift

    Parse (/1 and /parse/1 answer the same; any X-Parse-Application-Id and key will do)
      /parse/\(Quotes.path)
      /parse/\(Quotes.path)/{objectId}

    Certificate of the issuer of the certificates that faults show
      /issuer.pem

    \(TryOutRoute.overview)

    """

  private static var stackExchange: String {
    let version = StackExchange.version.standard.rawValue
    return StackExchangeMethod.all.map { "  /\(version)/\($0.pattern)\($0.sample)" }
      .joined(separator: "\n")
  }
}
