import Dispatch

/// A door that blocks all threads until it is opened; then it stays open.
final class Door: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// Waits until the door is open.
  ///
  /// - Returns: Whether it was opened in time.
  @discardableResult
  func pass(within seconds: Double = 120) -> Bool {
    guard semaphore.wait(timeout: .now() + seconds) == .success else { return false }
    // Leaves it open for the next.
    semaphore.signal()
    return true
  }
}
