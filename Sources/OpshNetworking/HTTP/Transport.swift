/// Sends requests to servers and receives the responses.
///
/// The default is `CurlTransport`; tests use doubles, and a build for an Apple platform can use
/// URLSession.
public protocol Transport: Sendable {
  /// Starts a request and returns at once.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - delegate: Receives the events, never inside this call. It is retained until it has
  ///     received the completion.
  /// - Returns: The running request.
  func start(_ request: HTTPRequest, delegate: any TransportDelegate) -> any TransportTask

  /// Since when it can carry out requests; nil if that needed no preparation, or it has not ended.
  ///
  /// It is a time of the clock that the request's own times are of. The time before that, such as that
  /// of loading a library, is not part of a request's time.
  var readySince: ContinuousClock.Instant? { get }

  /// Cancels all transfers, calls every delegate, and waits until all have ended.
  ///
  /// - Parameter limit: The longest time to wait; the rest then ends in the background.
  /// - Returns: Whether all have ended.
  @discardableResult
  func shutdown(within limit: Duration) -> Bool
}

extension Transport {
  /// Nil: for transports without preparation.
  public var readySince: ContinuousClock.Instant? { nil }

  /// Does nothing: for transports without resources.
  public func shutdown(within limit: Duration) -> Bool { true }
}

/// Whether a transfer should continue.
public enum TransferDisposition: Sendable, Equatable {
  /// Continue.
  case proceed
  /// The delivered data was processed, but hold back further data until the task is resumed.
  case pause
  /// End the transfer; it completes as a success with `wasStopped` set.
  case stop
}

/// Receives the events of one request, in order, on the transport's own thread.
///
/// The methods must not block: other requests share the thread. No lock is held while they run.
public protocol TransportDelegate: AnyObject, Sendable {
  /// Receives the head of the final response; at most once.
  ///
  /// - Parameter head: Status, headers and the address that answered.
  /// - Returns: Whether to continue.
  func didReceive(head: HTTPResponseHead) -> TransferDisposition

  /// Receives a part of the body as it was on the wire.
  ///
  /// - Parameter chunk: The bytes, never none.
  /// - Returns: Whether to continue.
  func didReceive(chunk: [UInt8]) -> TransferDisposition

  /// Receives what is known about an exchange that has ended, whatever its result.
  ///
  /// The call comes before the next exchange of the same request, or before the completion. Without
  /// a connection there may be none.
  ///
  /// - Parameter exchange: The request and the head of the response.
  func didEnd(_ exchange: HTTPExchange)

  /// Receives the completion, exactly once for every request that was started; no event follows.
  func didComplete(_ result: Result<TransferSummary, NetworkError>)
}

extension TransportDelegate {
  /// Does nothing: for delegates that only want the response.
  public func didEnd(_ exchange: HTTPExchange) {}
}

/// A running request.
public protocol TransportTask: Sendable {
  /// Cancels the request; the delegate receives `cancelled` unless another completion came first.
  ///
  /// It may be called at any time, from any thread, repeatedly.
  func cancel()

  /// Resumes a paused transfer; otherwise does nothing.
  func resume()

  /// Whether the transport has not begun with the request, because it makes only so many at once.
  var isWaiting: Bool { get }

  /// How much of the request's body has been sent; nil where that is not known, as for a short one.
  var bytesSent: RequestTimeout.Sent? { get }
}

extension TransportTask {
  /// Does nothing: for transports that never pause.
  public func resume() {}

  /// False: for transports that begin with each request at once.
  public var isWaiting: Bool { false }

  /// Nil: for transports that do not count what they send.
  public var bytesSent: RequestTimeout.Sent? { nil }
}
