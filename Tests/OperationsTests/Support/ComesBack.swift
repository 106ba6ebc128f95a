import Foundation
import Testing

/// Runs `body` on a thread of its own and says whether it came back, so that a call that hangs
/// fails its test and does not hold up all others.
///
/// - Parameters:
///   - seconds: How long it may take.
///   - stackSize: The size of the thread's stack in bytes; nil for what threads have.
///   - body: What to run.
/// - Returns: Whether it returned in time.
func comesBack(
  within seconds: Double = 120, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void
) -> Bool {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  if let stackSize { thread.stackSize = stackSize }
  thread.start()
  return done.wait(timeout: .now() + seconds) == .success
}
