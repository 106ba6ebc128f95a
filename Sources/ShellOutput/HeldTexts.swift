import Locking
import Support
import Synchronization

/// Texts of bodies that wait until the events before them have been shown on the same terminal.
///
/// Bodies print on their own threads, at once; events are shown by the interpreter's thread, when it
/// comes to them. Without waiting, a text would stand above the transitions that led to it.
package final class HeldTexts: Sendable {
  /// Writes a text.
  typealias Writing = @Sendable () -> Void

  private struct State {
    /// Returns the number of events so far; nil if a text of the calling thread need not wait.
    var eventCount: (@Sendable () -> Int?)?
    var texts = FIFO<(eventCount: Int, write: Writing)>()
  }

  /// What comes faster than events are shown does not wait, so that no flood fills the memory.
  private static let limit = 1_000

  private let state = Locked(State())
  /// The number of texts, for a quick look.
  private let count = Atomic(0)

  /// Whether a text waits.
  package var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  /// Lets texts wait from now on; nil ends it.
  ///
  /// - Parameter eventCount: Returns the number of events so far; nil if a text of the calling thread
  ///   need not wait.
  package func begin(_ eventCount: (@Sendable () -> Int?)?) {
    state.withLock { $0.eventCount = eventCount }
  }

  /// Keeps a text of the calling thread, if it has to wait.
  ///
  /// - Parameter write: Writes the text.
  /// - Returns: Whether it is kept.
  func keep(_ write: @escaping Writing) -> Bool {
    guard let eventCount = state.withLock({ $0.eventCount })?() else { return false }
    let isKept = state.withLock { state in
      guard state.texts.count < Self.limit else { return false }
      state.texts.append((eventCount, write))
      count.store(state.texts.count, ordering: .releasing)
      return true
    }
    // In their order, as well as the waiting ones can be.
    if !isKept { writeAll(before: .max) }
    return isKept
  }

  /// Writes the texts that were printed when there were at most so many events.
  package func writeAll(before eventCount: Int) {
    while !isEmpty {
      let write = state.withLock { state -> Writing? in
        guard let first = state.texts.first, first.eventCount <= eventCount else { return nil }
        defer { count.store(state.texts.count, ordering: .releasing) }
        return state.texts.popFirst()?.write
      }
      guard let write else { return }
      write()
    }
  }
}
