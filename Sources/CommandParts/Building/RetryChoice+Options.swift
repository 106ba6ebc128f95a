package import Operations
import OpshProcesses
package import ShellLanguage
package import ShellSession

extension RetryChoice {
  /// Reads the options of a call; what they don't say is as in `standard`.
  package init(_ call: CommandCall, standard: RetryChoice) {
    self.init()
    count = call[BuildOptions.retry] ?? standard.count
    backoff = call[BuildOptions.backoff] ?? standard.backoff
    jitter = call[BuildOptions.jitter]?.fraction ?? standard.jitter
  }

  /// The policy of an operation; nil for no retries.
  package var policy: RetryPolicy? {
    guard let count, count > 0 else { return nil }
    return RetryPolicy(limit: count, backoff: backoff, jitter: jitter) { failure in
      // A body that ends because the session does has not failed at anything.
      failure != .sessionEnding
    }
  }
}
