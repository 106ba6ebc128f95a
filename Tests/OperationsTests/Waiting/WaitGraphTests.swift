import Foundation
import Operations
import TestSupport
import Testing

@Suite("What can finish without an action", .timeLimit(.minutes(15)))
struct WaitGraphTests {
  private let engine = OperationEngine()

  private func queue(width: Int = 2) -> InspectableQueue {
    InspectableQueue(name: "q", maxConcurrentOperationCount: width, engine: engine)
  }

  private func delay(_ name: String, _ duration: Duration = .seconds(600)) -> DelayOperation {
    DelayOperation(name: name, duration: duration, engine: engine)
  }

  @Test("Operations on a paused queue or one of width 0 can't finish; on an open queue they can")
  func queues() throws {
    let queue = queue(width: 1)
    queue.isSuspended = true
    let first = delay("first")
    let second = delay("second")
    try second.depend(on: first, policy: .run)
    try queue.addOperations([first, second], waitUntilFinished: false)
    func verdicts() -> [Bool] { [first.canFinish, second.canFinish] }
    #expect(verdicts() == [false, false])
    queue.maxConcurrentOperationCount = 0
    queue.isSuspended = false
    #expect(verdicts() == [false, false])
    queue.maxConcurrentOperationCount = 1
    #expect(verdicts() == [true, true])
    queue.isSuspended = true
    // Executing operations continue, unstarted ones can't.
    #expect(verdicts() == [true, false])
    queue.cancelAllOperations()
    queue.isSuspended = false
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)))
    #expect(verdicts() == [true, true])
  }

  @Test("A dependent of an operation that was never started can't finish")
  func held() throws {
    let queue = queue()
    let held = delay("held")
    let pending = delay("pending")
    try pending.depend(on: held, policy: .run)
    try queue.addOperation(pending)
    #expect(!held.canFinish)
    #expect(!pending.canFinish)
    pending.cancel()
    held.cancel()
  }

  @Test("A chain of 100,000 needs no deeper stack")
  func chain() throws {
    let queue = queue(width: 1)
    queue.isSuspended = true
    let operations = (0..<TestScale.count(100_000)).map { delay("d\($0)", .zero) }
    for (earlier, later) in zip(operations, operations.dropFirst()) {
      try later.depend(on: earlier, policy: .run)
    }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(!operations[operations.count - 1].canFinish)
    let first = operations[0]
    first.cancel()
    #expect(!first.canFinish)
    #expect(!operations[operations.count - 1].canFinish)
    queue.maxConcurrentOperationCount = 0
    queue.isSuspended = false
    queue.maxConcurrentOperationCount = 1
    #expect(operations[operations.count - 1].canFinish)
    queue.isSuspended = true
  }

  @Test("What a dependency's failure ends can finish, though another dependency never does")
  func stopped() throws {
    let queue = queue(width: 8)
    let (held, work, operation) = (delay("held"), delay("work"), delay("operation"))
    let (group, inner, member) = (GroupOperation(engine: engine), delay("inner"), delay("member"))
    let innerGroup = GroupOperation(name: "inner group", engine: engine)
    try innerGroup.addOperation(inner)
    try inner.depend(on: held)
    try group.addOperations([innerGroup, member])
    try member.depend(on: held)
    try operation.depend(on: held, policy: .skip)
    try operation.depend(on: work, policy: .run)
    try group.depend(on: held, policy: .run)
    try group.depend(on: work, policy: .skip)
    try queue.addOperations([work, operation, group], waitUntilFinished: false)
    // The end of 'held' would decide, and never comes.
    #expect(!operation.canFinish)
    #expect(group.canFinish && member.canFinish && innerGroup.canFinish && inner.canFinish)
    #expect(group.waitPath(to: work) != nil)
    work.cancel()
    #expect(eventually { group.outcome == .skipped && innerGroup.outcome == .cancelled })
    #expect(!operation.canFinish)
    for operation in [operation, held] { operation.cancel() }
  }

  @Test("In a cycle no failure can end anything")
  func stoppedInCycle() throws {
    let queue = queue(width: 8)
    let gate = DispatchSemaphore(value: 0)
    let bodies = (0..<2).map { number in
      BlockingOperation(name: "body-\(number)", engine: engine) { _ in
        _ = gate.wait(timeout: .now() + 60)
        return nil
      }
    }
    let dependents = [delay("one"), delay("other")]
    try dependents[0].depend(on: bodies[0], policy: .skip)
    try dependents[1].depend(on: bodies[1], policy: .fail)
    try queue.addOperations(bodies + dependents, waitUntilFinished: false)
    #expect(eventually { bodies.allSatisfy { $0.state == .executing } })
    bodies[0].setAwaited([dependents[1]])
    #expect(dependents[0].canFinish && dependents[1].canFinish)
    bodies[1].setAwaited([dependents[0]])
    #expect(!engine.canFinish(anyOf: bodies + dependents))
    for body in bodies { body.setAwaited([]) }
    for _ in bodies { gate.signal() }
    for operation in dependents { operation.cancel() }
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)))
  }

  @Test("A failure ends nothing that was cancelled")
  func stoppedAndCancelled() throws {
    let queue = queue(width: 8)
    let paused = self.queue()
    paused.isSuspended = true
    let (work, operation) = (delay("work"), delay("operation"))
    try operation.depend(on: work, policy: .skip)
    try queue.addOperation(work)
    try paused.addOperation(operation)
    #expect(operation.canFinish)
    operation.cancel()
    #expect(!operation.canFinish)
    work.cancel()
    paused.isSuspended = false
    #expect(paused.waitUntilAllOperationsAreFinished(timeout: .seconds(20)))
  }

  @Test("Bodies that wait for each other never finish; a body that waits for work does")
  func bodies() throws {
    let gate = DispatchSemaphore(value: 0)
    let queue = queue(width: 8)
    let bodies = (0..<4).map { number in
      BlockingOperation(name: "body-\(number)", engine: engine) { _ in
        _ = gate.wait(timeout: .now() + 60)
        return nil
      }
    }
    let work = delay("work")
    let held = delay("held")
    try queue.addOperations(bodies + [work], waitUntilFinished: false)
    #expect(eventually { (bodies + [work]).allSatisfy { $0.state == .executing } })
    func verdicts(_ awaited: [Int: [ObservableOperation]]) -> [Bool] {
      for body in bodies { body.setAwaited(awaited[body.id] ?? []) }
      #expect(engine.waitingBodyCount == awaited.count)
      return bodies.map(\.canFinish)
    }
    #expect(verdicts([:]) == [true, true, true, true])
    #expect(
      verdicts([bodies[0].id: [bodies[1]], bodies[1].id: [bodies[0]]])
        == [false, false, true, true])
    #expect(verdicts([bodies[0].id: [bodies[0]]]) == [false, true, true, true])
    #expect(
      verdicts([bodies[0].id: [bodies[1], work], bodies[1].id: [work]]) == [true, true, true, true])
    #expect(verdicts([bodies[0].id: [bodies[1]], bodies[1].id: [held]])[0] == false)
    // Into a cycle from outside, starting with any operation.
    let cycle =
      [
        bodies[0].id: [bodies[1]], bodies[1].id: [bodies[2]], bodies[2].id: [bodies[1]],
        bodies[3].id: [bodies[0], bodies[2]],
      ] as [Int: [ObservableOperation]]
    #expect(verdicts(cycle) == [false, false, false, false])
    #expect(!engine.canFinish(anyOf: bodies) && engine.canFinish(anyOf: bodies + [work]))
    #expect(!engine.canFinish(anyOf: []))
    _ = verdicts([:])
    for _ in bodies { gate.signal() }
    work.cancel()
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)))
  }

  @Test("A body that waits is a wait reason, and bodies that wait for each other are a deadlock")
  func reasonsOfBodies() throws {
    let gate = DispatchSemaphore(value: 0)
    let queue = queue(width: 2)
    let bodies = (0..<2).map { number in
      BlockingOperation(name: "body-\(number)", engine: engine) { _ in
        _ = gate.wait(timeout: .now() + 60)
        return nil
      }
    }
    let next = delay("next", .zero)
    try queue.addOperations(bodies + [next], waitUntilFinished: false)
    #expect(eventually { bodies.allSatisfy { $0.state == .executing } })
    #expect(bodies[0].waitReasons().isEmpty)
    bodies[0].setAwaited([next])
    #expect(bodies[0].waitReasons().first?.text == "the body of 'body-0' waits for 'next'")
    #expect(bodies[0].waitReasons().map(\.code) == [.bodyWaits, .queueFull])
    #expect(bodies[0].canFinish, "the other body may give up its slot")
    bodies[1].setAwaited([bodies[0]])
    #expect(next.waitReasons().map(\.code).contains(.queueFull))
    #expect(!engine.canFinish(anyOf: bodies + [next]))
    bodies[0].setAwaited([bodies[1]])
    let deadlock = try #require(bodies[0].waitReasons().last)
    #expect(deadlock.code == .deadlock)
    #expect(deadlock.text == "'body-1' waits for 'body-0', so neither will ever finish")
    #expect(deadlock.operations.map(\.name) == ["body-0", "body-1"])
    #expect(bodies[0].waitPath(to: bodies[1])?.map(\.id) == bodies.map(\.id))
    #expect(next.waitPath(to: bodies[0]) == nil, "taken slots are no order")
    for body in bodies { body.setAwaited([]) }
    #expect(bodies[0].waitReasons().isEmpty && next.canFinish)
    for _ in bodies { gate.signal() }
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)))
  }
}
