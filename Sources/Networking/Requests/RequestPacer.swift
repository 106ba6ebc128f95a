import Locking

/// Remembers which methods of a service must not be called for a while.
///
/// Stack Exchange sends `backoff` with an answer and punishes who calls the same method before
/// that time is over, so that it binds all operations and not only the one that was told.
public final class RequestPacer: Sendable {
  /// The pacer that all data managers share unless they are given another.
  public static let shared = RequestPacer()

  /// No service can keep us off for longer.
  private static let maximumPause = Duration.seconds(300)

  private let pauses = Locked<[String: ContinuousClock.Instant]>([:])

  /// Creates a pacer without any pauses.
  public init() {}

  /// Notes that a method must not be called for a time.
  ///
  /// - Parameters:
  ///   - method: The method together with its service.
  ///   - duration: How long; limited to five minutes.
  public func pause(_ method: String, for duration: Duration) {
    guard duration > .zero else { return }
    let end = ContinuousClock.now + min(duration, Self.maximumPause)
    pauses.withLock { $0[method] = max($0[method] ?? end, end) }
  }

  /// Returns how long a method must still not be called.
  ///
  /// - Parameter method: The method together with its service.
  /// - Returns: The time, zero when it may be called.
  public func remainingPause(of method: String) -> Duration {
    let now = ContinuousClock.now
    return pauses.withLock { pauses in
      guard let end = pauses[method] else { return .zero }
      if end <= now { pauses[method] = nil }
      return max(.zero, end - now)
    }
  }
}
