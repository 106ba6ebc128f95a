import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@testable import OpshNetworking

/// The threads that process responses.
@Suite("CallbackPool", .timeLimit(.minutes(5)))
struct CallbackPoolTests {
  @Test("Jobs that wait for one another are all started")
  func blockedJobs() {
    let callbackPool = CallbackPool()
    let engine = OperationEngine()
    let last = DispatchSemaphore(value: 0)
    let ended = DispatchGroup()
    for _ in 0..<8 {
      ended.enter()
      callbackPool.perform(for: engine) {
        last.wait()
        last.signal()
        ended.leave()
      }
    }
    // Only this job unblocks the others.
    callbackPool.perform(for: engine) { last.signal() }
    #expect(ended.wait(timeout: .now() + 60) == .success)
  }

  @Test("A single job does not wait for the system's threads, which may all be blocked")
  func blockedSystem() {
    let last = DispatchSemaphore(value: 0)
    let ended = DispatchGroup()
    // More than the system ever has threads for.
    for _ in 0..<600 {
      DispatchQueue.global().async(group: ended) {
        last.wait()
        last.signal()
      }
    }
    let isDone = Locked(false)
    CallbackPool().perform(for: OperationEngine()) { isDone.withLock { $0 = true } }
    #expect(eventually { isDone.withLock { $0 } })
    last.signal()
    #expect(ended.wait(timeout: .now() + 60) == .success)
  }

  @Test("Each job runs once, on whichever thread it was submitted")
  func manyJobs() {
    let callbackPool = CallbackPool()
    let engine = OperationEngine()
    let done = Locked(Array(repeating: 0, count: 8_000))
    let ended = DispatchGroup()
    for giver in 0..<4 {
      ended.enter()
      DispatchQueue.global().async {
        for number in 0..<2_000 {
          ended.enter()
          callbackPool.perform(for: engine) {
            done.withLock { $0[giver * 2_000 + number] += 1 }
            ended.leave()
          }
        }
        ended.leave()
      }
    }
    #expect(ended.wait(timeout: .now() + 60) == .success)
    #expect(done.withLock { $0.allSatisfy { $0 == 1 } })
  }
}
