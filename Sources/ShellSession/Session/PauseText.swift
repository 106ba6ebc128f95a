import Networking
package import Operations
package import ShellOutput
import Support

/// The pauses of an executing operation, with their reasons.
package enum PauseText {
  private static let longestList = 10

  /// The latest pauses that have ended, each with its start, length and reason.
  package static func past(of operation: ObservableOperation, clock: SessionClock) -> [String] {
    let over = operation.pauses.compactMap { pause in
      pause.end.map { (pause.start, $0 - pause.start, pause.reason) }
    }
    let shown = over.suffix(longestList).map { start, length, reason in
      let time = TransitionText.time(clock.elapsed(start)).drop { $0 == " " }
      return "at \(time) for \(DurationText(length)): \(reason)"
    }
    return (over.count > shown.count ? ["… \(over.count - shown.count) more before"] : []) + shown
  }

  /// The present pause in words; nil for an operation that does not pause.
  package static func text(of operation: ObservableOperation) -> String? {
    if let pause = operation.attemptPause {
      return "\(pause.code), attempt \(pause.attempt) of \(pause.limit) follows in "
        + DurationText(pause.remaining).description
    }
    guard let pause = operation.networkMetrics?.hostPause else { return nil }
    let now = operation.engine.now
    let cause = pause.cause ?? "the service asked for it"
    if let limit = operation.timeLimit, let started = operation.timestamps.executing,
      started + limit < pause.end
    {
      return "\(cause), and the time limit ends it in "
        + "\(DurationText(max(.zero, started + limit - now))), before the request"
    }
    return "\(cause), the request follows in \(DurationText(max(.zero, pause.end - now)))"
  }
}
