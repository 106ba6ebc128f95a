import CommandParts
import Networking
import ShellLanguage

/// The refusal of a retry that may repeat what was done already.
enum UnsafeRetry {
  static let help = "where that does no harm, add '--retry-unsafe'"

  /// Says why a retry is refused.
  ///
  /// - Parameter what: What is sent, such as "a POST request".
  /// - Returns: The message of the error.
  static func message(for what: String) -> String {
    "\(what) that got no answer may have done its work, and a further attempt would do it again"
  }
}

extension CheckedCall {
  /// The retries of a request by `method` that may have changed something, without '--retry-unsafe'.
  func unsafeRetries(of method: String) -> [Mistake] {
    HTTPRequest.isSafe(method: method) ? [] : unsafeRetries(ofWhat: "a \(method) request")
  }

  /// The retries of what may have changed something, without '--retry-unsafe'.
  func unsafeRetries(ofWhat what: String) -> [Mistake] {
    guard case .value(let retries?) = known(BuildOptions.retry), retries > 0,
      !mentions(RequestParameters.retryUnsafe)
    else { return [] }
    return [
      Mistake(
        .unsafeRetry, UnsafeRetry.message(for: what), at: BuildOptions.retry,
        help: UnsafeRetry.help)
    ]
  }

  /// The second of two options that both give the body of a request.
  var secondBodies: [Mistake] {
    // A list for an option that can be repeated may be empty.
    let given = RequestCommands.bodies.filter {
      $0.declaration.repeats ? !written(named: $0.name).isEmpty : mentions($0)
    }
    guard given.count > 1 else { return [] }
    return [
      Mistake(.conflictingOptions, RequestCommands.conflict(of: given), at: given[1])
    ]
  }
}
