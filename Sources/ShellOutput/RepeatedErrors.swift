import OpshLocking

/// Counts equal errors on a terminal, where a long row of them would push everything else away.
package final class RepeatedErrors: Sendable {
  /// How many equal errors are shown.
  package static let mostShown = 10
  /// How many different errors are counted; later ones are shown each time.
  private static let mostKinds = 200

  private struct State {
    var counts: [String: Int] = [:]
    /// The errors that were shown as often as they may be, in the order of their first time.
    var hidden: [String] = []
  }

  private let state = Locked(State())

  package init() {}

  /// Counts an error; returns how often it has come.
  package func count(_ error: String) -> Int {
    state.withLock { state in
      guard state.counts[error] != nil || state.counts.count < Self.mostKinds else { return 1 }
      state.counts[error, default: 0] += 1
      let count = state.counts[error] ?? 0
      if count == Self.mostShown + 1 { state.hidden.append(error) }
      return count
    }
  }

  /// Returns the errors that were not shown each time, with the number of times, and forgets all.
  package func takeHidden() -> [(error: String, count: Int)] {
    state.withLock { state in
      defer { state = State() }
      return state.hidden.map { ($0, (state.counts[$0] ?? 0) - Self.mostShown) }
    }
  }
}
