import Dispatch
public import Operations

/// Performs a request synchronously: it occupies a thread until the response has arrived.
///
/// It is for comparison with ``NetworkOperation``, which occupies none. Cancelling it cancels the
/// request; like any blocking body it finishes, as cancelled, when its thread returns, which then
/// happens at once.
///
/// ```swift
/// let inner = InspectableQueue(name: "requests", engine: OperationEngine())
/// let manager = QuestionsDataManager(queue: inner, transport: transport, endpoint: .live())
/// let blocking = BlockingNetworkOperation(
///   queue: inner, request: manager.makeOperation(query: query))
/// ```
public final class BlockingNetworkOperation<Value: Sendable>: BlockingOperation, RequestPerforming,
  @unchecked Sendable
{
  // @unchecked because what it adds is constant.
  private let request: NetworkOperation<Value>

  /// Creates an operation that waits for another one.
  ///
  /// - Parameters:
  ///   - name: Its name; nil for an automatic one.
  ///   - engine: Its engine, the one of its queue.
  ///   - queue: The queue of the request itself, with an engine of its own.
  ///   - request: The request, on no queue yet and created for the engine of `queue`.
  public init(
    name: String? = nil, engine: OperationEngine = .shared, queue: InspectableQueue,
    request: NetworkOperation<Value>
  ) {
    self.request = request
    super.init(name: name, kind: request.kind, engine: engine) { operation in
      try request.perform(for: operation, on: queue)
    }
  }

  /// For a success the description of the value, with size and time.
  public override var outcomeSummary: String? { request.outcomeSummary }

  package var performedRequest: any NetworkOperationMetrics { request }

  /// The time limit of the request.
  public override var timeLimit: Duration? {
    get { request.timeLimit }
    set { request.timeLimit = newValue }
  }
  /// The retry policy of the request.
  public override var retryPolicy: RetryPolicy? {
    get { request.retryPolicy }
    set { request.retryPolicy = newValue }
  }
  /// The phases of the request.
  public override var phases: Set<OperationPhase> { request.phases }
  /// The backoff of the request.
  public override var standardBackoff: Duration { request.standardBackoff }

  /// Releases the value, and that of the request.
  public override func releaseValue() {
    super.releaseValue()
    request.dropValue()
  }
}

extension NetworkOperation {
  /// Performs the request for another operation, and blocks the calling thread until it has finished.
  ///
  /// Attempts, pauses and progress are also logged for the other operation; cancelling that one
  /// cancels the request.
  ///
  /// - Parameters:
  ///   - operation: The other operation.
  ///   - queue: The queue of the request itself, with an engine of its own.
  /// - Returns: The value.
  /// - Throws: What the request fails with.
  package func perform(
    for operation: ObservableOperation, on queue: InspectableQueue
  ) throws -> Value? {
    let end = DispatchSemaphore(value: 0)
    outer = operation
    let cancelling = operation.observe(\.isCancelled, options: [.initial, .new]) { _, change in
      if change.newValue == true { self.cancel() }
    }
    defer { cancelling.invalidate() }
    let token = observe(\.isFinished, options: [.initial, .new]) { _, change in
      if change.newValue == true { end.signal() }
    }
    defer { token.invalidate() }
    try queue.addOperation(self)
    end.wait()
    return try result?.get()
  }
}
