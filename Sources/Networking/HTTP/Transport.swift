/// Carries requests to servers and their answers back.
///
/// The one in use here is `CurlTransport`; tests put doubles in its place, and a build for an
/// Apple platform can put URLSession there.
public protocol Transport: Sendable {
  /// Starts a request and returns at once.
  ///
  /// - Parameters:
  ///   - request: What to send.
  ///   - delegate: Is told what happens, never from inside this call. It is kept until it was
  ///     told of the completion.
  /// - Returns: The running request.
  func start(_ request: HTTPRequest, delegate: any TransportDelegate) -> any TransportTask

  /// Cancels what runs, tells every delegate, and waits until nothing of it works any more.
  ///
  /// - Parameter limit: The longest time to wait; the rest goes on by itself then.
  /// - Returns: Whether all has ended.
  @discardableResult
  func shutdown(within limit: Duration) -> Bool
}

extension Transport {
  /// Does nothing: for transports that hold nothing.
  public func shutdown(within limit: Duration) -> Bool { true }
}

/// Says whether a transfer should go on.
public enum TransferDisposition: Sendable, Equatable {
  /// Go on.
  case proceed
  /// What was delivered has been taken, but hold what follows until the task is resumed.
  case pause
  /// End the transfer; it completes as a success with `wasStopped` set.
  case stop
}

/// Is told what happens to one request, in order, on the transport's own thread.
///
/// The methods must not block: other requests share the thread. No lock is held while they run.
public protocol TransportDelegate: AnyObject, Sendable {
  /// Receives the head of the final response; at most once.
  ///
  /// - Parameter head: Status, headers and the address that answered.
  /// - Returns: Whether to go on.
  func didReceive(head: HTTPResponseHead) -> TransferDisposition

  /// Receives a part of the body as it was on the wire.
  ///
  /// - Parameter chunk: The bytes, never none.
  /// - Returns: Whether to go on.
  func didReceive(chunk: [UInt8]) -> TransferDisposition

  /// Receives the end, exactly once for every request that was started; nothing follows.
  ///
  /// - Parameter result: The summary, or why it failed.
  func didComplete(_ result: Result<TransferSummary, NetworkError>)
}

/// Stands for one running request.
public protocol TransportTask: Sendable {
  /// Asks for the end; the delegate is told of a completion as `cancelled` unless another came
  /// first. May be called at any time, from any thread, repeatedly.
  func cancel()

  /// Lets a paused transfer go on; does nothing otherwise.
  func resume()
}

extension TransportTask {
  /// Does nothing: for transports that never pause.
  public func resume() {}
}
