import Foundation
import OpshLocking
import OpshSupport
import Synchronization
import OpshTerminal

/// Output of bodies that waits until the events before it have been shown.
///
/// Bodies print on their own threads; events are shown by the interpreter's thread, when it comes to
/// them. Without waiting, a line would stand above the transitions that led to it: on a terminal, in
/// a transcript, among JSON objects, and where both standard streams go to one file. Only the
/// interpreter's thread takes lines out, so they keep their order.
package final class HeldLines: Sendable {
  /// What waits.
  enum Item: Sendable {
    case line(Output.Line, recorded: StyledText? = nil)
    case bytes([UInt8], Output.Stream, beginsLine: Bool)
    case object(String, at: ContinuousClock.Instant, JSONFields)
  }

  private struct State {
    /// Returns the number of events so far; nil if a line of the calling thread need not wait.
    var eventCount: (@Sendable () -> Int?)?
    var items = FIFO<(eventCount: Int, item: Item)>()
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
  @discardableResult
  package func end(forced isForced: Bool) -> Bool {
    state.withLock { state in
      guard isForced || state.items.isEmpty else { return false }
      state.eventCount = nil
      return true
    }
  }

  /// Keeps a line of the calling thread if it has to wait, and blocks while too many do; returns
  /// whether it is kept.
  func keep(_ item: Item) -> Bool {
    for attempt in 0... {
      guard let eventCount = state.withLock({ $0.eventCount })?() else { return false }
      let isKept = state.withLock { state -> Bool? in
        // Ended meanwhile.
        guard state.eventCount != nil else { return false }
        guard state.items.count < Self.limit || attempt >= Self.patience else { return nil }
        state.items.append((eventCount, item))
        count.store(state.items.count, ordering: .releasing)
        return true
      }
      if let isKept { return isKept }
      usleep(1_000)
    }
    return false
  }

  /// Takes the first line, if it was printed when there were at most so many events.
  func takeFirst(before eventCount: Int) -> Item? {
    state.withLock { state in
      guard let first = state.items.first, first.eventCount <= eventCount else { return nil }
      defer { count.store(state.items.count, ordering: .releasing) }
      return state.items.popFirst()?.item
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
      switch held.takeFirst(before: eventCount) {
      // A page has only what its command printed.
      case .line(let line, let recorded): write(line, recorded: recorded, pages: false)
      case .bytes(let bytes, let stream, let beginsLine):
        write(bytes: bytes, to: stream, beginsLine: beginsLine)
      case .object(let type, let instant, let fields): write(object: type, at: instant, fields)
      case nil: return
      }
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
