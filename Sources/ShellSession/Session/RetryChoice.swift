/// The retry options of an operation or of its group, as far as they are given.
package struct RetryChoice: Sendable, Equatable {
  package var count: Int?
  package var backoff: Duration?
  /// From 0 to 1.
  package var jitter: Double?

  package init() {}
}
