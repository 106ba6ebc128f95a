import Foundation
import Operations
import OpshSupport

/// Decides whether and when to retry a failed request.
enum RetryAdvice {
  private static let passingStatuses = [408, 420, 425, 429, 500, 502, 503, 504]

  /// Whether a failure is transient, so that a retry makes sense.
  static func isTransient(_ error: NetworkError, head: HTTPResponseHead? = nil) -> Bool {
    switch error {
    case .connectionRefused, .hostUnreachable, .connectionLost, .timedOut, .hostNotFound: true
    case .proxy(_, let error): isTransient(error, head: head)
    case .invalidStatusCode(let status): passingStatuses.contains(status)
    case .api(let id, _, _):
      // Stack Exchange shows by the error id whether a failure is transient, others by the status.
      [500, 502, 503].contains(id) || head.map { passingStatuses.contains($0.status) } ?? false
        || head?.headers["Retry-After"] != nil
    default: false
    }
  }

  /// Why a failure that is not transient is not worth a retry.
  static func reasonAgainst(_ error: any Error, head: HTTPResponseHead?) -> String {
    switch error as? NetworkError {
    case .proxy(_, let error)?: reasonAgainst(error, head: head)
    case .invalidStatusCode(let status): RetryDecision.finalStatus(status)
    case .unfitCredentials: RetryDecision.finalStatus(401)
    case .api where head.map({ !(200...299).contains($0.status) }) ?? false:
      RetryDecision.finalStatus(head?.status ?? 0)
    default: "the same failure would follow"
    }
  }

  /// Decides about the backoff.
  ///
  /// - Parameters:
  ///   - asked: What the server requests, if anything.
  ///   - attempt: The attempt that failed.
  ///   - policy: The policy of the operation.
  ///   - standard: The backoff of a policy without one.
  ///   - chance: A random number from 0 to 1.
  /// - Returns: The decision.
  static func decision(
    asked: Duration?, after attempt: Int, policy: RetryPolicy, standard: Duration, chance: Double
  ) -> RetryDecision {
    // Zero, or a date that has passed, asks for nothing.
    guard let asked, asked > .zero else {
      // Randomized, so that clients that failed together do not retry together.
      return .after(
        policy.delay(after: attempt, chance: chance, standard: standard, stretch: 0.25))
    }
    guard asked <= policy.longestBackoff else {
      return .stop(
        reason: "the server asks for a pause of \(DurationText(asked)), and "
          + "\(DurationText(policy.longestBackoff)) is the longest")
    }
    // Never earlier, and randomly a little later: other clients received the same time.
    return .after(
      asked + min(asked / 10, .seconds(1)) * chance * min(1, max(0, policy.jitter ?? 1)),
      note: RetryDecision.requestedPauseNote + DurationText(asked).description)
  }

  /// The backoff that the server requests, if any.
  static func askedPause(
    _ error: NetworkError, _ head: HTTPResponseHead?, _ date: Date
  ) -> Duration? {
    if let pause = head.flatMap({ retryAfter(in: $0, now: date) }) { return pause }
    // `too many requests from this IP, more requests available in 4321 seconds`
    if case .api(502, _, let message) = error, message.hasSuffix(" seconds"),
      let seconds = message.split(separator: " ").dropLast().last.flatMap({ Int32($0) })
    {
      return .seconds(Int(max(0, seconds)))
    }
    return nil
  }

  /// Parses `Retry-After`: seconds, or a date, which is measured from the `Date` of the response:
  /// the clocks of this machine and of the server may differ.
  static func retryAfter(in head: HTTPResponseHead, now: Date) -> Duration? {
    guard let text = head.headers["Retry-After"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // A number that overflows means for ever.
      return .seconds(Int(Int32(text) ?? .max))
    }
    guard let date = HTTPDate.parse(text, now: now) else { return nil }
    let sent = head.headers["Date"].flatMap { HTTPDate.parse($0, now: now) } ?? now
    return .milliseconds(Int(max(0, min(date.timeIntervalSince(sent), 1e9)) * 1000))
  }
}
