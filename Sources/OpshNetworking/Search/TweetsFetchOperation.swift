public import OpshWebAPIs

/// Searches for tweets with one query; created by `SearchDataManager`.
///
/// If the service answers 420 with a time to wait, all searches with the same pacer wait that long.
public final class TweetsFetchOperation: NetworkOperation<TweetsPage>, QueryOperation,
  @unchecked Sendable
{
  // @unchecked because `query` is constant.

  /// The query.
  public let query: TweetsQuery

  /// Creates an operation of the kind `fetch tweets`.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - context: The other parameters; a key of its endpoint is of another service.
  ///   - completionHandler: Called with the result before the operation finishes.
  public init(
    query: TweetsQuery, _ context: RequestContext,
    completionHandler: (@Sendable (Result<TweetsPage, any Error>) -> Void)?
  ) {
    self.query = query
    super.init(
      kind: "fetch tweets", request: context.endpoint.withoutKey.request(query), pause: " search",
      context, completionHandler: completionHandler)
  }

  /// Decodes the page.
  public override func decode(_ response: HTTPResponse) throws -> TweetsPage {
    try TweetsPage(decoding: response.body)
  }

  /// Returns the service's own error, which has two formats, if the body explains it.
  public override func failure(for response: HTTPResponse) -> NetworkError {
    let status = response.head.status
    guard let body = try? JSONValue(body: response.body) else {
      return super.failure(for: response)
    }
    if case .string(let message)? = body["error"] {
      return .api(
        id: status, name: Self.names[status] ?? "error",
        message: printable(HTMLEntities.decode(message)))
    }
    if case .string(let message)? = body["errors"]?[0]?["message"] {
      var id = status
      if case .integer(let code)? = body["errors"]?[0]?["code"], let code = Int(exactly: code) {
        id = code
      }
      return .api(
        id: id, name: Self.names[status] ?? "error",
        message: printable(HTMLEntities.decode(message)))
    }
    return super.failure(for: response)
  }

  /// The service has no names for its errors.
  private static let names = [
    403: "forbidden", 404: "not_found", 406: "not_acceptable", 420: "rate_limited",
    429: "rate_limited", 500: "internal_error", 502: "bad_gateway", 503: "unavailable",
  ]

  /// Counts the tweets of the page.
  public override func countItems(in value: TweetsPage) -> Int? { value.tweets.count }

  /// Describes the page, such as `15 tweets about 'c++'`.
  public override func describe(_ value: TweetsPage) -> String? {
    let count = value.tweets.count
    return
      "\(count) \(count == 1 ? "tweet" : "tweets") about '\(printable(query[Tweets.text] ?? ""))'"
  }
}
