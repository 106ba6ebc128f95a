import Operations

/// Holds what changes while a network operation executes.
struct RequestFlight {
  var started: ContinuousClock.Instant?
  var deadline: ContinuousClock.Instant?
  /// Cancelled or finished: nothing may be begun any more.
  var hasEnded = false
  var attempt = 0
  var task: (any TransportTask)?
  /// Whoever paused the transfer wants it to go on, but the task was not at hand yet.
  var mustResume = false
  /// Set while the operation pauses.
  var timer: DelayedCall?
  var pauseReason: String?
  var pauseEnd: ContinuousClock.Instant?
  /// Counts the pauses, so that one that is over is not taken for the next.
  var pauses = 0

  var attemptStarted: ContinuousClock.Instant?
  var head: HTTPResponseHead?
  /// The body of an answer with a status that is none of a success.
  var refusalBody: [UInt8] = []
  var isRefusalTruncated = false
  var bytesReceived = 0
  var itemCount: Int?
  var timings: TransferTimings?
  var summary: String?
  /// Whoever makes the request for this operation, and logs what there is to say of it instead.
  weak var watcher: ObservableOperation?
  /// Why no further attempt followed, where one was asked for.
  var endOfAttempts: String?
  /// Set where responses are kept.
  var caching: RequestCaching?
  /// The hundredth that progress was last announced for, since each announcement has its cost.
  var announcedProgress = -1
  /// Whoever wants to know of each byte, by the number they were given.
  var receiveHandlers: [Int: @Sendable () -> Void] = [:]
  /// How many were ever given one.
  var receiveHandlerCount = 0

  /// Allows nothing further and returns what has to be cancelled.
  mutating func end() -> (task: (any TransportTask)?, timer: DelayedCall?) {
    hasEnded = true
    pauseReason = nil
    pauseEnd = nil
    defer {
      task = nil
      timer = nil
    }
    return (task, timer)
  }

  /// Notes received bytes; returns the progress to announce, if it is time to.
  mutating func note(received: Int, expected: Int?) -> Double? {
    bytesReceived = received
    guard let expected, expected > 0 else { return nil }
    let hundredth = min(100, received * 100 / expected)
    guard hundredth > announcedProgress else { return nil }
    announcedProgress = hundredth
    return Double(hundredth) / 100
  }
}
