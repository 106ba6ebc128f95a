/// The retry options of an operation or of its group, as far as they are given.
struct RetryChoice: Sendable, Equatable {
  var count: Int?
  var backoff: Duration?
  /// From 0 to 1.
  var jitter: Double?

  init() {}
}
