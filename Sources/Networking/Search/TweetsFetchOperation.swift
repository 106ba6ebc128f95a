public import Foundation
public import Operations

/// Searches for tweets about one text; made by `SearchDataManager`.
///
/// Where the service answers 420 and says how long to wait, all searches of the same pacer wait
/// that long.
public final class TweetsFetchOperation: NetworkOperation<TweetsPage>, @unchecked Sendable {
  // @unchecked because `query` is constant.

  /// What is searched for.
  public let query: TweetsQuery

  /// Creates an operation of the kind `fetch tweets`.
  ///
  /// - Parameters:
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - log: The log of its transitions.
  ///   - query: What to search for.
  ///   - endpoint: The service.
  ///   - transport: What carries the request.
  ///   - options: How to ask.
  ///   - pacer: Remembers the pauses that the service asks for.
  ///   - callbackQueue: Where the completion handler is called.
  ///   - completionHandler: Is told the result, before the operation is seen as finished.
  public init(
    name: String? = nil, log: EventLog = .shared, query: TweetsQuery, endpoint: Endpoint,
    transport: any Transport, options: RequestOptions = RequestOptions(),
    pacer: RequestPacer = .shared, callbackQueue: DispatchQueue? = nil,
    completionHandler: (@Sendable (Result<TweetsPage, any Error>) -> Void)? = nil
  ) {
    self.query = query
    super.init(
      name: name, kind: "fetch tweets", log: log,
      request: endpoint.withoutKey.request(path: TweetsQuery.path, fields: query.fields),
      transport: transport, options: options,
      pacing: RequestPacing(pacer: pacer, method: "\(endpoint.baseURL) search"),
      callbackQueue: callbackQueue, completionHandler: completionHandler)
  }

  /// Decodes the page.
  ///
  /// - Parameter response: The response.
  /// - Returns: The page.
  /// - Throws: `NetworkError.serialization`.
  public override func decode(_ response: HTTPResponse) throws -> TweetsPage {
    try TweetsPage(decoding: response.body)
  }

  /// Reads the service's own error, which came in two forms.
  ///
  /// - Parameter response: The response.
  /// - Returns: `api` where the body says what is wrong, `invalidStatusCode` otherwise.
  public override func failure(for response: HTTPResponse) -> NetworkError {
    let status = response.head.status
    guard let body = try? JSONValue(parsing: response.body) else {
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
  ///
  /// - Parameter value: The page.
  /// - Returns: The number of its tweets.
  public override func countItems(in value: TweetsPage) -> Int? { value.tweets.count }

  /// Counts the tweets in words and says what they are about.
  ///
  /// - Parameter value: The page.
  /// - Returns: Such as `15 tweets about 'c++'`.
  public override func describe(_ value: TweetsPage) -> String? {
    let count = value.tweets.count
    return "\(count) \(count == 1 ? "tweet" : "tweets") about '\(printable(query.text))'"
  }
}
