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

  /// A pause that a service asked for.
  public struct Pause: Sendable, Equatable {
    /// When it is over.
    public let end: ContinuousClock.Instant
    /// What asked for it, such as `backoff of 3 s in the answer to 'a'`; nil where nothing is known.
    public let cause: String?
  }

  private let pauses = Locked<[String: Pause]>([:])
  private let quotas = Locked<[String: (remaining: Int, maximum: Int)]>([:])

  /// Creates a pacer without any pauses.
  public init() {}

  /// Notes how many requests a service still allows.
  ///
  /// - Parameters:
  ///   - quota: The number left, and the number a day.
  ///   - service: The base address of the service.
  public func note(quota: (remaining: Int, maximum: Int), of service: String) {
    quotas.withLock { $0[service] = quota }
  }

  /// Returns how many requests a service allowed when it last said so.
  ///
  /// - Parameter service: The base address of the service.
  /// - Returns: The number left, and the number a day; nil before the first answer.
  public func quota(of service: String) -> (remaining: Int, maximum: Int)? {
    quotas.withLock { $0[service] }
  }

  /// Notes that a method must not be called for a time.
  ///
  /// - Parameters:
  ///   - method: The method together with its service.
  ///   - duration: How long; limited to five minutes.
  ///   - now: The present time, where it is not the system's.
  ///   - cause: What asked for it, in words for people.
  public func pause(
    _ method: String, for duration: Duration, now: ContinuousClock.Instant = .now,
    cause: String? = nil
  ) {
    guard duration > .zero else { return }
    let end = now + min(duration, Self.maximumPause)
    pauses.withLock { pauses in
      if let known = pauses[method], known.end >= end { return }
      pauses[method] = Pause(end: end, cause: cause)
    }
  }

  /// Returns how long a method must still not be called.
  ///
  /// - Parameters:
  ///   - method: The method together with its service.
  ///   - now: The present time, where it is not the system's.
  /// - Returns: The time, zero when it may be called.
  public func remainingPause(
    of method: String, now: ContinuousClock.Instant = .now
  ) -> Duration {
    pause(of: method, now: now).map { $0.end - now } ?? .zero
  }

  /// Returns the pause that a method must make, and what asked for it.
  ///
  /// - Parameters:
  ///   - method: The method together with its service.
  ///   - now: The present time, where it is not the system's.
  /// - Returns: The pause; nil when the method may be called.
  public func pause(of method: String, now: ContinuousClock.Instant = .now) -> Pause? {
    pauses.withLock { pauses in
      guard let pause = pauses[method] else { return nil }
      if pause.end > now { return pause }
      pauses[method] = nil
      return nil
    }
  }
}
