import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite("Operations whose work is done and that are not finished", .timeLimit(.minutes(5)))
struct FinishWaitTests {
  private let bench = Bench()

  /// An executing operation whose work is done.
  private func jammed(
    _ name: String = "upload", _ wait: FinishWait = .call, on queue: InspectableQueue
  ) throws -> Held {
    let operation = bench.held(name)
    try queue.addOperation(operation)
    #expect(operation.waitUntilBegun())
    operation.setFinishWait(wait)
    return operation
  }

  @Test(
    "Each kind of wait is a reason of its own, and one entry of the log",
    arguments: [FinishWait.call, .notification, .lock, .close])
  func reasons(_ wait: FinishWait) throws {
    let operation = try jammed("upload", wait, on: bench.queue())
    #expect(operation.finishWait == wait)
    #expect(operation.waitCodes == ["awaits-finish upload"])
    #expect(!operation.canFinish)
    let text = try #require(operation.waitReasons().first?.text)
    let entries = bench.entries.filter { $0.event == .awaitsFinish }
    #expect(entries.map(\.reason) == [text])
    #expect(entries.map { [$0.from, $0.to] } == [[.executing, .executing]])
    #expect(bench.engine.waitingBodyCount == 1)
    operation.finish(.success(1))
    finish(operation)
    #expect(operation.finishWait == nil)
    #expect(operation.waitCodes.isEmpty)
    #expect(bench.engine.waitingBodyCount == 0)
  }

  @Test("The wait is followed from a dependent and from a full queue")
  func followed() throws {
    let queue = bench.queue(width: 1)
    let operation = try jammed(on: queue)
    let (dependent, next) = (bench.quick("dependent"), bench.quick("next"))
    try dependent.depend(on: operation)
    try queue.addOperations([dependent, next], waitUntilFinished: false)
    #expect(dependent.waitCodes == ["dependency upload", "awaits-finish upload"])
    #expect(next.waitCodes == ["queue-full upload", "awaits-finish upload"])
    #expect(!bench.engine.canFinish(anyOf: [dependent, next]))
    operation.finish(.success(1))
    [dependent, next].forEach { finish($0) }
  }

  @Test("An operation with a time limit ends by itself")
  func timeLimit() throws {
    // On the virtual clock, so that the limit never comes before the work begins.
    let clock = bench.engine.virtualClock
    clock.begin()
    let queue = bench.queue()
    let operation = bench.held("upload")
    operation.timeLimit = .milliseconds(30)
    try queue.addOperation(operation)
    while clock.runNext() {}
    #expect(operation.waitUntilBegun())
    operation.setFinishWait(.call)
    #expect(operation.finishWait == .call)
    #expect(operation.canFinish)
    while clock.runNext() || clock.passTime() {}
    finish(operation)
    #expect(operation.outcome?.failure?.code == "timed-out")
  }

  @Test("An operation that works again waits for nothing")
  func worksAgain() throws {
    let operation = try jammed(on: bench.queue())
    operation.setFinishWait(nil)
    #expect(operation.waitCodes.isEmpty)
    #expect(operation.canFinish)
    #expect(bench.engine.waitingBodyCount == 0)
    operation.cancel()
    finish(operation)
  }

  @Test("Operations that do not execute cannot be set to wait")
  func notExecuting() throws {
    let queue = bench.queue(paused: true)
    let operation = bench.held("upload")
    operation.setFinishWait(.call)
    try queue.addOperation(operation)
    operation.setFinishWait(.call)
    #expect(operation.finishWait == nil)
    operation.cancel()
    queue.isSuspended = false
    finish(operation)
    operation.setFinishWait(.call)
    #expect(operation.finishWait == nil)
    #expect(bench.engine.waitingBodyCount == 0)
  }

  @Test("A missing notification stays the reason when the body ends later")
  func strongerReason() throws {
    let operation = try jammed("upload", .notification, on: bench.queue())
    operation.setFinishWait(.call)
    #expect(operation.finishWait == .notification)
    operation.cancel()
    finish(operation)
  }

  @Test("Without a notification the properties say finished, and the queue does not know")
  func properties() throws {
    let queue = bench.queue()
    let seen = Gathered<Bool>()
    let operation = try jammed("upload", .notification, on: queue)
    let token = operation.observe(\.isFinished, options: [.initial, .new]) { _, change in
      seen.add(change.newValue == true)
    }
    #expect(operation.isFinished)
    #expect(!operation.isExecuting)
    #expect(operation.state == .executing)
    #expect(queue.operationCount == 1)
    operation.finish(.success(1))
    finish(operation)
    #expect(queue.operationCount == 0)
    #expect(seen.all == [true, true])
    token.invalidate()
  }

  @Test("Cancelling ends an operation that awaits finish")
  func cancelled() throws {
    let operation = try jammed(on: bench.queue())
    operation.cancel()
    finish(operation)
    #expect(operation.outcome == .cancelled)
    #expect(bench.engine.waitingBodyCount == 0)
  }

  @Test("Threads that set the wait and finish at once leave no count behind")
  func races() throws {
    for _ in 0..<TestScale.count(300) {
      let queue = bench.queue()
      let operation = bench.held("upload")
      try queue.addOperation(operation)
      #expect(operation.waitUntilBegun())
      DispatchQueue.concurrentPerform(iterations: 3) { index in
        switch index {
        case 0: operation.setFinishWait(.call)
        case 1: operation.finish(.success(1))
        default: operation.setFinishWait(.notification)
        }
      }
      finish(operation)
      #expect(operation.finishWait == nil)
    }
    #expect(bench.engine.waitingBodyCount == 0)
  }
}
