/// What one thread of running keeps account of: how deep it is, and where it is.
final class Execution: @unchecked Sendable {
  // @unchecked because only the thread whose statements it counts uses it.

  /// How many calls of a `def` may be inside each other.
  static let maximumCallDepth = 500

  /// Where the running statement stands.
  @exclusivity(unchecked) var range = SourceRange(0, 0)
  private var callDepth = 0

  /// Counts a call; returns false if there are too many inside each other.
  func enterCall() -> Bool {
    guard callDepth < Self.maximumCallDepth else { return false }
    callDepth += 1
    return true
  }

  func leaveCall() { callDepth -= 1 }
}
