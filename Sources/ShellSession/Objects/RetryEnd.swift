import OpshNetworking
package import Operations

extension ObservableOperation {
  /// Why a failed operation was not retried although it has '--retry', and what changes that; nil for
  /// any other operation.
  package var retryEnd: String? {
    guard let reason = actual.endOfAttempts, state == .finished else { return nil }
    guard let status = networkMetrics?.statusCode,
      reason.hasSuffix(RetryDecision.finalStatus(status))
    else { return reason }
    return reason + "; '--retry-on \(status)' retries it too"
  }
}
