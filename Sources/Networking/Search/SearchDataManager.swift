public import Operations
public import WebAPIs

/// Searches for tweets.
///
/// ```swift
/// let endpoint = try Endpoint(url: "http://127.0.0.1:8080")
/// let manager = SearchDataManager(queue: queue, transport: CurlTransport(), endpoint: endpoint)
/// let operations = try manager.fetch(tags: ["swift", "c++"]) { tag, result in
///   if case .success(let page) = result { print(tag, page.tweets.count) }
/// }
/// ```
public typealias SearchDataManager = DataManager<TweetsFetchOperation>

extension APIQuery where Endpoint == Tweets {
  /// Creates a search for a text.
  ///
  /// - Parameter text: What to search for.
  public init(text: String) {
    self.init()
    self[Tweets.text] = text
  }
}

extension DataManager where Operation == TweetsFetchOperation {
  /// Searches for several tags on the manager's queue, each with an operation of its own.
  ///
  /// - Parameters:
  ///   - tags: The tags, each for a search of its own.
  ///   - query: The common parameters of all searches; its text is replaced.
  ///   - options: The options of the requests.
  ///   - completionHandler: Called with the result of each tag.
  /// - Returns: The operations in the order of the tags.
  /// - Throws: `QueueError` if the queue rejects them.
  @discardableResult
  public func fetch(
    tags: [String], query: TweetsQuery = TweetsQuery(),
    options: RequestOptions = RequestOptions(),
    completionHandler: (@Sendable (_ tag: String, Result<TweetsPage, any Error>) -> Void)? = nil
  ) throws(QueueError) -> [TweetsFetchOperation] {
    let operations = tags.map { tag in
      var query = query
      query[Tweets.text] = tag
      return makeOperation(query: query, options: options) { completionHandler?(tag, $0) }
    }
    try queue.addOperations(operations, waitUntilFinished: false)
    return operations
  }
}
