import Locking
import Terminal

/// Whether the run is about to end, for threads that a full pipe blocks.
///
/// The reader of the pipe has a moment to take what is left; after that it is discarded, so that a
/// signal or a time limit always ends the run.
final class RunEnding: Sendable {
  /// How long a blocked write waits after the end was asked for.
  private static let patience = Duration.milliseconds(500)

  private struct State {
    /// When blocked writes end; nil while the run goes on.
    var end: ContinuousClock.Instant?
    /// When the time limit of the run expires.
    var limit: ContinuousClock.Instant?
    /// Whether there is a prompt on the terminal, which goes on after an interruption.
    var hasPrompt = false
  }

  private let state = Locked(State())

  /// The run ends, for a reason that is no pending signal any more.
  func begin() {
    state.withLock { $0.end = $0.end ?? .now + Self.patience }
  }

  /// The run goes on: only the statement was interrupted.
  func reset() {
    state.withLock { $0.end = nil }
  }

  /// Sets when the time limit of the run expires.
  func set(limit: ContinuousClock.Instant?) {
    state.withLock { $0.limit = limit }
  }

  /// A prompt follows: what is written to the terminal is never discarded.
  func notePrompt() { state.withLock { $0.hasPrompt = true } }

  /// Whether a write that is blocked at this moment gives up.
  ///
  /// It also stops the process if Ctrl-Z asks for that.
  ///
  /// - Parameter isTerminal: Whether it is a terminal that blocks it, such as one after Ctrl-S.
  /// - Returns: Whether it does.
  func isOver(onTerminal isTerminal: Bool) -> Bool {
    SignalMask.stopIfPending()
    let isAsked = SignalMask.isEndPending
    return state.withLock { state in
      if isTerminal, state.hasPrompt { return false }
      let now = ContinuousClock.now
      if state.end == nil, isAsked || state.limit.map({ now >= $0 }) == true {
        state.end = now + Self.patience
      }
      return state.end.map { now >= $0 } ?? false
    }
  }
}
