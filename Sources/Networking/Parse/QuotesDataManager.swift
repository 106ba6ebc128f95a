public import Foundation
public import Operations

/// Fetches quotes, keeps them in a store, and counts who reads them; the only way from the features
/// of a program to this API.
///
/// ```swift
/// let queue = InspectableQueue(name: "quotes", maxConcurrentOperationCount: 1)
/// queue.qualityOfService = .userInitiated
/// let manager = QuotesDataManager(
///   queue: queue, transport: CurlTransport(), endpoint: endpoint, credentials: credentials)
/// try manager.sync(into: store) { result in
///   if case .success(let report) = result { print(report.created, "are new") }
/// }
/// ```
public final class QuotesDataManager: Sendable {
  /// Where the operations run.
  public let queue: InspectableQueue
  private let service: ParseService

  /// Creates a manager.
  ///
  /// - Parameters:
  ///   - queue: Where the operations run.
  ///   - transport: What carries the requests.
  ///   - endpoint: The service.
  ///   - credentials: What the service knows the program by.
  ///   - pacer: Remembers the pauses that the service asks for.
  ///   - root: The path of the API after the base address, such as `/parse`.
  public init(
    queue: InspectableQueue, transport: any Transport, endpoint: Endpoint,
    credentials: ParseCredentials, pacer: RequestPacer = .shared, root: String = "/1"
  ) {
    self.queue = queue
    service = ParseService(
      endpoint: endpoint, transport: transport, credentials: credentials, pacer: pacer, root: root)
  }

  /// Makes an operation that fetches quotes; it is on no queue yet.
  ///
  /// - Parameters:
  ///   - query: Which quotes.
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - options: How to ask.
  ///   - callbackQueue: Where the completion handler is called.
  ///   - completionHandler: Is told the result, before the operation is seen as finished.
  /// - Returns: The operation, of the kind `fetch quotes`.
  /// - Throws: `NetworkError` for credentials that cannot be sent.
  public func makeFetch(
    query: QuotesQuery = QuotesQuery(), name: String? = nil,
    options: RequestOptions = RequestOptions(), callbackQueue: DispatchQueue? = nil,
    completionHandler: (@Sendable (Result<QuotesPage, any Error>) -> Void)? = nil
  ) throws(NetworkError) -> QuotesFetchOperation {
    QuotesFetchOperation(
      name: name, kind: "fetch quotes", log: queue.log,
      request: try service.request(className: QuotesQuery.className, fields: query.fields),
      service: service, options: options, callbackQueue: callbackQueue,
      completionHandler: completionHandler)
  }

  /// Makes an operation that fetches one quote; it is on no queue yet.
  ///
  /// - Parameters:
  ///   - id: Its object id.
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - options: How to ask.
  ///   - completionHandler: Is told the result, before the operation is seen as finished.
  /// - Returns: The operation, of the kind `fetch quote`.
  /// - Throws: `NetworkError` for credentials that cannot be sent.
  public func makeFetch(
    id: String, name: String? = nil, options: RequestOptions = RequestOptions(),
    completionHandler: (@Sendable (Result<QuoteRecord, any Error>) -> Void)? = nil
  ) throws(NetworkError) -> QuoteFetchOperation {
    QuoteFetchOperation(
      name: name, kind: "fetch quote", log: queue.log,
      request: try service.request(className: QuotesQuery.className, id: id), service: service,
      options: options, callbackQueue: nil, completionHandler: completionHandler)
  }

  /// Makes an operation that raises the read count of a quote on the service; it is on no queue
  /// yet.
  ///
  /// - Parameters:
  ///   - id: The object id of the quote.
  ///   - amount: What to add.
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - options: How to ask; a request that adds is never made twice by itself.
  ///   - completionHandler: Is told the result, before the operation is seen as finished.
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
      name: name, kind: "quote increment", log: queue.log,
      request: try service.request(
        method: "PUT", className: QuotesQuery.className, id: id,
        body: .object([.init(name: "readCount", value: change)])),
      service: service, options: options, callbackQueue: nil,
      completionHandler: completionHandler)
  }

  /// Makes the group that brings a store up to date; it is on no queue yet.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - query: Which quotes.
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - options: How to ask.
  /// - Returns: The group, of the kind `sync quotes`, with its operations still outside of it:
  ///   ``QuotesSyncOperation/parts`` are to be added with `addOperations`.
  /// - Throws: `NetworkError` for credentials that cannot be sent.
  public func makeSync(
    into store: any QuoteStore, query: QuotesQuery = .all, name: String? = nil,
    options: RequestOptions = RequestOptions()
  ) throws -> QuotesSyncOperation {
    let download = QuotesDownloadOperation(
      name: nil, kind: "quotes download", log: queue.log,
      request: try service.request(className: QuotesQuery.className, fields: query.fields),
      service: service, options: options, callbackQueue: nil, completionHandler: nil)
    return try QuotesSyncOperation(name: name, log: queue.log, download: download, store: store)
  }

  /// Makes the group that notes a reading of a quote; it is on no queue yet.
  ///
  /// - Parameters:
  ///   - id: The object id of the quote.
  ///   - store: The store.
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - options: How to ask.
  /// - Returns: The group, of the kind `read quote`, with its operations still outside of it.
  /// - Throws: `NetworkError` for credentials that cannot be sent.
  public func makeRead(
    id: String, in store: any QuoteStore, name: String? = nil,
    options: RequestOptions = RequestOptions()
  ) throws -> QuoteReadOperation {
    try QuoteReadOperation(
      name: name, log: queue.log, id: id, increment: try makeIncrement(id: id, options: options),
      store: store)
  }

  /// Brings a store up to date on the manager's queue.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - query: Which quotes.
  ///   - options: How to ask.
  ///   - completionHandler: Is told, when all of it has finished, what was done with each record,
  ///     or why nothing was.
  /// - Returns: The group, already on the queue.
  /// - Throws: `QueueError` when the queue refuses it.
  @discardableResult
  public func sync(
    into store: any QuoteStore, query: QuotesQuery = .all,
    options: RequestOptions = RequestOptions(),
    completionHandler: (@Sendable (Result<QuoteMergeReport, any Error>) -> Void)? = nil
  ) throws -> QuotesSyncOperation {
    let group = try makeSync(into: store, query: query, options: options)
    try group.addOperations(group.parts)
    if let completionHandler {
      // Foundation lets the block go when it has been called.
      group.completionBlock = { completionHandler(group.outcomeAsResult) }
    }
    try queue.addOperation(group)
    return group
  }
}
