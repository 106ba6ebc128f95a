import Foundation
import OpshLocking
public import Operations

/// Performs one HTTP request, with retries if enabled, and turns the response into a value.
///
/// The body is processed as it arrives, cancellation is checked at every part, and no thread is
/// occupied while waiting. A subclass overrides `decode(_:)`, and other hooks as needed:
///
/// ```swift
/// final class TitleOperation: NetworkOperation<String>, @unchecked Sendable {
///   override func decode(_ response: HTTPResponse) throws -> String {
///     String(decoding: response.body, as: UTF8.self)
///   }
/// }
/// ```
///
/// Errors are checked in this order: the transfer, the status, an empty body, decoding. The hooks
/// run on threads of the transport or of this class, without a lock, and one at a time for each
/// attempt.
open class NetworkOperation<Value: Sendable>: ConcurrentOperation<Value>, NetworkOperationMetrics,
  RequestPerforming, @unchecked Sendable
{
  // @unchecked because what changes is in `requestState`, and the rest is constant.

  /// The request; the headers and limits of the options are applied to it.
  public let request: HTTPRequest
  /// The options of the request.
  public let options: RequestOptions

  let transport: any Transport
  let pacing: RequestPacing?
  let requestState = Locked(RequestState())
  package var performedRequest: any NetworkOperationMetrics { self }

  /// Creates an operation.
  ///
  /// - Parameters:
  ///   - name: Its name; nil for an automatic one.
  ///   - kind: Its kind, such as `fetch questions`.
  ///   - engine: Its engine, the one of its queue.
  ///   - request: The request.
  ///   - transport: The transport for the request.
  ///   - options: The options of the request.
  ///   - pacing: The backoff to respect; nil for none.
  ///   - completionHandler: Called with the result before the operation finishes.
  public init(
    name: String? = nil, kind: String, engine: OperationEngine = .shared, request: HTTPRequest,
    transport: any Transport, options: RequestOptions = RequestOptions(),
    pacing: RequestPacing? = nil,
    completionHandler: (@Sendable (Result<Value, any Error>) -> Void)? = nil
  ) {
    self.request = request
    self.options = options
    self.transport = transport
    self.pacing = pacing
    super.init(
      name: name, kind: kind, engine: engine, completionHandler: completionHandler)
    configure()
  }

  /// Creates an operation of an API.
  ///
  /// - Parameters:
  ///   - kind: Its kind.
  ///   - request: The request.
  ///   - pause: The name of the backoff to respect, after the address of the service.
  ///   - context: The name, the service, the transport and the options.
  ///   - completionHandler: Called with the result.
  public init(
    kind: String, request: HTTPRequest, pause: String, _ context: RequestContext,
    completionHandler: (@Sendable (Result<Value, any Error>) -> Void)?
  ) {
    self.request = request
    options = context.options
    transport = context.transport
    pacing = RequestPacing(pacer: context.pacer, method: context.endpoint.baseURL + pause)
    super.init(
      name: context.name, kind: kind, engine: context.engine,
      completionHandler: completionHandler)
    configure()
  }

  /// Gives a new operation what its class and its options ask of the engine.
  private func configure() {
    defects = .ownReadiness
    timeLimit = options.timeout
    retryPolicy = options.retryPolicy
  }

  // MARK: Hooks

  /// Turns a complete response with an acceptable status into the value.
  ///
  /// The implementation of the base class throws, because it does not know the type.
  ///
  /// - Parameter response: The response, its body decompressed.
  /// - Returns: The value.
  /// - Throws: The error of the operation; an error without a code of its own becomes
  ///   `NetworkError.serialization`.
  open func decode(_ response: HTTPResponse) throws -> Value {
    throw NetworkError.serialization("no decoding is defined for \(Value.self)")
  }

  /// Handles metadata of a fresh response, such as `backoff`; not called for a cached one.
  func handleMetadata(of value: Value) {}

  /// Returns the request of a transfer, which may depend on what earlier ones have brought.
  func adjusted(_ request: HTTPRequest) -> HTTPRequest { request }

  /// The file that the body of the response goes to; nil if the operation keeps it.
  var outputFile: String? { nil }

  /// Whether the response is of no use and the request must be sent again, otherwise than before.
  func mustRepeat(after head: HTTPResponseHead) -> Bool { false }

  /// Decides by the head whether to receive the body.
  ///
  /// - Parameter head: The head of the final response.
  /// - Returns: `stop` ends the transfer as a success with the data so far.
  open func decide(on head: HTTPResponseHead) -> TransferDisposition { .proceed }

  /// Receives a decompressed part of an acceptable response.
  ///
  /// - Parameter piece: The bytes.
  /// - Returns: Whether to continue.
  open func receive(_ piece: [UInt8]) -> TransferDisposition { .proceed }

  /// Called after the last transfer, however it ended; no further attempt follows.
  ///
  /// The call comes after `decode(_:)`, before the operation's end, and after a cancellation;
  /// possibly more than once, on different threads.
  open func transferDidEnd() {}

  /// Returns the error for a response whose status is not acceptable.
  ///
  /// - Parameter response: The response; its body may be truncated.
  /// - Returns: The error of the operation.
  open func failure(for response: HTTPResponse) -> NetworkError {
    let head = response.head
    // Another origin, which a redirect has led to, got no credentials.
    if head.status == 401, let credentials = transfer.authentication,
      let offered = credentials.misfit(in: head, for: request),
      (try? HTTPRequest(url: head.url))?.origin == request.origin
    {
      return .unfitCredentials(credentials.scheme, offered: offered)
    }
    return .invalidStatusCode(head.status)
  }

  /// Returns the number of items in a value; nil if that has no meaning.
  open func countItems(in value: Value) -> Int? { nil }

  /// Describes a value in two or three words for the outcome, such as `30 questions`.
  open func describe(_ value: Value) -> String? { nil }

  /// The acceptable statuses.
  open var acceptableStatus: ClosedRange<Int> { 200...299 }

  /// The phase in which `decode(_:)` is called.
  open var lastPhase: OperationPhase { .decoding }

  /// Headers, body and ``lastPhase``, and saving with a cache.
  open override var phases: Set<OperationPhase> {
    let phases: Set<OperationPhase> = [.headers, .body, lastPhase]
    return responseCache == nil ? phases : phases.union([.saving])
  }

  /// Whether an empty body is an error.
  open var requiresBody: Bool { true }

  /// Whether to expand a body that looks compressed although the server does not declare it.
  open var infersCompression: Bool { false }

  /// Whether the body is collected for `decode(_:)`; otherwise only `receive(_:)` receives it.
  open var gathersBody: Bool { true }

  /// Whether a compressed body is expanded; otherwise it is passed on as received.
  open var expandsBody: Bool { true }

  // MARK: The life of an operation

  /// True: an attempt is passed to the transport.
  open override var beginsBriefly: Bool { true }

  /// Sends an attempt, the first only if the cache has no fresh value.
  open override func execute() {
    if attempts > 1 { beginAttempt() } else { beginWithCache() }
  }

  /// Cancels the transfer.
  open override func cancelExecution() {
    if let task = requestState.withLock({ $0.end() }) {
      let sent = task.bytesSent
      requestState.withLock { $0.bytesSent = sent }
      task.cancel()
    }
    releaseHeld()
    transferDidEnd()
  }

  /// Sends no further request.
  open override func endBetweenAttempts() { cancelExecution() }

  /// A stale response that may be used after an error, or the failure `timed-out`.
  open override func resultAtTimeLimit(_ limit: Duration) -> Result<Value, any Error> {
    let error = timedOut(.total, limit)
    return staleValue(for: error, head: responseHead).map { .success($0) } ?? .failure(error)
  }

  /// Half a second.
  open override var standardBackoff: Duration { .milliseconds(500) }

  /// Stops where a repetition is not safe or not useful, and otherwise waits as long as the server
  /// asks for, or by the policy.
  open override func decideRetry(
    after error: any Error, attempt: Int, policy: RetryPolicy
  ) -> RetryDecision {
    let head = responseHead
    guard request.isSafe || options.retriesUnsafeMethods else {
      return .stop(reason: "without '--retry-unsafe' a \(request.method) request is not repeated")
    }
    guard let error = error as? NetworkError,
      RetryAdvice.isTransient(error, head: head) || isRetriedStatus(error, head)
    else { return .stop(reason: RetryAdvice.reasonAgainst(error, head: head)) }
    let asked = RetryAdvice.askedPause(error, head, engine.date)
    return RetryAdvice.decision(
      asked: asked, after: attempt, policy: policy, standard: standardBackoff,
      chance: engine.drawChance())
  }

  /// Whether the failure is a status that the options name.
  private func isRetriedStatus(_ error: NetworkError, _ head: HTTPResponseHead?) -> Bool {
    switch error {
    case .proxy(_, let error): isRetriedStatus(error, head)
    case .invalidStatusCode, .unfitCredentials, .api:
      head.map { options.retriedStatuses.contains($0.status) } ?? false
    default: false
    }
  }

  /// Releases the value, and the error response or cached response.
  open override func releaseValue() {
    super.releaseValue()
    let old = requestState.withLock { requestState in
      let old = (
        requestState.refusalBody, requestState.caching?.stored, requestState.caching?.storedValue
      )
      requestState.refusalBody = []
      requestState.caching?.stored = nil
      requestState.caching?.storedValue = nil
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Resumes the transfer after `receive(_:)` returned `pause`.
  public final func resumeReceiving() {
    let task = requestState.withLock { requestState in
      // What holds it at a phase resumes it.
      guard !requestState.isHeld else { return nil as (any TransportTask)? }
      if requestState.task == nil { requestState.mustResume = true }
      return requestState.task
    }
    task?.resume()
  }

  /// For a success the description of the value, with size and time, such as `30 questions, 14.9
  /// kB, 276 ms`.
  open override var outcomeSummary: String? {
    // A value may have been decoded while the operation was being cancelled.
    let (isMade, error) = decision
    if let error = error as? NetworkError {
      return error.isToldByCode ? error.code : nil
    }
    return isMade && error == nil ? requestState.withLock { $0.summary } : nil
  }
}

/// Identifies the backoff that an operation respects.
///
/// Backoff comes from `Retry-After` of an error response of any service, unless it is longer than
/// the longest of the operation's retry policy, and from fields that a service has for it.
public struct RequestPacing: Sendable {
  /// The pacer with the backoff.
  public let pacer: RequestPacer
  /// The method together with its service.
  public let method: String
}

extension RequestPacing {
  /// Creates the name of the pauses of one address, whatever is asked there.
  public init(pacer: RequestPacer, request: HTTPRequest) {
    self.init(pacer: pacer, method: "\(request.origin) \(request.address.path)")
  }
}
