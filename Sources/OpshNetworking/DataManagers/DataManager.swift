public import Operations
@_exported public import OpshWebAPIs

/// Performs the queries of one endpoint; the interface between a program's features and that part of
/// an API.
///
/// It adds operations to its queue and returns each operation for callers that observe or cancel
/// it. Callers that only need the result can ignore it:
///
/// ```swift
/// let manager = QuestionsDataManager(queue: queue, transport: CurlTransport(), endpoint: .live())
/// try manager.fetch { result in
///   if case .success(let page) = result { print(page.items.count) }
/// }
/// ```
public final class DataManager<Operation: QueryOperation>: Sendable {
  /// The queue of the operations.
  public let queue: InspectableQueue
  private let context: RequestContext

  /// Creates a manager.
  public init(
    queue: InspectableQueue, transport: any Transport, endpoint: Endpoint,
    pacer: RequestPacer = .shared
  ) {
    self.queue = queue
    context = RequestContext(
      engine: queue.engine, endpoint: endpoint, transport: transport, pacer: pacer)
  }

  /// Creates an operation that is on no queue yet, so that dependencies can be added to it.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - name: Its name; nil for an automatic one.
  ///   - options: The options of the request.
  ///   - completionHandler: Called with the result before the operation finishes.
  /// - Returns: The operation, to be added to a queue.
  public func makeOperation(
    query: APIQuery<Operation.Description> = APIQuery(), name: String? = nil,
    options: RequestOptions = RequestOptions(),
    completionHandler: (@Sendable (Result<Operation.Value, any Error>) -> Void)? = nil
  ) -> Operation {
    Operation(query: query, context.with(name, options), completionHandler: completionHandler)
  }

  /// Fetches on the manager's queue; throws a `QueueError` if the queue rejects the operation.
  @discardableResult
  public func fetch(
    query: APIQuery<Operation.Description> = APIQuery(), name: String? = nil,
    options: RequestOptions = RequestOptions(),
    completionHandler: (@Sendable (Result<Operation.Value, any Error>) -> Void)? = nil
  ) throws(QueueError) -> Operation {
    let operation = makeOperation(
      query: query, name: name, options: options, completionHandler: completionHandler)
    try queue.addOperation(operation)
    return operation
  }
}

/// An operation that performs a query; created by a ``DataManager``.
public protocol QueryOperation<Value>: ObservableOperation {
  /// The endpoint that is asked.
  associatedtype Description: APIEndpoint
  /// The type of the result.
  associatedtype Value: Sendable

  /// Creates an operation that is on no queue yet.
  init(
    query: APIQuery<Description>, _ context: RequestContext,
    completionHandler: (@Sendable (Result<Value, any Error>) -> Void)?)
}

/// The parameters of an operation of an API other than its query.
public struct RequestContext: Sendable {
  var name: String?
  let engine: OperationEngine
  let endpoint: Endpoint
  let transport: any Transport
  let pacer: RequestPacer
  var options = RequestOptions()

  func with(_ name: String?, _ options: RequestOptions) -> Self {
    var context = self
    (context.name, context.options) = (name, options)
    return context
  }
}
