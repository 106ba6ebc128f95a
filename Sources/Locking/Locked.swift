public import Foundation

/// Holds a value that only one thread at a time can reach.
///
/// It is the one lock of this package. `Synchronization.Mutex` would do the same, but the
/// thread sanitizer reports false races on it under contention, and a report that has to be
/// ignored hides the next one that must not be.
///
/// ```swift
/// let counter = Locked(0)
/// counter.withLock { $0 += 1 }
/// ```
///
/// The lock is not recursive. Never call out (observers, handlers, Foundation's queue) from
/// inside `withLock`: compute what is to be done, return it, and do it afterwards.
public final class Locked<State>: @unchecked Sendable {
  // @unchecked because `state` is read and written only while `lock` is held.
  // Unchecked, because the lock makes overlapping access impossible.
  @usableFromInline @exclusivity(unchecked) var state: State
  @usableFromInline let lock = NSLock()

  /// Creates a holder of the given value.
  public init(_ state: sending State) {
    self.state = state
  }

  /// Runs `body` with exclusive access to the value and returns what it returns.
  ///
  /// - Parameters:
  ///   - backoff: What to do while somebody else has the lock.
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

  /// Takes the lock that somebody else has.
  ///
  /// Critical sections are short, so it is mostly free again before a sleeping thread could have
  /// been woken; giving way a few times is cheaper than sleeping.
  @usableFromInline func wait(_ backoff: Backoff) {
    for _ in 0..<16 {
      // Giving way costs nothing where another thread has something to do meanwhile.
      let end = DispatchTime.now().uptimeNanoseconds + backoff.nanoseconds
      repeat { sched_yield() } while DispatchTime.now().uptimeNanoseconds < end
      if lock.try() { return }
    }
    lock.lock()
  }
}
