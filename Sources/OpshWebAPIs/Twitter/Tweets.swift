/// The search for tweets as of 2012.
public enum Tweets: APIEndpoint {
  /// The text to search for; any characters are sent unchanged.
  public static let text = APIParameter<String?>("q", default: nil, help: "text to search for")
  /// The largest page.
  public static let mostPerPage: Int = 100
  /// The page size.
  public static let perPage = APIParameter<Int>(
    "rpp", 1...mostPerPage, default: 15, option: "per-tag", help: "tweets for each tag")
  /// The page.
  public static let page = APIParameter<Int>(
    "page", 1...(.max), default: 1, help: "number of the page")
  /// The kind of matching tweets.
  public static let resultType = APIParameter<TweetResultType>(
    "result_type", default: .mixed, option: "type", help: "which of the matching tweets")
  /// Only tweets with a greater id; 0 for all.
  public static let sinceID = APIParameter<Int>(
    "since_id", 0...(.max), default: 0, help: "only tweets with a greater id")
  /// Only tweets with this id or a smaller one; 0 for all.
  public static let maxID = APIParameter<Int>(
    "max_id", 0...(.max), default: 0, help: "only tweets with this id or a smaller one")
  /// The language, such as `en`.
  public static let language = APIParameter<String?>(
    "lang", default: nil, option: "lang", help: "only tweets in this language, such as en")
  /// Whether tags, links and names in the text are listed separately.
  public static let includesEntities = APIParameter<Bool>(
    "include_entities", default: false, initial: true,
    help: "list tags, links and names in the text separately")

  /// The name in commands.
  public static let name = "tweets"
  /// The path.
  public static let path = "search.json"
  /// The parameters.
  public static let parameters: [any APIParameterDeclaration] = [
    text, perPage, page, resultType, sinceID, maxID, language, includesEntities,
  ]
}

/// Describes a search for tweets.
public typealias TweetsQuery = APIQuery<Tweets>

/// The kind of matching tweets.
public enum TweetResultType: String, Sendable, CaseIterable, APIWord {
  /// The popular ones first, then the newest.
  case mixed
  /// The newest.
  case recent
  /// The popular ones.
  case popular
}
