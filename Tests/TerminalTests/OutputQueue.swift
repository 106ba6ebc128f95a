import Locking
import Terminal

/// Carries lines from any thread to the line editor, in order and in bounded memory.
///
/// A burst is shown over several frames. Where lines keep coming faster than a person could
/// read, or a terminal show them, the excess is counted and dropped: a display that lags
/// minutes behind is worse than one with gaps that it admits to.
final class OutputQueue: Sendable {
  private struct State {
    var lines: [StyledText] = []
    var dropped = 0
  }

  /// The most lines that wait for further frames; beyond it they are dropped.
  private let capacity: Int
  private let wakeUp: WakeUp
  private let state = Locked(State())

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - wakeUp: Signalled when the queue is no longer empty.
  ///   - capacity: The most lines that may wait.
  init(wakeUp: WakeUp, capacity: Int = 200) {
    self.wakeUp = wakeUp
    self.capacity = max(1, capacity)
  }

  /// Adds lines; may be called on any thread.
  func append(_ lines: [StyledText]) {
    let wasEmpty = state.withLock { state in
      let wasEmpty = state.lines.isEmpty && state.dropped == 0
      // Those that wait longest stay: the gap comes after what a frame shows first.
      let room = max(0, capacity - state.lines.count)
      state.lines += lines.prefix(room)
      state.dropped += max(0, lines.count - room)
      return wasEmpty
    }
    if wasEmpty, !lines.isEmpty { wakeUp.signal() }
  }

  /// Takes a frame's worth of lines.
  ///
  /// - Parameter limit: The greatest number of lines.
  /// - Returns: The lines, and after them how many were dropped.
  func take(limit: Int) -> PendingOutput {
    state.withLock { state in
      var lines = Array(state.lines.prefix(limit))
      if state.dropped > 0, limit > 0 {
        // The order must stay true: all that waits comes before the gap, or belongs to it.
        let omitted = state.dropped + state.lines.count - lines.count
        state = State()
        lines.append(StyledText("… \(omitted) more events"))
        return PendingOutput(lines: lines)
      }
      state.lines.removeFirst(lines.count)
      return PendingOutput(lines: lines, hasMore: !state.lines.isEmpty || state.dropped > 0)
    }
  }
}
