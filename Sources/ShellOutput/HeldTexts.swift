import Foundation
import Locking
import Support
import Synchronization

/// Lines of bodies that wait until the events before them have been shown on the same terminal.
///
/// Bodies print on their own threads; events are shown by the interpreter's thread, when it comes to
/// them. Without waiting, a line would stand above the transitions that led to it. Only the
/// interpreter's thread takes lines out, so they keep their order.
package final class HeldTexts: Sendable {
  private struct State {
    /// Returns the number of events so far; nil if a line of the calling thread need not wait.
    var eventCount: (@Sendable () -> Int?)?
    var lines = FIFO<(eventCount: Int, line: Output.Line)>()
  }

  /// So many wait at most; then bodies wait as well, as they do for a slow terminal.
  private static let limit = 1_000

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

  /// Ends the waiting, if no line waits any more.
  ///
  /// - Returns: Whether it has ended.
  func endIfEmpty() -> Bool {
    state.withLock { state in
      if state.lines.isEmpty { state.eventCount = nil }
      return state.lines.isEmpty
    }
  }

  /// Keeps a line of the calling thread, if it has to wait; blocks while too many do.
  ///
  /// - Parameter line: The line.
  /// - Returns: Whether it is kept.
  func keep(_ line: Output.Line) -> Bool {
    while true {
      guard let eventCount = state.withLock({ $0.eventCount })?() else { return false }
      let isKept = state.withLock { state -> Bool? in
        // Ended meanwhile.
        guard state.eventCount != nil else { return false }
        guard state.lines.count < Self.limit else { return nil }
        state.lines.append((eventCount, line))
        count.store(state.lines.count, ordering: .releasing)
        return true
      }
      if let isKept { return isKept }
      usleep(1_000)
    }
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

  /// Writes all waiting lines, and lets no further ones wait.
  package func endHolding() {
    repeat { writeHeld(before: .max) } while !held.endIfEmpty()
  }
}
