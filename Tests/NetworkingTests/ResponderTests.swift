import Foundation
import Locking
import Operations
import Testing

@testable import Networking

/// The threads that deal with responses.
@Suite("Responders", .timeLimit(.minutes(5)))
struct ResponderTests {
  @Test("Jobs that wait for one another are all begun")
  func blockedJobs() {
    let responders = Responders()
    let log = EventLog()
    let last = DispatchSemaphore(value: 0)
    let ended = DispatchGroup()
    for _ in 0..<8 {
      ended.enter()
      responders.perform(for: log) {
        last.wait()
        last.signal()
        ended.leave()
      }
    }
    // Only this one lets the others go on.
    responders.perform(for: log) { last.signal() }
    #expect(ended.wait(timeout: .now() + 60) == .success)
  }

  @Test("Each job is done once, whoever gives it")
  func manyJobs() {
    let responders = Responders()
    let log = EventLog()
    let done = Locked(Array(repeating: 0, count: 8_000))
    let ended = DispatchGroup()
    for giver in 0..<4 {
      ended.enter()
      DispatchQueue.global().async {
        for number in 0..<2_000 {
          ended.enter()
          responders.perform(for: log) {
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
