/// A page of tweets that a search found.
public struct TweetsPage: Sendable, Equatable {
  /// The tweets in the order of the service.
  public var tweets: [Tweet]
  /// The query of the next page, beginning with `?`; nil on the last one.
  public var nextPage: String?
  /// The service's warning about the query.
  public var warning: String?
  /// The complete response with every field as it was sent.
  public var raw: JSONValue

  /// Decodes a response of the service.
  ///
  /// - Parameter body: JSON text.
  /// - Throws: `NetworkError.serialization` when it is not JSON or not such a page.
  public init(decoding body: [UInt8]) throws(NetworkError) {
    raw = try JSONValue(body: body)
    guard case .array(let results)? = raw["results"] else {
      throw .serialization("'results' is missing or not an array")
    }
    var tweets: [Tweet] = []
    tweets.reserveCapacity(results.count)
    for (index, result) in results.enumerated() {
      tweets.append(try Tweet(result, path: "results[\(index)]"))
    }
    self.tweets = tweets
    if case .string(let text)? = raw["next_page"] { nextPage = text }
    if case .string(let text)? = raw["warning"] { warning = HTMLEntities.decode(text) }
  }
}
