import Foundation

/// Looks at a condition again and again until it holds or time is up.
///
/// - Parameters:
///   - timeout: The longest time to wait.
///   - condition: What is to become true.
/// - Returns: Whether it did.
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
