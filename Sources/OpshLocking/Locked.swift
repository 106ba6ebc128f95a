public import Foundation

/// A value that only one thread at a time can access.
///
/// It is the only lock of this package. `Synchronization.Mutex` would do the same, but the thread
/// sanitizer reports false races on it under contention, and ignored false reports hide real ones.
///
/// ```swift
/// let counter = Locked(0)
/// counter.withLock { $0 += 1 }
/// ```
///
/// The lock is not recursive. Never call observers, handlers or Foundation's queue inside
/// `withLock`: compute what is to be done, return it, and do it afterwards.
public final class Locked<State>: @unchecked Sendable {
  // @unchecked because `state` is read and written only while `lock` is held.
  // Unchecked, because the lock makes overlapping access impossible.
  @usableFromInline @exclusivity(unchecked) var state: State
  @usableFromInline let lock = NSLock()

  /// Creates a lock with the given value.
  public init(_ state: sending State) {
    self.state = state
  }

  /// Runs `body` with exclusive access to the value and returns what it returns.
  ///
  /// - Parameters:
  ///   - backoff: How long to wait while another thread has the lock.
  ///   - body: Runs on the calling thread. It must be short and must not take this lock.
  /// - Returns: The result of `body`.
  /// - Throws: What `body` throws; the lock is released first.
  @inlinable public func withLock<Result, Failure: Error>(
    backoff: Backoff = .short, _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if !lock.try() { wait(backoff) }
    defer { lock.unlock() }
    return try body(&state)
  }

  /// Acquires a lock that another thread has.
  ///
  /// Critical sections are short, so the lock is mostly released before a sleeping thread could be
  /// woken; yielding a few times is cheaper than sleeping.
  @usableFromInline func wait(_ backoff: Backoff) {
    for _ in 0..<16 {
      // Yielding costs nothing if another thread has work to do.
      let end = DispatchTime.now().uptimeNanoseconds + backoff.nanoseconds
      repeat { sched_yield() } while DispatchTime.now().uptimeNanoseconds < end
      if lock.try() { return }
    }
    lock.lock()
  }
}
