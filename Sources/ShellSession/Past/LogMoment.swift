import Operations

/// When something happened that is not in the log.
struct LogMoment {
  /// How many events the log had.
  let position: Int
  let time: ContinuousClock.Instant

  init(position: Int, time: ContinuousClock.Instant) {
    (self.position, self.time) = (position, time)
  }

  /// The present of an engine.
  init(of engine: OperationEngine) { self.init(position: engine.log.position, time: engine.now) }

  /// Whether it belongs to what comes before a position.
  ///
  /// - Parameters:
  ///   - position: How many events the log has there.
  ///   - end: The latest time that counts; nil for that of the last event, after which more may have
  ///     happened before the next.
  /// - Returns: Whether it does.
  func isIn(_ position: Int, by end: ContinuousClock.Instant?) -> Bool {
    self.position < position || self.position == position && end.map { time <= $0 } == true
  }
}
