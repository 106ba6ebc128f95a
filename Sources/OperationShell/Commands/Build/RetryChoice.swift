import Networking
import Operations
import ShellLanguage

/// How often and when an operation is to begin again, as far as somebody said so.
struct RetryChoice: Sendable, Equatable {
  var count: Int?
  var backoff: Duration?
  /// From 0 to 1.
  var jitter: Double?

  init() {}

  /// Reads the options of a call; what they don't say is as in `standard`.
  init(_ call: CommandCall, standard: RetryChoice) {
    count = call.integer("retry") ?? standard.count
    backoff = call.duration("backoff") ?? standard.backoff
    jitter = call.percent("jitter").map { $0 / 100 } ?? standard.jitter
  }

  /// The engine's way of beginning again; nil where nothing is to.
  var policy: RetryPolicy? {
    guard let count, count > 0 else { return nil }
    var policy = RetryPolicy(limit: count, jitter: jitter ?? 0) { failure in
      // A body that ends because the session does has not failed at anything.
      failure != .sessionEnding
    }
    if let backoff {
      policy.backoff = backoff
      policy.longestBackoff = max(policy.longestBackoff, backoff)
    }
    return policy
  }

  /// Sets it for requests, which know themselves what is worth another attempt.
  func apply(to options: inout RequestOptions) {
    options.retryCount = count ?? 0
    options.backoff = backoff
    options.maximumRetryDelay = max(options.maximumRetryDelay, backoff ?? .zero)
    options.jitter = jitter
  }
}

extension OperationFailure {
  /// What a body fails with that is ended because the session ends.
  static let sessionEnding = OperationFailure(
    code: "script", message: "the session is ending")
}
