import Operations

/// The state of an executing network operation.
struct RequestState {
  /// Cancelled or finished: no new work may start.
  var hasEnded = false
  /// The number of the current transfer, of which an attempt may need several.
  var transfer = 0
  /// The number of the current attempt.
  var attempt = 0
  var task: (any TransportTask)?
  /// Whether the transport has no place for the request, or had none when it ended.
  var isWaiting: Bool { task?.isWaiting ?? endedWaiting }
  private var endedWaiting = false
  /// Whether the transport has not completed the current transfer.
  var isTransferring = false
  /// Whether the transfer was resumed before its task was available.
  var mustResume = false
  /// Whether the operation is held at a phase, or is just entering it.
  var isHeld = false
  /// What follows when it is not held any more.
  var next: (@Sendable () -> Void)?
  /// Set during a backoff that the service requested.
  var hostPause: RequestPacer.Pause?
  var attemptStarted: ContinuousClock.Instant?
  var attempts = RequestAttempts()
  var head: HTTPResponseHead?
  /// The response with an unacceptable status.
  var refusalBody: [UInt8] = []
  var isRefusalTruncated = false
  var bytesReceived = 0
  /// How much of a long body had been sent when the transfer was interrupted.
  var bytesSent: RequestTimeout.Sent?
  /// The position in the file at which the transfer resumes, if an earlier one broke off.
  var resumedAt: Int?
  /// Whose transfer the latest one was or is; nil if it was sent for this operation.
  var sharing: RequestSharing?
  /// The operation whose request was joined last.
  var joined: OperationIdentity?
  var itemCount: Int?
  var timings: TransferTimings?
  /// The latest request that was handed to the transport.
  var sent: Shared<HTTPRequest>?
  var summary: String?
  /// The cache state; nil without a cache.
  var caching: RequestCaching? {
    get { sharedCaching?.value }
    set { sharedCaching = newValue.map(Shared.init) }
  }
  private var sharedCaching: Shared<RequestCaching>?
  /// The last announced progress in whole percent, because each announcement has a cost.
  var announcedProgress = -1
  /// The receive handlers by number.
  var receiveHandlers: [Int: @Sendable () -> Void] = [:]
  /// The last number of a receive handler.
  var receiveHandlerCount = 0

  /// Ends the request and returns what has to be cancelled.
  mutating func end() -> (any TransportTask)? {
    hasEnded = true
    isHeld = false
    endedWaiting = isWaiting
    hostPause = nil
    defer { task = nil }
    return task
  }

  /// Counts received bytes; returns the progress to announce, if it is time to.
  mutating func note(received: Int, expected: Int?) -> Double? {
    bytesReceived = received
    guard let expected, expected > 0 else { return nil }
    let before = resumedAt ?? 0
    let hundredth = min(100, (before + received) * 100 / (before + expected))
    guard hundredth > announcedProgress else { return nil }
    announcedProgress = hundredth
    return Double(hundredth) / 100
  }
}

/// A transfer that another operation began.
struct RequestSharing {
  /// The operation whose request it was.
  let leader: OperationIdentity
  /// How many bytes count as that operation's; nil as long as all do.
  var foreignBytes: Int?
}

extension RequestState {
  /// Whether the request of another operation brings the response.
  var isFollower: Bool { sharing != nil && sharing?.foreignBytes == nil }

  /// The bytes that count as this operation's, of those that were received for it.
  var ownBytes: Int {
    guard let sharing else { return bytesReceived }
    return sharing.foreignBytes.map { max(0, bytesReceived - $0) } ?? 0
  }

  /// The bytes, or whose bytes they are, for the outcome.
  var amountText: String {
    guard isFollower, let leader = sharing?.leader else { return ByteCount(ownBytes).description }
    return "joined \(leader.name)"
  }

  /// The times of a transfer as this operation has waited for it.
  func ownTimings(_ timings: TransferTimings, now: ContinuousClock.Instant) -> TransferTimings {
    guard sharing != nil, let attemptStarted else { return timings }
    return TransferTimings(total: max(.zero, now - attemptStarted))
  }
}
