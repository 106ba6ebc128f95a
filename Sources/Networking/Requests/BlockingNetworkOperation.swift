import Dispatch
public import Operations

/// Makes a request as code without asynchronous calls does: a thread is held until the answer has
/// come.
///
/// It is there to be compared with ``NetworkOperation``, which holds none. Cancelling it cancels the
/// request; like any blocking body it finishes, as cancelled, when its thread has come back, which
/// then is at once.
///
/// ```swift
/// let manager = QuestionsDataManager(
///   queue: BlockingNetworkOperation<QuestionsPage>.innerQueue, transport: transport,
///   endpoint: .live())
/// let blocking = BlockingNetworkOperation(request: manager.makeOperation(query: query))
/// ```
public final class BlockingNetworkOperation<Value: Sendable>: BlockingOperation,
  NetworkOperationMetrics, CachingRequest, @unchecked Sendable
{
  // @unchecked because what it adds is constant.
  private let request: NetworkOperation<Value>

  /// Where the requests themselves run, apart from the log of those who watch the operation.
  public static var innerQueue: InspectableQueue { blockingQueue }

  /// Creates an operation that waits for another one.
  ///
  /// - Parameters:
  ///   - name: Its name; nil for that of the kind and the number.
  ///   - log: The log of its transitions.
  ///   - request: What to wait for, on no queue yet and made for the log of `innerQueue`.
  public init(
    name: String? = nil, log: EventLog = .shared, request: NetworkOperation<Value>
  ) {
    self.request = request
    super.init(name: name, kind: request.kind, log: log) { operation in
      let end = DispatchSemaphore(value: 0)
      // What the request has to tell is told in the log that people look at.
      request.setWatcher(operation)
      let cancelling = operation.observe(\.isCancelled, options: [.initial, .new]) { _, change in
        if change.newValue == true { request.cancel() }
      }
      defer { cancelling.invalidate() }
      let token = request.observe(\.isFinished, options: [.initial, .new]) { _, change in
        if change.newValue == true { end.signal() }
      }
      defer { token.invalidate() }
      try blockingQueue.addOperation(request)
      end.wait()
      return try request.result?.get()
    }
  }

  /// For a success what came, how much and in what time.
  public override var outcomeSummary: String? { request.outcomeSummary }

  /// How it is asked.
  public var options: RequestOptions { request.options }
  /// The address with every secret masked.
  public var requestURL: String { request.requestURL }
  /// The method of the request.
  public var method: String { request.method }
  /// The status, the headers and the address of the response, once they have arrived.
  public var responseHead: HTTPResponseHead? { request.responseHead }
  /// The status of the response, once its head has arrived.
  public var statusCode: Int? { request.statusCode }
  /// The bytes of the body as they were on the wire.
  public var bytesReceived: Int { request.bytesReceived }
  /// Has a handler called each time that bytes have come.
  ///
  /// - Parameter handler: What to call, on the transport's thread.
  /// - Returns: A number to remove it by.
  public func addReceiveHandler(_ handler: @escaping @Sendable () -> Void) -> Int {
    request.addReceiveHandler(handler)
  }
  /// Has a handler not called any more; a call that has begun may still end.
  ///
  /// - Parameter number: What `addReceiveHandler` returned.
  public func removeReceiveHandler(_ number: Int) {
    request.removeReceiveHandler(number)
  }
  /// How long the server says the body is.
  public var bytesExpected: Int? { request.bytesExpected }
  /// The address that answered, where redirects led to another one.
  public var redirectedURL: String? { request.redirectedURL }
  /// What is sent in the head of the request; secrets are masked.
  public var sentHeaders: [(name: String, value: String)] { request.sentHeaders }
  /// The texts that are sent as credentials, which are to be hidden wherever they appear.
  public var credentials: [String] { request.credentials }
  /// What the server answered, where its status was the reason to fail.
  public var refusal: HTTPResponse? { request.refusal }
  /// How many bytes are kept of the head of the response.
  public var headSize: Int { request.headSize }
  /// Releases the value, and that of the request.
  public override func releaseValue() {
    super.releaseValue()
    request.dropValue()
  }
  /// What the cache has had to do with it so far; nil where it does not use one.
  public var cacheUse: CacheUse? { request.cacheUse }
  /// What was kept, at hand while the server is asked whether it is still right.
  public var storedValue: (any Sendable)? { request.storedValue }
  /// How many items the value holds.
  public var itemCount: Int? { request.itemCount }
  /// When the parts of the transfer were done.
  public var timings: TransferTimings? { request.timings }
  /// The bytes of the body per second.
  public var bytesPerSecond: Double? { request.bytesPerSecond }
  /// Why the operation executes without transferring.
  public var pauseReason: String? { request.pauseReason }
  /// How long that pause still lasts.
  public var remainingPause: Duration? { request.remainingPause }
}

private let blockingQueue = InspectableQueue(
  name: "blocking",
  maxConcurrentOperationCount: InspectableQueue.defaultMaxConcurrentOperationCount,
  log: EventLog())
