public import Operations
public import OpshWebAPIs

/// Fetches quotes, keeps them in a store, and counts readers; the interface between a program's
/// features and this API.
///
/// ```swift
/// let queue = InspectableQueue(name: "quotes", maxConcurrentOperationCount: 1)
/// queue.qualityOfService = .userInitiated
/// let manager = QuotesDataManager(
///   queue: queue, transport: CurlTransport(), endpoint: endpoint, credentials: credentials)
/// let group = try manager.makeSync(into: store)
/// try group.addOperations(group.parts)
/// group.completionBlock = { if let report = group.report { print(report.created, "are new") } }
/// try queue.addOperation(group)
/// ```
public final class QuotesDataManager: Sendable {
  /// The queue of the operations.
  public let queue: InspectableQueue
  private let service: ParseService

  /// Creates a manager.
  ///
  /// - Parameters:
  ///   - queue: The queue of the operations.
  ///   - transport: The transport for the requests.
  ///   - endpoint: The service.
  ///   - credentials: The program's credentials at the service.
  ///   - pacer: Stores the backoff that the service requests.
  ///   - root: The path of the API after the base address, such as `/parse`.
  public init(
    queue: InspectableQueue, transport: any Transport, endpoint: Endpoint,
    credentials: ParseCredentials, pacer: RequestPacer = .shared, root: String = "/1"
  ) {
    self.queue = queue
    service = ParseService(
      context: RequestContext(
        engine: queue.engine, endpoint: endpoint, transport: transport, pacer: pacer),
      credentials: credentials, root: root)
  }

  /// Creates an operation that fetches quotes; it is on no queue yet.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - name: Its name; nil for an automatic one.
  ///   - options: The options of the request.
  ///   - completionHandler: Called with the result before the operation finishes.
  /// - Returns: The operation, of the kind `fetch quotes`.
  /// - Throws: `NetworkError` for credentials that cannot be sent.
  public func makeFetch(
    query: QuotesQuery = QuotesQuery(), name: String? = nil,
    options: RequestOptions = RequestOptions(),
    completionHandler: (@Sendable (Result<QuotesPage, any Error>) -> Void)? = nil
  ) throws(NetworkError) -> QuotesFetchOperation {
    QuotesFetchOperation(
      name: name, kind: "fetch quotes", request: try service.request(query: query),
      service: service, options: options, completionHandler: completionHandler)
  }

  /// Creates an operation that increments the read count of a quote on the service; it is on no
  /// queue yet.
  ///
  /// - Parameters:
  ///   - id: The object id of the quote.
  ///   - amount: What to add.
  ///   - name: Its name; nil for an automatic one.
  ///   - options: The options of the request; an increment is never retried automatically.
  ///   - completionHandler: Called with the result before the operation finishes.
  /// - Returns: The operation, of the kind `quote increment`.
  /// - Throws: `NetworkError` for credentials that cannot be sent.
  public func makeIncrement(
    id: String, by amount: Int = 1, name: String? = nil,
    options: RequestOptions = RequestOptions(),
    completionHandler: (@Sendable (Result<Int?, any Error>) -> Void)? = nil
  ) throws(NetworkError) -> QuoteCountOperation {
    let change = JSONValue.object([
      .init(name: "__op", value: .string("Increment")),
      .init(name: "amount", value: .integer(Int64(amount))),
    ])
    return QuoteCountOperation(
      name: name, kind: "quote increment",
      request: try service.request(
        method: "PUT", id: id,
        body: .object([.init(name: "readCount", value: change)])),
      service: service, options: options,
      completionHandler: completionHandler)
  }

  /// Creates the group that synchronizes a store; it is on no queue yet.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - query: The query.
  ///   - name: Its name; nil for an automatic one.
  ///   - options: The options of the request.
  /// - Returns: The group, of the kind `sync quotes`, without its members: add
  ///   ``QuotesSyncOperation/parts`` with `addOperations`.
  /// - Throws: `NetworkError` for credentials that cannot be sent.
  public func makeSync(
    into store: any QuoteStore, query: QuotesQuery = .all, name: String? = nil,
    options: RequestOptions = RequestOptions()
  ) throws -> QuotesSyncOperation {
    let download = QuotesDownloadOperation(
      name: nil, kind: "quotes download", request: try service.request(query: query),
      service: service, options: options, completionHandler: nil)
    return try QuotesSyncOperation(
      name: name, engine: queue.engine, download: download, store: store)
  }

  /// Creates the group that counts a reading of a quote; it is on no queue yet.
  ///
  /// - Parameters:
  ///   - id: The object id of the quote.
  ///   - store: The store.
  ///   - name: Its name; nil for an automatic one.
  ///   - options: The options of the request.
  /// - Returns: The group, of the kind `read quote`, without its members.
  /// - Throws: `NetworkError` for credentials that cannot be sent.
  public func makeRead(
    id: String, in store: any QuoteStore, name: String? = nil,
    options: RequestOptions = RequestOptions()
  ) throws -> QuoteReadOperation {
    try QuoteReadOperation(
      name: name, engine: queue.engine, id: id,
      increment: try makeIncrement(id: id, options: options),
      store: store)
  }
}
