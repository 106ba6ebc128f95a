import Foundation
import Locking
import Support
import Synchronization

/// Lines of bodies that wait until the events before them have been shown on the same terminal.
///
/// Bodies print on their own threads; events are shown by the interpreter's thread, when it comes to
/// them. Without waiting, a line would stand above the transitions that led to it. Only the
/// interpreter's thread takes lines out, so they keep their order.
package final class HeldLines: Sendable {
  private struct State {
    /// Returns the number of events so far; nil if a line of the calling thread need not wait.
    var eventCount: (@Sendable () -> Int?)?
    var lines = FIFO<(eventCount: Int, line: Output.Line)>()
  }

  /// So many wait at most; then bodies wait as well, as they do for a slow terminal.
  private static let limit = 1_000
  /// How many milliseconds a body waits, so that nothing that waits for it in turn hangs.
  private static let patience = 1_000

  private let state = Locked(State())
  /// The number of lines, for a quick look.
  private let count = Atomic(0)

  /// Whether a line waits.
  package var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  /// Lets lines wait from now on.
  ///
  /// - Parameter eventCount: Returns the number of events so far; nil if a line of the calling thread
  ///   need not wait.
  package func begin(_ eventCount: @escaping @Sendable () -> Int?) {
    state.withLock { $0.eventCount = eventCount }
  }

  /// Ends the waiting if no line waits any more, or if it is forced; returns whether it has ended.
  func end(forced isForced: Bool) -> Bool {
    state.withLock { state in
      guard isForced || state.lines.isEmpty else { return false }
      state.eventCount = nil
      return true
    }
  }

  /// Keeps a line of the calling thread if it has to wait, and blocks while too many do; returns
  /// whether it is kept.
  func keep(_ line: Output.Line) -> Bool {
    for attempt in 0... {
      guard let eventCount = state.withLock({ $0.eventCount })?() else { return false }
      let isKept = state.withLock { state -> Bool? in
        // Ended meanwhile.
        guard state.eventCount != nil else { return false }
        guard state.lines.count < Self.limit || attempt >= Self.patience else { return nil }
        state.lines.append((eventCount, line))
        count.store(state.lines.count, ordering: .releasing)
        return true
      }
      if let isKept { return isKept }
      usleep(1_000)
    }
    return false
  }

  /// Takes the first line, if it was printed when there were at most so many events.
  func takeFirst(before eventCount: Int) -> Output.Line? {
    state.withLock { state in
      guard let first = state.lines.first, first.eventCount <= eventCount else { return nil }
      defer { count.store(state.lines.count, ordering: .releasing) }
      return state.lines.popFirst()?.line
    }
  }

  /// How many lines wait.
  var waitingCount: Int { count.load(ordering: .acquiring) }
}

extension Output {
  /// Writes the waiting lines that were printed when there were at most so many events; on the
  /// interpreter's thread.
  ///
  /// What is printed meanwhile is left to the next call.
  package func writeHeld(before eventCount: Int) {
    for _ in 0..<held.waitingCount {
      guard let line = held.takeFirst(before: eventCount) else { return }
      // A page has only what its command printed.
      write(line, pages: false)
    }
  }

  /// How often the waiting lines are written at the end, for a body that prints without end.
  private static let lastRounds = 100

  /// Writes all waiting lines, and lets no further ones wait.
  package func endHolding() {
    for round in 1...Self.lastRounds {
      writeHeld(before: .max)
      if held.end(forced: round == Self.lastRounds) { break }
    }
    writeHeld(before: .max)
  }
}
