import Foundation

/// How often and when an operation that fails is retried.
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
  /// How long to wait before the first further attempt; nil for the operation's
  /// ``ObservableOperation/standardBackoff``.
  public var backoff: Duration?
  /// By what the wait grows from one attempt to the next; 1 for no growth.
  public var factor: Double
  /// The longest wait.
  public var longestBackoff: Duration
  /// How much of the wait is random, from 0 to 1, so that operations that failed together do not
  /// retry together; nil for what the kind of operation does.
  public var jitter: Double?
  /// Decides whether a failure, with its ``OperationFailure/underlying`` error, is worth another
  /// attempt.
  public var isRetryable: @Sendable (OperationFailure) -> Bool

  /// The longest wait, unless a policy has another one or a longer backoff.
  public static let standardLongestBackoff: Duration = .seconds(60)

  /// Creates a policy.
  public init(
    limit: Int, backoff: Duration? = nil, factor: Double = 2, longestBackoff: Duration? = nil,
    jitter: Double? = nil,
    isRetryable: @escaping @Sendable (OperationFailure) -> Bool = { _ in true }
  ) {
    self.limit = limit
    self.backoff = backoff
    self.factor = factor
    self.longestBackoff =
      longestBackoff ?? max(Self.standardLongestBackoff, backoff ?? .zero)
    self.jitter = jitter
    self.isRetryable = isRetryable
  }

  /// How many attempts are made at most.
  var attempts: Int { limit == .max ? .max : max(0, limit) + 1 }

  /// How long to wait after a failed attempt.
  ///
  /// - Parameters:
  ///   - attempt: Which attempt failed: 1 for the first.
  ///   - chance: A random number from 0 to 1.
  ///   - standard: The backoff of a policy without one.
  ///   - stretch: By what share the wait may randomly get longer if the policy has no jitter.
  /// - Returns: The time until the next attempt.
  public func delay(
    after attempt: Int, chance: Double, standard: Duration = .milliseconds(100),
    stretch: Double = 0
  ) -> Duration {
    let longest = Double(max(0, longestBackoff.wholeNanoseconds))
    var delay = Double(max(0, (backoff ?? standard).wholeNanoseconds))
    if delay > 0, factor > 1 { delay *= pow(factor, Double(max(attempt, 1) - 1)) }
    let chance = Self.fraction(chance)
    let random = jitter.map { 1 - Self.fraction($0) * chance } ?? 1 + stretch * chance
    delay = min(min(delay, longest) * random, longest)
    // The largest numbers are rounded up on the way, out of range.
    return .nanoseconds(Int64(exactly: delay.rounded(.down)) ?? .max)
  }

  /// Brings a number into the range from 0 to 1, also one that is none.
  private static func fraction(_ number: Double) -> Double {
    number > 0 ? min(number, 1) : 0
  }
}

/// What an operation decides about another attempt after a failure.
public enum RetryDecision: Sendable, Equatable {
  /// Another attempt follows after a pause; the note is added to the reason of the pause, such as
  /// `, which asks for 5.00 s`.
  case after(Duration, note: String = "")
  /// No attempt follows; the reason, if there is one, is added to that of the failure.
  case stop(reason: String? = nil)

  /// The reason against an attempt after a status that a retry rarely changes.
  package static func finalStatus(_ status: Int) -> String {
    "status \(status) is usually final"
  }

  /// How the note of a pause begins for which a server asked.
  package static let requestedPauseNote = ", which asks for "
}
