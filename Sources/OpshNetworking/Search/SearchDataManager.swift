public import OpshWebAPIs

/// Searches for tweets.
///
/// ```swift
/// let endpoint = try Endpoint(url: "http://127.0.0.1:8080")
/// let manager = SearchDataManager(queue: queue, transport: CurlTransport(), endpoint: endpoint)
/// for tag in ["swift", "c++"] {
///   try manager.fetch(query: TweetsQuery(text: tag)) { result in
///     if case .success(let page) = result { print(tag, page.tweets.count) }
///   }
/// }
/// ```
public typealias SearchDataManager = DataManager<TweetsFetchOperation>

extension APIQuery where Endpoint == Tweets {
  /// Creates a search for a text.
  public init(text: String) {
    self.init()
    self[Tweets.text] = text
  }
}
