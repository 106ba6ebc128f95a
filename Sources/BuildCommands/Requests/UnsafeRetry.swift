import CommandParts
import OpshNetworking
import ShellLanguage

/// The refusal of a retry that may repeat what was done already.
enum UnsafeRetry {
  /// Returns the rule that a retry of what may have changed something needs '--retry-unsafe'.
  ///
  /// The retries that a group asks for are for what may be repeated in it.
  ///
  /// - Parameter what: What is sent, such as "a POST request".
  /// - Returns: The rule.
  static func rule(for what: String) -> ArgumentRule {
    ArgumentRule { call in
      guard let retries = call.known(BuildOptions.retry) ?? nil, retries > 0,
        !call.has(RequestParameters.retryUnsafe)
      else { return nil }
      return call.failure(
        .unsafeRetry,
        "\(what) that got no answer may have done its work, and a further attempt would do it again",
        at: BuildOptions.retry, help: "where that does no harm, add '--retry-unsafe'")
    }
  }
}
