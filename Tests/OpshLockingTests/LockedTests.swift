import Foundation
import OpshLocking
import Testing

@Suite struct LockedTests {
  @Test("Concurrent increments are all counted", arguments: [Backoff.short, .long])
  func concurrentIncrements(_ backoff: Backoff) {
    let counter = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 1_000) { _ in
      for _ in 0..<100 { counter.withLock(backoff: backoff) { $0 += 1 } }
    }
    #expect(counter.withLock { $0 } == 100_000)
  }

  @Test("The lock is released when the body throws")
  func releasedOnThrow() {
    struct Refusal: Error {}
    let holder = Locked("before")
    #expect(throws: Refusal.self) {
      try holder.withLock { (_: inout String) throws(Refusal) -> Void in throw Refusal() }
    }
    holder.withLock { $0 = "after" }
    #expect(holder.withLock { $0 } == "after")
  }
}
