import OpshLocking
import OpshTerminal

/// Whether the run is about to end, for threads that a full pipe blocks.
///
/// While it ends, a reader of the pipe that goes on reading receives everything. What a reader that
/// has stopped leaves is discarded, so that a signal or a time limit always ends the run.
package final class RunEnding: Sendable {
  /// How long a write of a run that ends waits while the reader takes nothing.
  static let patience = Duration.milliseconds(500)

  private struct State {
    /// Whether a signal has been read that ends the run.
    var hasBegun = false
    /// When the time limit of the run expires.
    var limit: ContinuousClock.Instant?
    /// Whether there is a prompt on the terminal, which goes on after an interruption.
    var hasPrompt = false
    /// Whether the terminal is in use by a line, a program or a full screen.
    var isEditing = false
    var hasDiscarded = false
  }

  private let state = Locked(State())

  package init() {}

  /// Notes that the run ends by a signal that was read, and so is not pending any more.
  package func begin() { state.withLock { $0.hasBegun = true } }

  /// Sets when the time limit of the run expires.
  package func set(limit: ContinuousClock.Instant?) { state.withLock { $0.limit = limit } }

  /// Notes that a prompt follows: output to the terminal is never discarded.
  package func notePrompt() { state.withLock { $0.hasPrompt = true } }

  /// Notes that the terminal is in use: the run continues, and only a statement was interrupted.
  func beginEditing() {
    state.withLock { state in
      (state.isEditing, state.hasBegun, state.hasDiscarded) = (true, false, false)
    }
  }

  func endEditing() { state.withLock { $0.isEditing = false } }

  /// Whether something was not written because the run ends.
  package var hasDiscarded: Bool { state.withLock { $0.hasDiscarded } }

  func noteDiscard() { state.withLock { $0.hasDiscarded = true } }

  /// Whether a write that is blocked at this moment may be given up.
  ///
  /// - Parameter isTerminal: Whether it is a terminal that blocks it, such as one after Ctrl-S.
  /// - Returns: Whether it may.
  func isEnding(onTerminal isTerminal: Bool) -> Bool {
    let state = state.withLock { $0 }
    if isTerminal, state.hasPrompt { return false }
    if state.hasBegun || state.limit.map({ .now >= $0 }) == true { return true }
    // Ctrl-\ does not end a session whose terminal is in use.
    return SignalMask.isEndPending(countingQuit: !state.isEditing)
  }

  /// Stops the process if Ctrl-Z asks for it, unless the terminal is in use.
  func stopIfAsked() {
    if !state.withLock({ $0.isEditing }) { SignalMask.stopIfPending() }
  }
}
