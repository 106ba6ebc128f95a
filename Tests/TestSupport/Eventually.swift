import Foundation

/// Polls a condition until it holds or the time limit is exceeded.
///
/// - Parameters:
///   - timeout: The longest time to wait.
///   - condition: The condition.
/// - Returns: Whether the condition held.
/// - Throws: What the condition throws.
public func eventually(
  timeout: Duration = .seconds(60), _ condition: () throws -> Bool
) rethrows -> Bool {
  let deadline = ContinuousClock.now + timeout
  while true {
    if try condition() { return true }
    guard ContinuousClock.now < deadline else { return false }
    usleep(2_000)
  }
}
