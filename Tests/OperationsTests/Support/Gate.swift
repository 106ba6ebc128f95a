import Dispatch

/// Lets a body wait for the test, or the test for a body, for a minute at most.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Lets one through.
  func open() { semaphore.signal() }

  /// Waits until it is opened.
  ///
  /// - Returns: Whether it was.
  @discardableResult
  func pass() -> Bool { semaphore.wait(timeout: .now() + 60) == .success }
}
