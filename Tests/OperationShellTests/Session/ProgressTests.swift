import Foundation
import Operations
import TestSupport
import Testing

@testable import OperationShell

@Suite("What can still finish", .timeLimit(.minutes(15)))
struct ProgressTests {
  private let log = EventLog()

  private func queue(width: Int = 2) -> InspectableQueue {
    InspectableQueue(name: "q", maxConcurrentOperationCount: width, log: log)
  }

  private func delay(_ name: String, _ duration: Duration = .seconds(600)) -> DelayOperation {
    DelayOperation(name: name, duration: duration, log: log)
  }

  private func canFinish(_ operation: ObservableOperation) -> Bool {
    var progress = Progress()
    return progress.canFinish(operation)
  }

  @Test("A queue that is paused or has no width lets nothing finish, an open one does")
  func queues() throws {
    let queue = queue(width: 1)
    queue.isSuspended = true
    let first = delay("first")
    let second = delay("second")
    try second.depend(on: first, policy: .run)
    try queue.addOperations([first, second], waitUntilFinished: false)
    func verdicts() -> [Bool] {
      var progress = Progress()
      return [first, second].map { progress.canFinish($0) }
    }
    #expect(verdicts() == [false, false])
    queue.maxConcurrentOperationCount = 0
    queue.isSuspended = false
    #expect(verdicts() == [false, false])
    queue.maxConcurrentOperationCount = 1
    #expect(verdicts() == [true, true])
    queue.isSuspended = true
    // What executes goes on, what has not started does not.
    #expect(verdicts() == [true, false])
    queue.cancelAllOperations()
    queue.isSuspended = false
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)))
    #expect(verdicts() == [true, true])
  }

  @Test("What depends on an operation that was never started can't finish")
  func held() throws {
    let queue = queue()
    let held = delay("held")
    let pending = delay("pending")
    try pending.depend(on: held, policy: .run)
    try queue.addOperation(pending)
    #expect(!canFinish(held))
    #expect(!canFinish(pending))
    pending.cancel()
    held.cancel()
  }

  @Test("A chain of 100,000 takes no deeper stack")
  func chain() throws {
    let queue = queue(width: 1)
    queue.isSuspended = true
    let operations = (0..<TestScale.count(100_000)).map { delay("d\($0)", .zero) }
    for (earlier, later) in zip(operations, operations.dropFirst()) {
      try later.depend(on: earlier, policy: .run)
    }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(!canFinish(operations[operations.count - 1]))
    let first = operations[0]
    first.cancel()
    #expect(!canFinish(first))
    #expect(!canFinish(operations[operations.count - 1]))
    queue.maxConcurrentOperationCount = 0
    queue.isSuspended = false
    queue.maxConcurrentOperationCount = 1
    #expect(canFinish(operations[operations.count - 1]))
    queue.isSuspended = true
  }

  @Test("Bodies that wait for each other never finish, one that waits for work does")
  func bodies() throws {
    let gate = DispatchSemaphore(value: 0)
    let queue = queue(width: 8)
    let bodies = (0..<4).map { number in
      BlockingOperation(name: "body-\(number)", log: log) { _ in
        _ = gate.wait(timeout: .now() + 60)
        return nil
      }
    }
    let work = delay("work")
    let held = delay("held")
    try queue.addOperations(bodies + [work], waitUntilFinished: false)
    #expect(queueHasStarted(bodies + [work]))
    func verdicts(_ awaited: [Int: [ObservableOperation]]) -> [Bool] {
      var progress = Progress(awaitedByBodies: awaited)
      return bodies.map { progress.canFinish($0) }
    }
    #expect(verdicts([:]) == [true, true, true, true])
    #expect(
      verdicts([bodies[0].id: [bodies[1]], bodies[1].id: [bodies[0]]])
        == [false, false, true, true])
    #expect(verdicts([bodies[0].id: [bodies[0]]]) == [false, true, true, true])
    #expect(
      verdicts([bodies[0].id: [bodies[1], work], bodies[1].id: [work]]) == [true, true, true, true])
    #expect(verdicts([bodies[0].id: [bodies[1]], bodies[1].id: [held]])[0] == false)
    // Into a circle from outside, whichever is asked first.
    let circle =
      [
        bodies[0].id: [bodies[1]], bodies[1].id: [bodies[2]], bodies[2].id: [bodies[1]],
        bodies[3].id: [bodies[0], bodies[2]],
      ] as [Int: [ObservableOperation]]
    #expect(verdicts(circle) == [false, false, false, false])
    for _ in bodies { gate.signal() }
    work.cancel()
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)))
  }

  private func queueHasStarted(_ operations: [ObservableOperation]) -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      if operations.allSatisfy({ $0.state == .executing }) { return true }
      usleep(1000)
    }
    return false
  }
}
