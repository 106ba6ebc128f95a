package import Operations
package import ShellOutput
import OpshSupport

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

  /// The present pause, in the words of its cause; nil for an operation that does not pause.
  package static func text(of operation: ObservableOperation) -> String? {
    guard operation.state == .executing else { return nil }
    var blockers = FirstBlockers()
    guard let reason = blockers.blocker(of: operation),
      reason.code == .backoff || reason.code == .hostPause
    else { return nil }
    return String(reason.short.trimmingPrefix(#/pauses:? /#))
  }
}
