import Foundation

/// How often and when an operation that fails begins again.
///
/// The attempts are made inside `executing`: the operation keeps its slot, and each attempt is an
/// entry of the log.
///
/// ```swift
/// let policy = RetryPolicy(limit: 3, backoff: .milliseconds(200), jitter: 0.2)
/// ```
public struct RetryPolicy: Sendable {
  /// How many further attempts are made at most.
  public var limit: Int
  /// How long to wait before the first further attempt.
  public var backoff: Duration
  /// By what the wait grows from one attempt to the next; 1 for no growth.
  public var factor: Double
  /// The longest wait.
  public var longestBackoff: Duration
  /// How much of the wait is left to chance, from 0 to 1, so that what failed together does not
  /// come back together.
  public var jitter: Double
  /// Decides whether a failure is worth another attempt.
  public var isRetryable: @Sendable (OperationFailure) -> Bool

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - limit: How many further attempts are made at most; none if it is negative.
  ///   - backoff: How long to wait before the first of them.
  ///   - factor: By what the wait grows from one to the next.
  ///   - longestBackoff: The longest wait.
  ///   - jitter: How much of the wait is left to chance, from 0 to 1.
  ///   - isRetryable: Decides whether a failure is worth another attempt.
  public init(
    limit: Int, backoff: Duration = .milliseconds(100), factor: Double = 2,
    longestBackoff: Duration = .seconds(60), jitter: Double = 0,
    isRetryable: @escaping @Sendable (OperationFailure) -> Bool = { _ in true }
  ) {
    self.limit = limit
    self.backoff = backoff
    self.factor = factor
    self.longestBackoff = longestBackoff
    self.jitter = jitter
    self.isRetryable = isRetryable
  }

  /// How many attempts are made at most.
  var attempts: Int { limit == .max ? .max : max(0, limit) + 1 }

  /// How long to wait after a failed attempt.
  ///
  /// - Parameters:
  ///   - attempt: Which attempt failed: 1 for the first.
  ///   - chance: A number from 0 to 1 that stands for chance; only the jitter uses it.
  /// - Returns: The time until the next attempt.
  public func delay(after attempt: Int, chance: Double) -> Duration {
    let longest = Double(max(0, longestBackoff.wholeNanoseconds))
    var delay = Double(max(0, backoff.wholeNanoseconds))
    if delay > 0, factor > 1 { delay *= pow(factor, Double(max(attempt, 1) - 1)) }
    let share = Self.fraction(jitter) * Self.fraction(chance)
    // The largest numbers are rounded up on the way, out of range.
    return .nanoseconds(Int64(exactly: (min(delay, longest) * (1 - share)).rounded(.down)) ?? .max)
  }

  /// Brings a number into the range from 0 to 1, also one that is none.
  private static func fraction(_ number: Double) -> Double {
    number > 0 ? min(number, 1) : 0
  }
}
