/// Names which of the tweets that match are wanted.
public enum TweetResultType: String, Sendable, CaseIterable {
  /// The popular ones first, then the newest.
  case mixed
  /// The newest.
  case recent
  /// The popular ones.
  case popular
}

/// Describes a search for tweets.
///
/// ```swift
/// var query = TweetsQuery(text: "c++")
/// query.perPage = 50
/// query.resultType = .recent
/// ```
public struct TweetsQuery: Sendable, Equatable {
  /// What to search for; any characters, they arrive as they are.
  public var text: String
  /// How many tweets a page has, up to 100; nil leaves it to the service.
  public var perPage: Int?
  /// The page, from 1; nil leaves it to the service.
  public var page: Int?
  /// Which of the tweets that match; nil leaves it to the service.
  public var resultType: TweetResultType?
  /// Only tweets with a greater id.
  public var sinceID: Int64?
  /// Only tweets with this id or a smaller one.
  public var maxID: Int64?
  /// The language, such as `en`.
  public var language: String?
  /// Whether tags, links and names in the text are listed beside it.
  public var includesEntities: Bool = true

  /// Creates a search for a text.
  ///
  /// - Parameter text: What to search for.
  public init(text: String) {
    self.text = text
  }

  /// The path and the encoded query, to be put after an endpoint's base address.
  public var pathAndQuery: String { Self.path + (fields.encoded.map { "?" + $0 } ?? "") }

  static let path = "/search.json"

  var fields: QueryFields {
    var fields = QueryFields()
    fields.append("q", text)
    fields.append("rpp", perPage)
    fields.append("page", page)
    fields.append("result_type", resultType?.rawValue)
    fields.append("since_id", sinceID.map { String($0) })
    fields.append("max_id", maxID.map { String($0) })
    fields.append("lang", language)
    fields.append("include_entities", includesEntities ? "true" : nil)
    return fields
  }
}
