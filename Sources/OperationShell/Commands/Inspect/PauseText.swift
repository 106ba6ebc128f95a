import Networking
import Operations

/// Why an operation executes and does nothing, and for how long still.
enum PauseText {
  private static let longestList = 10

  /// The latest pauses that are over, each with its beginning, its length and its reason.
  static func past(of operation: ObservableOperation, clock: SessionClock) -> [String] {
    let over = operation.pauses.compactMap { pause in
      pause.end.map { (pause.start, $0 - pause.start, pause.reason) }
    }
    let shown = over.suffix(longestList).map { start, length, reason in
      let time = TransitionText.time(clock.elapsed(start)).drop { $0 == " " }
      return "at \(time) for \(DurationText(length)): \(reason)"
    }
    return (over.count > shown.count ? ["… \(over.count - shown.count) more before"] : []) + shown
  }

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
