import OpshLocking
package import Operations

/// The tokens of one `observe` command; more come with each operation that it is to observe.
package final class Observation: Sendable {
  private struct Kept {
    let token: ObservationToken
    /// Nil for a queue, and for an operation that is gone.
    weak var operation: ObservableOperation?
    let isOfQueue: Bool

    /// Whether no property changes any more.
    var isSpent: Bool { !isOfQueue && operation?.state ?? .finished == .finished }
  }

  private struct State {
    var tokens: [Kept] = []
    /// Beyond this many, those of finished operations are released.
    var limit = 64
    var isOver = false
    var end: (@Sendable () -> Void)?
  }

  private let state = Locked(State())
  /// Ends with this object; it holds nothing, so it may be released under any lock.
  package let life = Life()

  package final class Life: Sendable {}

  package init() {}

  /// Keeps a token.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - operation: The operation that it observes; nil for a queue.
  package func add(_ token: ObservationToken, of operation: ObservableOperation? = nil) {
    let kept = Kept(token: token, operation: operation, isOfQueue: operation == nil)
    let released = state.withLock { state -> [Kept] in
      guard !state.isOver else { return [kept] }
      state.tokens.append(kept)
      guard state.tokens.count > state.limit else { return [] }
      let spent = state.tokens.filter(\.isSpent)
      state.tokens.removeAll(where: \.isSpent)
      state.limit = max(64, 2 * state.tokens.count)
      return spent
    }
    // Ended without the lock: a token takes the engine's.
    for kept in released { kept.token.invalidate() }
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
