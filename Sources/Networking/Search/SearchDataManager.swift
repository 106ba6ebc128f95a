public import Operations

/// Searches for tweets.
///
/// ```swift
/// let endpoint = try Endpoint(url: "http://127.0.0.1:8080")
/// let manager = SearchDataManager(queue: queue, transport: CurlTransport(), endpoint: endpoint)
/// let operations = try manager.fetch(tags: ["swift", "c++"]) { tag, result in
///   if case .success(let page) = result { print(tag, page.tweets.count) }
/// }
/// ```
public typealias SearchDataManager = DataManager<TweetsQuery>

extension TweetsQuery: DataQuery {
  /// Makes the operation, on no queue yet.
  ///
  /// - Parameter call: Everything besides the query.
  /// - Returns: The operation.
  public func makeOperation(_ call: DataCall<TweetsPage>) -> TweetsFetchOperation {
    TweetsFetchOperation(
      name: call.name, log: call.log, query: self, endpoint: call.endpoint,
      transport: call.transport, options: call.options, pacer: call.pacer,
      callbackQueue: call.callbackQueue, completionHandler: call.completionHandler)
  }
}

extension DataManager where Query == TweetsQuery {
  /// Searches for each of several tags with an operation of its own, on the manager's queue.
  ///
  /// - Parameters:
  ///   - tags: What to search for, each by itself.
  ///   - query: What all searches have in common; its text is replaced.
  ///   - options: How to ask.
  ///   - completionHandler: Is told the result of each tag as it comes.
  /// - Returns: The operations in the order of the tags.
  /// - Throws: `QueueError` when the queue refuses them.
  @discardableResult
  public func fetch(
    tags: [String], query: TweetsQuery = TweetsQuery(text: ""),
    options: RequestOptions = RequestOptions(),
    completionHandler: (@Sendable (_ tag: String, Result<TweetsPage, any Error>) -> Void)? = nil
  ) throws(QueueError) -> [TweetsFetchOperation] {
    let operations = tags.map { tag in
      var query = query
      query.text = tag
      return makeOperation(query: query, options: options) { completionHandler?(tag, $0) }
    }
    try queue.addOperations(operations, waitUntilFinished: false)
    return operations
  }
}
