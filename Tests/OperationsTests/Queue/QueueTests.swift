import Dispatch
import Foundation
import Operations
import TestSupport
import Testing

@Suite struct QueueTests {
  @Test("Adding a queued, executing or finished operation is refused, and nothing changes")
  func refusals() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let other = bench.queue("other")
    let (running, waiting) = (bench.held("running"), bench.held("waiting"))
    try queue.addOperation(running)
    try queue.addOperation(waiting)
    #expect(throws: QueueError.alreadyOnQueue(name: "running", queue: "network")) {
      try queue.addOperation(running)
    }
    #expect(throws: QueueError.alreadyOnQueue(name: "waiting", queue: "network")) {
      try other.addOperation(waiting)
    }
    let fresh = bench.held("fresh")
    #expect(throws: QueueError.self) {
      try other.addOperations([fresh, waiting], waitUntilFinished: false)
    }
    #expect(throws: QueueError.addedTwice(name: "fresh")) {
      try other.addOperations([fresh, fresh], waitUntilFinished: false)
    }
    #expect(fresh.state == .created)
    #expect(other.operationCount == 0)
    running.finish(.success(1))
    waiting.finish(.success(1))
    drain(queue)
    #expect(throws: QueueError.finished(name: "running")) { try other.addOperation(running) }
    #expect(throws: QueueError.differentLogs(name: "s", queue: "other")) {
      try other.addOperation(Held(name: "s", engine: OperationEngine()))
    }
    #expect(throws: QueueError.invalidWidth(-5)) { try queue.setWidth(-5) }
    #expect(queue.maxConcurrentOperationCount == 1)
  }

  @Test("If two threads add the same operation, one is refused")
  func addedFromTwoThreads() {
    for _ in 0..<500 {
      let bench = Bench()
      let queue = bench.queue()
      let operation = bench.quick("a")
      let refused = Gathered<String>()
      let add: @Sendable () -> Void = {
        do throws(QueueError) { try queue.addOperation(operation) } catch {
          refused.add(error.code)
        }
      }
      race([add, add])
      drain(queue)
      #expect(refused.all.count == 1)
      #expect(bench.life("a").count == 4)
    }
  }

  @Test("Suspending prevents new starts at once; executing operations continue")
  func suspending() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let operations = (0..<4).map { bench.held("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    queue.isSuspended = true
    operations[0].finish(.success(1))
    operations[1].finish(.success(1))
    #expect(operations.map(\.state) == [.finished, .finished, .ready, .ready])
    queue.isSuspended = false
    #expect(operations[2].state == .executing && operations[3].state == .executing)
    operations[2].finish(.success(1))
    operations[3].finish(.success(1))
    drain(queue)
  }

  @Test("Under load no operation starts after suspending has returned")
  func suspendingUnderLoad() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let count = TestScale.count(20_000, long: 20_000)
    try queue.addOperations((0..<count).map { bench.quick("\($0)") }, waitUntilFinished: false)
    for _ in 0..<200 {
      queue.isSuspended = true
      let before = bench.engine.log.count
      let started = queue.snapshot.executing
      let now = bench.engine.log.entries(from: before, limit: .max).entries
      #expect(now.allSatisfy { $0.to != .executing })
      #expect(started <= 3)
      queue.isSuspended = false
    }
    drain(queue)
  }

  @Test("Width 0 starts nothing; raising it starts at once; lowering it stops no operation")
  func width() throws {
    let bench = Bench()
    let queue = bench.queue(width: 0)
    let operations = (0..<6).map { bench.held("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(queue.snapshot.executing == 0)
    try queue.setWidth(4)
    #expect(queue.snapshot.executing == 4)
    try queue.setWidth(1)
    #expect(queue.snapshot.executing == 4)
    for index in 0..<3 { operations[index].finish(.success(1)) }
    #expect(queue.snapshot.executing == 1)
    #expect(queue.snapshot.slotHolders.map(\.slot) == [4])
    operations[3].finish(.success(1))
    #expect(bench.reasons("op-4").last == "slot 1 of 1 on network")
    queue.maxConcurrentOperationCount = InspectableQueue.defaultMaxConcurrentOperationCount
    #expect(bench.reasons("op-5").last == "slot 2 on network, unlimited width")
    operations[4].finish(.success(1))
    operations[5].finish(.success(1))
    drain(queue)
  }

  @Test("A snapshot counts every state, and operations keep the order added")
  func snapshot() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let operations = ["a", "b", "c"].map { bench.held($0) }
    try operations[2].depend(on: operations[0])
    try queue.addOperations(
      [operations[2], operations[0], operations[1]], waitUntilFinished: false)
    let look = queue.snapshot
    #expect((look.pending, look.ready, look.executing, look.finished) == (1, 1, 1, 0))
    #expect(look.slotHolders.map(\.operation.name) == ["a"])
    #expect(look.name == "network" && look.width == 1 && !look.isSuspended)
    #expect(queue.operations.map(\.displayName) == ["c", "a", "b"])
    operations[0].finish(.success(1))
    #expect(queue.progress == 1.0 / 3)
    operations[1].cancel()
    while let next = queue.operations.first(where: { $0.state == .executing }) as? Held {
      next.finish(.success(1))
    }
    drain(queue)
    #expect(queue.snapshot.finished == 3)
    #expect(queue.operationCount == 0)
  }

  @Test("Waits end at their timeout, and are refused inside operations")
  func waits() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let answers = Gathered<String>()
    let held = bench.held("held")
    try queue.addOperation(held)
    #expect(!queue.waitUntilAllOperationsAreFinished(timeout: .milliseconds(20)))
    #expect(!held.waitUntilFinished(timeout: .milliseconds(20)))
    let inner = bench.quick("inner")
    try queue.addOperation(
      BlockingOperation(name: "inside", engine: bench.engine) { operation in
        answers.add("self \(operation.waitUntilFinished(timeout: nil))")
        operation.waitUntilFinished()
        answers.add("queue \(queue.waitUntilAllOperationsAreFinished())")
        do throws(QueueError) {
          try queue.addOperations([inner], waitUntilFinished: true)
        } catch {
          answers.add(error.code)
        }
        return nil
      })
    held.finish(.success(1))
    drain(queue)
    #expect(answers.all == ["self false", "queue false", "wait-from-inside"])
    #expect(inner.state == .created)
    held.waitUntilFinished()
  }

  @Test("A queue without references runs its operations and is then released")
  func lifetime() throws {
    let bench = Bench()
    weak var weakQueue: InspectableQueue?
    weak var weakOperation: Held?
    do {
      let operation = bench.held("a")
      weakOperation = operation
      do {
        let queue = bench.queue()
        weakQueue = queue
        try queue.addOperation(operation)
      }
      #expect(operation.waitUntilBegun())
      operation.finish(.success(1))
      #expect(operation.waitUntilFinished(timeout: .seconds(60)))
    }
    // Foundation lets go of its part a moment after the operation has finished.
    let isGone = eventually { weakQueue == nil && weakOperation == nil }
    #expect(isGone)
  }

  @Test("start() by hand runs a free operation and never crashes")
  func byHand() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let ran = Gathered<Int>()
    let free = Plain(name: "free", engine: bench.engine) { ran.add(1) }
    free.start()
    free.start()
    #expect(free.outcome == .succeeded)
    #expect(ran.all == [1])
    #expect(
      bench.life("free") == ["created-ready", "ready-executing", "executing-finished"])
    let queued = bench.held("queued")
    try queue.addOperation(queued)
    queued.start()
    #expect(queued.state == .ready)
    #expect(throws: OperationError.onQueue(name: "queued", queue: "network")) {
      try queued.startManually()
    }
    let waiting = bench.held("waiting")
    try waiting.depend(on: queued)
    #expect(throws: OperationError.notReady(name: "waiting", waitsFor: ["queued"])) {
      try waiting.startManually()
    }
    #expect(throws: OperationError.alreadyStarted(name: "free", state: .finished)) {
      try free.startManually()
    }
    let cancelled = bench.held("cancelled")
    cancelled.cancel()
    cancelled.start()
    #expect(cancelled.outcome == .cancelled)
    let running = bench.held("running")
    running.start()
    #expect(running.state == .executing)
    #expect(throws: QueueError.executing(name: "running")) { try queue.addOperation(running) }
    running.finish(.success(1))
    #expect(running.isFinished)
    queue.isSuspended = false
    #expect(queued.waitUntilBegun())
    queued.finish(.success(1))
    drain(queue)
  }

  @Test("start() by hand races with the queue's start: the work runs once")
  func byHandRace() throws {
    for _ in 0..<1_000 {
      let bench = Bench()
      let queue = bench.queue()
      let operation = bench.held("a")
      race([
        { try? queue.addOperation(operation) },
        { operation.start() },
        { operation.start() },
      ])
      #expect(operation.waitUntilBegun())
      operation.finish(.success(1))
      drain(queue)
      #expect(operation.waitUntilFinished(timeout: .seconds(60)))
      #expect(operation.executions == 1)
    }
  }

  @Test("Operations that override main() and their completion blocks work")
  func foundationKind() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (ran, completed) = (Gathered<Bool>(), DispatchSemaphore(value: 0))
    let operation = Plain(name: "a", engine: bench.engine) {
      ran.add(ObservableOperation.current?.displayName == "a")
    }
    operation.completionBlock = { completed.signal() }
    try queue.addOperation(operation)
    drain(queue)
    #expect(ran.all == [true])
    #expect(completed.wait(timeout: .now() + 60) == .success)
    // Foundation drops the block a moment after it has called it.
    #expect(eventually { operation.completionBlock == nil })
  }
}
