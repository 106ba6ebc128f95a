import OpshLocking
public import Operations

/// The end of one attempt of a request, for what adapts to the network.
///
/// Each attempt that is sent has one, also if another attempt follows. A value from the cache has
/// none.
public struct AttemptReport: Sendable {
  /// How an attempt ended.
  public enum End: Sendable, Equatable {
    /// The response arrived, and was acceptable.
    case succeeded
    /// It failed; with the status of the response if there was one.
    case failed(NetworkError, status: Int?)
    /// The operation was cancelled.
    case cancelled
  }

  /// The operation; the outer one if it does its work by another.
  public let operation: ObservableOperation
  /// When the attempt was sent, by the engine of the request.
  public let started: ContinuousClock.Instant
  /// When it ended.
  public let time: ContinuousClock.Instant
  /// The end.
  public let end: End
}

extension NetworkOperation {
  /// Reports the end of the present attempt.
  func reportAttempt(end: AttemptReport.End) {
    // Of a request that another operation has sent, that one reports the end.
    guard let handler = pacing?.pacer.attemptHandler,
      requestState.withLock({ $0.sharing == nil })
    else { return }
    let now = engine.now
    handler(
      AttemptReport(
        operation: outer ?? self,
        started: requestState.withLock { $0.attemptStarted } ?? now, time: now, end: end))
  }
}
