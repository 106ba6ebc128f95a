import Locking

/// What one thread of running keeps account of: how deep it is, and where it is.
final class Execution: Sendable {
  /// How many calls of a `def` may be inside each other.
  static let maximumCallDepth = 500

  private struct State {
    var callDepth = 0
    var range = SourceRange(0, 0)
  }

  private let state = Locked(State())

  var range: SourceRange {
    get { state.withLock { $0.range } }
    set { state.withLock { $0.range = newValue } }
  }

  /// Counts a call; returns false if there are too many inside each other.
  func enterCall() -> Bool {
    state.withLock { state in
      guard state.callDepth < Self.maximumCallDepth else { return false }
      state.callDepth += 1
      return true
    }
  }

  func leaveCall() {
    state.withLock { $0.callDepth -= 1 }
  }
}
