public import Foundation
public import Operations

/// Fetches what queries of one kind describe; the only way from the features of a program to that
/// part of an API.
///
/// It schedules on the queue that it was given, and gives the operation back for those who want
/// to watch or cancel it. Who only wants the result need not look at it:
///
/// ```swift
/// let manager = QuestionsDataManager(queue: queue, transport: CurlTransport(), endpoint: .live())
/// try manager.fetch { result in
///   if case .success(let page) = result { print(page.items.count) }
/// }
/// ```
public final class DataManager<Query: DataQuery>: Sendable {
  /// Where the operations run.
  public let queue: InspectableQueue
  /// The service.
  public let endpoint: Endpoint

  private let transport: any Transport
  private let pacer: RequestPacer

  /// Creates a manager.
  ///
  /// - Parameters:
  ///   - queue: Where the operations run.
  ///   - transport: What carries the requests.
  ///   - endpoint: The service.
  ///   - pacer: Remembers the pauses that the service asks for.
  public init(
    queue: InspectableQueue, transport: any Transport, endpoint: Endpoint,
    pacer: RequestPacer = .shared
  ) {
    self.queue = queue
    self.transport = transport
    self.endpoint = endpoint
    self.pacer = pacer
  }

  /// Makes an operation that is on no queue yet, so that dependencies can be given to it.
  ///
  /// - Parameters:
  ///   - query: What to fetch.
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - options: How to ask.
  ///   - callbackQueue: Where the completion handler is called.
  ///   - completionHandler: Is told the result, before the operation is seen as finished.
  /// - Returns: The operation, to be added to a queue.
  public func makeOperation(
    query: Query, name: String? = nil, options: RequestOptions = RequestOptions(),
    callbackQueue: DispatchQueue? = nil,
    completionHandler: (@Sendable (Result<Query.Value, any Error>) -> Void)? = nil
  ) -> Query.FetchOperation {
    query.makeOperation(
      DataCall(
        name: name, log: queue.log, endpoint: endpoint, transport: transport, options: options,
        pacer: pacer, callbackQueue: callbackQueue, completionHandler: completionHandler))
  }

  /// Fetches on the manager's queue.
  ///
  /// - Parameters:
  ///   - query: What to fetch.
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - options: How to ask.
  ///   - callbackQueue: Where the completion handler is called.
  ///   - completionHandler: Is told the result, before the operation is seen as finished.
  /// - Returns: The operation, already on the queue.
  /// - Throws: `QueueError` when the queue refuses it.
  @discardableResult
  public func fetch(
    query: Query, name: String? = nil, options: RequestOptions = RequestOptions(),
    callbackQueue: DispatchQueue? = nil,
    completionHandler: (@Sendable (Result<Query.Value, any Error>) -> Void)? = nil
  ) throws(QueueError) -> Query.FetchOperation {
    let operation = makeOperation(
      query: query, name: name, options: options, callbackQueue: callbackQueue,
      completionHandler: completionHandler)
    try queue.addOperation(operation)
    return operation
  }
}

extension DataManager where Query: ListQuery {
  /// Fetches the first page of all there is on the manager's queue.
  ///
  /// - Parameters:
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - options: How to ask.
  ///   - callbackQueue: Where the completion handler is called.
  ///   - completionHandler: Is told the result, before the operation is seen as finished.
  /// - Returns: The operation, already on the queue.
  /// - Throws: `QueueError` when the queue refuses it.
  @discardableResult
  public func fetch(
    name: String? = nil, options: RequestOptions = RequestOptions(),
    callbackQueue: DispatchQueue? = nil,
    completionHandler: (@Sendable (Result<Query.Value, any Error>) -> Void)? = nil
  ) throws(QueueError) -> Query.FetchOperation {
    try fetch(
      query: Query(), name: name, options: options, callbackQueue: callbackQueue,
      completionHandler: completionHandler)
  }
}
