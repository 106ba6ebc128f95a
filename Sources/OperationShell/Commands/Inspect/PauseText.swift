import Networking
import Operations

/// Why an operation executes and does nothing, and for how long still.
enum PauseText {
  /// The pause in words; nil for an operation that makes none.
  static func text(of operation: ObservableOperation) -> String? {
    if let pause = operation.attemptPause {
      return "\(pause.code), attempt \(pause.attempt) of \(pause.limit) follows in "
        + DurationText(pause.remaining).description
    }
    guard let request = operation as? any NetworkOperationMetrics,
      let reason = request.pauseReason
    else { return nil }
    return request.remainingPause.map { "\(reason) in \(DurationText($0).description)" } ?? reason
  }
}
