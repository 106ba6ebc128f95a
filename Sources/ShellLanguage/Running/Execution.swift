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
  private let stackBase: Int
  private let stackBudget: Int

  /// Creates the account of a run that begins here and may use so many bytes of stack from here.
  init(stackBudget: Int) {
    self.stackBudget = stackBudget
    self.stackBase = Self.stackAddress()
  }

  /// About where the stack stands; stacks grow downwards on every platform we run on.
  @inline(never)
  private static func stackAddress() -> Int {
    var marker: UInt8 = 0
    return withUnsafeMutablePointer(to: &marker) { Int(bitPattern: $0) }
  }

  /// Whether so much of the stack is used that going deeper might overflow it.
  var isStackExhausted: Bool { stackBase - Self.stackAddress() > stackBudget }

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
