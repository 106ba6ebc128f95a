import OpshLocking

/// Stores the backoff that services request for their methods.
///
/// Stack Exchange sends `backoff` with a response and penalizes clients that call the same method
/// before that time is over, so the backoff applies to all operations, not only to the one that
/// received it.
public final class RequestPacer: Sendable {
  /// The pacer of all data managers without one of their own.
  public static let shared = RequestPacer()

  /// The maximum backoff.
  private static let maximumPause = Duration.seconds(300)

  /// The backoff that a service requested.
  public struct Pause: Sendable, Equatable {
    /// When it ends.
    public let end: ContinuousClock.Instant
    /// Its source, such as `backoff of 3 s in the answer to 'a'`; nil if unknown.
    public let cause: String?

    /// Creates a pause from a recording.
    package init(end: ContinuousClock.Instant, cause: String?) {
      (self.end, self.cause) = (end, cause)
    }
  }

  struct Pauses {
    var of: [String: Pause] = [:]
    /// How many there are before those that are over are removed.
    var limit = 1_000

    mutating func removeEnded(now: ContinuousClock.Instant) {
      of = of.filter { $0.value.end > now }
      // Those that last are not looked at again with each further one.
      limit = max(1_000, of.count * 2)
    }
  }

  let pauses = Locked(Pauses())
  /// What is called at the beginning and the end of an attempt.
  ///
  /// In a type of its own: a function that is the value of a generic type is wrapped once more by
  /// each access, until calling it overflows the stack.
  private struct Handler {
    var call: (@Sendable (AttemptReport) -> Void)?
  }

  private let handler = Locked(Handler())
  private let quotas = Locked<[String: (remaining: Int, maximum: Int)]>([:])

  /// Creates a pacer without any backoff.
  public init() {}

  /// Called at the end of every attempt of the operations with this pacer.
  ///
  /// It runs on a thread of the network, without a lock, and must not block. Nil for none.
  public var attemptHandler: (@Sendable (AttemptReport) -> Void)? {
    get { handler.withLock { $0.call } }
    set { handler.withLock { $0.call = newValue } }
  }

  /// Stores the remaining quota of a service.
  public func note(quota: (remaining: Int, maximum: Int), of service: String) {
    quotas.withLock { $0[service] = quota }
  }

  /// Returns the remaining quota of a service as last reported.
  ///
  /// - Parameter service: The base address of the service.
  /// - Returns: The number left, and the number a day; nil before the first answer.
  public func quota(of service: String) -> (remaining: Int, maximum: Int)? {
    quotas.withLock { $0[service] }
  }

  /// Stores a backoff for a method.
  ///
  /// - Parameters:
  ///   - method: The method together with its service.
  ///   - duration: How long; limited to five minutes.
  ///   - now: The present time, if it is not the system's.
  ///   - cause: Its source, as text for users.
  public func pause(
    _ method: String, for duration: Duration, now: ContinuousClock.Instant = .now,
    cause: String? = nil
  ) {
    guard duration > .zero else { return }
    let end = now + min(duration, Self.maximumPause)
    pauses.withLock { pauses in
      if let known = pauses.of[method], known.end >= end { return }
      if pauses.of.count >= pauses.limit { pauses.removeEnded(now: now) }
      pauses.of[method] = Pause(end: end, cause: cause)
    }
  }

  /// Returns the remaining backoff of a method and its source.
  ///
  /// - Parameters:
  ///   - method: The method together with its service.
  ///   - now: The present time, where it is not the system's.
  /// - Returns: The backoff; nil if the method may be called.
  public func pause(of method: String, now: ContinuousClock.Instant = .now) -> Pause? {
    pauses.withLock { pauses in
      guard let pause = pauses.of[method] else { return nil }
      if pause.end > now { return pause }
      pauses.of[method] = nil
      return nil
    }
  }
}
