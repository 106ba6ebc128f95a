import Locking
package import Operations

/// The tokens of one `observe` command; more come with each operation that it is to observe.
package final class Observation: Sendable {
  private struct State {
    var tokens: [(operation: ObservableOperation?, token: ObservationToken)] = []
    /// Beyond this many, those of finished operations are released.
    var limit = 64
    var isOver = false
    var end: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  package init() {}

  /// Keeps a token.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - operation: The operation that it observes; nil for a queue.
  package func add(_ token: ObservationToken, of operation: ObservableOperation? = nil) {
    let released = state.withLock { state -> [(ObservableOperation?, ObservationToken)] in
      guard !state.isOver else { return [(operation, token)] }
      state.tokens.append((operation, token))
      guard state.tokens.count > state.limit else { return [] }
      // No property of a finished operation changes any more.
      let finished = state.tokens.filter { $0.operation?.state == .finished }
      state.tokens.removeAll { $0.operation?.state == .finished }
      state.limit = max(64, 2 * state.tokens.count)
      return finished.map { ($0.operation, $0.token) }
    }
    // Dropped without the lock: a token takes the engine's.
    for (_, token) in released { token.invalidate() }
  }

  /// Sets what to do when the observation ends.
  package func onEnd(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.end = action }
  }

  /// Ends the observation.
  package func invalidate() {
    let (tokens, end) = state.withLock { state in
      defer {
        state.tokens = []
        state.isOver = true
        state.end = nil
      }
      return (state.tokens.map(\.token), state.end)
    }
    tokens.forEach { $0.invalidate() }
    end?()
  }
}
