import Dispatch

/// A thread or task that waits until an operation has finished or a queue is empty.
final class Waiter: Sendable {
  private let take: (@Sendable () -> Void)?
  private let action: @Sendable () -> Void

  /// Creates a waiter.
  ///
  /// - Parameters:
  ///   - take: Called in the transaction that ends the wait, to take what may be gone later.
  ///   - action: Called after it.
  init(taking take: (@Sendable () -> Void)? = nil, _ action: @escaping @Sendable () -> Void) {
    self.take = take
    self.action = action
  }

  /// Notes that the wait is over, in a transaction; ``resume()`` follows.
  func end() { take?() }

  func resume() {
    action()
  }

  /// Blocks the thread until `semaphore` is signalled or the time is up; returns whether it was
  /// signalled.
  static func block(on semaphore: DispatchSemaphore, timeout: Duration?) -> Bool {
    guard let timeout else {
      semaphore.wait()
      return true
    }
    return semaphore.wait(timeout: .now() + timeout.dispatchInterval) == .success
  }
}

extension Duration {
  /// The same for Dispatch, bounded: beyond a century it would overflow.
  var dispatchInterval: DispatchTimeInterval {
    let century = Duration.seconds(100 * 365 * 86_400)
    return .nanoseconds(Int(min(max(self, .zero), century).wholeNanoseconds))
  }
}
