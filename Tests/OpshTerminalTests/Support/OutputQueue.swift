import OpshLocking
import OpshSystemCalls
import OpshTerminal

/// Carries lines from any thread to the line editor, in order and in bounded memory.
///
/// A burst is shown over several frames. If lines arrive faster than a person can read or a
/// terminal can show, the excess is counted and dropped: a display that lags minutes behind is
/// worse than one with reported gaps.
final class OutputQueue: Sendable {
  private struct State {
    var lines: [StyledText] = []
    var dropped = 0
  }

  /// The maximum number of waiting lines; further lines are dropped.
  private let capacity: Int
  private let wakeUp: WakeUp
  private let state = Locked(State())

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - wakeUp: Signalled when the queue is no longer empty.
  ///   - capacity: The maximum number of waiting lines.
  init(wakeUp: WakeUp, capacity: Int = 200) {
    self.wakeUp = wakeUp
    self.capacity = max(1, capacity)
  }

  /// Adds lines; may be called on any thread.
  func append(_ lines: [StyledText]) {
    let wasEmpty = state.withLock { state in
      let wasEmpty = state.lines.isEmpty && state.dropped == 0
      // The oldest lines stay: the gap comes after the lines of the next frame.
      let room = max(0, capacity - state.lines.count)
      state.lines += lines.prefix(room)
      state.dropped += max(0, lines.count - room)
      return wasEmpty
    }
    if wasEmpty, !lines.isEmpty { wakeUp.signal() }
  }

  /// Takes the lines of a frame.
  ///
  /// - Parameter limit: The maximum number of lines.
  /// - Returns: The lines, and the number of dropped lines after them.
  func take(limit: Int) -> PendingOutput {
    state.withLock { state in
      var lines = Array(state.lines.prefix(limit))
      if state.dropped > 0, limit > 0 {
        // Keeps the order: all waiting lines come before the gap, or belong to it.
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
