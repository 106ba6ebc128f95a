import Dispatch
import Foundation
import Operations
import Testing

/// What cancelling means in each state, where it is as on Foundation's queue.
@Suite(.timeLimit(.minutes(15))) struct CancelRuleTests {
  @Test("At width 0 a cancelled operation stays until the queue has a slot for it")
  func widthZero() throws {
    let bench = Bench()
    let queue = bench.queue(width: 0)
    let operations = ["a", "b"].map { bench.held($0) }
    try queue.addOperations(operations, waitUntilFinished: false)
    queue.cancelAllOperations()
    #expect(operations.allSatisfy { $0.isCancelled && $0.isReady && !$0.isFinished })
    #expect(queue.operationCount == 2)
    try queue.setWidth(1)
    try drainOrStop(queue)
    #expect(operations.allSatisfy { $0.outcome == .cancelled && $0.executions == 0 })
  }

  @Test("On a full queue a cancelled operation waits for a slot like any other, in its turn")
  func fullQueue() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (running, cancelled, last) = (bench.held("running"), bench.held("b"), bench.quick("c"))
    try queue.addOperations([running, cancelled, last], waitUntilFinished: false)
    cancelled.cancel()
    #expect(cancelled.state == .ready)
    #expect(queue.operations == [running, cancelled, last])
    running.finish(.success(1))
    try drainOrStop(queue)
    let ends = bench.entries.filter { $0.to == .finished && $0.event == .transition }
    #expect(ends.map(\.operation.name) == ["running", "b", "c"])
    #expect(bench.started == ["running", "c"])
  }

  @Test("Cancelling all on a paused queue ends executing operations; the rest end on resuming")
  func pausedQueue() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let running = bench.held("running")
    try queue.addOperation(running)
    queue.isSuspended = true
    let never = bench.held("never")
    let operations = ["a", "b", "c", "d"].map { bench.held($0) }
    try operations[1].depend(on: never)
    try queue.addOperations(operations, waitUntilFinished: false)
    queue.cancelAllOperations()
    #expect(running.outcome == .cancelled)
    #expect(queue.operations == operations)
    #expect(operations.allSatisfy { $0.isCancelled && $0.state == .ready })
    try queue.setWidth(1)
    queue.isSuspended = false
    try drainOrStop(queue)
    let ends = bench.entries.filter { $0.to == .finished && $0.event == .transition }
    #expect(ends.map(\.operation.name) == ["running", "a", "b", "c", "d"])
    #expect(never.state == .created && !never.isCancelled)
  }

  @Test("An operation cancelled on no queue is not finished, and its dependents keep waiting")
  func onNoQueue() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (loose, dependent) = (bench.held("loose"), bench.quick("dependent"))
    try dependent.depend(on: loose)
    try queue.addOperation(dependent)
    loose.cancel()
    #expect(!loose.isFinished)
    #expect(dependent.state == .pending)
    loose.start()
    try drainOrStop(queue)
    #expect(loose.outcome == .cancelled)
    #expect(dependent.outcome == .succeeded)
    #expect(loose.executions == 0)
  }

  @Test(
    "A dependency added after the cancel does not delay a cancelled operation",
    arguments: [true, false])
  func dependencyAfterwards(queuedFirst: Bool) throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (operation, never) = (bench.held("a"), bench.held("never"))
    if queuedFirst { try queue.addOperation(operation) }
    operation.cancel()
    try operation.depend(on: never)
    #expect(operation.isReady)
    #expect(operation.dependencies == [never])
    if !queuedFirst { try queue.addOperation(operation) }
    queue.isSuspended = false
    try drainOrStop(queue)
    #expect(operation.outcome == .cancelled)
    // The dependency finds no dependent left when it ends afterwards.
    try queue.addOperation(never)
    never.finish(.success(1))
    try drainOrStop(queue)
    #expect(bench.life("a").count == 3)
  }

  @Test("A cancelled pending operation calls its handlers and releases its dependents")
  func handlers() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (handled, completed) = (Gathered<String>(), Door())
    let upstream = bench.held("upstream")
    let middle = Hooked(name: "middle", engine: bench.engine) { _ in
      handled.add("executed")
    } completionHandler: { result in
      if case .failure(let error) = result { handled.add(OperationFailure(error).code) }
    }
    middle.completionBlock = { completed.open() }
    let last = bench.quick("last")
    try middle.depend(on: upstream)
    try last.depend(on: middle)
    try queue.addOperations([upstream, middle, last], waitUntilFinished: false)
    middle.cancel()
    #expect(last.waitUntilFinished(timeout: .seconds(60)))
    #expect(last.outcome == .succeeded)
    #expect(handled.all == ["cancelled"])
    #expect(completed.pass())
    #expect(upstream.state == .executing)
    upstream.finish(.success(1))
    try drainOrStop(queue)
  }

  @Test("An operation cancelled by its own synchronous work ends when that work returns")
  func fromInside() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let states = Gathered<OperationState>()
    let body: @Sendable () -> Void = {
      guard let current = ObservableOperation.current else { return }
      current.cancel()
      states.add(current.state)
    }
    let plain = Plain(name: "plain", engine: bench.engine, body: body)
    let blocking = BlockingOperation(name: "blocking", engine: bench.engine) { _ in
      body()
      return 7
    }
    let (runs, skips) = (bench.quick("runs"), bench.quick("skips"))
    try runs.depend(on: plain)
    try skips.depend(on: plain, policy: .skip)
    try runAll([plain, blocking, runs, skips], on: queue)
    #expect(states.all == [.executing, .executing])
    #expect([plain, blocking].allSatisfy { $0.outcome == .cancelled && $0.isCancelled })
    #expect(blocking.resultValue == nil)
    #expect(runs.outcome == .succeeded)
    #expect(skips.outcome == .skipped)
  }

  @Test("A body can see that its dependency was cancelled, because dependencies stay listed")
  func bodyAsks() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (good, bad) = (bench.quick("good"), bench.held("bad"))
    let last = BlockingOperation(name: "last", engine: bench.engine) { operation in
      if operation.dependencies.contains(where: \.isCancelled) { operation.cancel() }
      return operation.dependencies.count
    }
    try last.depend(on: good)
    try last.depend(on: bad)
    bad.cancel()
    try runAll([last, bad, good], on: queue)
    #expect(last.outcome == .cancelled)
    #expect(last.dependencies == [good, bad])
  }

  @Test("An operation started by hand is cancelled as on a queue")
  func byHand() {
    let bench = Bench()
    let operation = bench.held("a")
    operation.start()
    operation.cancel()
    #expect(operation.outcome == .cancelled)
    #expect(operation.interruptions == 1)
    #expect(bench.life("a").last == "executing-finished")
  }

  @Test("Cancelling one operation of several, or those of one priority, leaves the others alone")
  func someOnly() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let operations = (0..<5).map { bench.quick("op-\($0)") }
    operations[1].queuePriority = .high
    operations[3].queuePriority = .high
    try queue.addOperations(operations, waitUntilFinished: false)
    for operation in queue.operations where operation.queuePriority == .normal {
      operation.cancel()
    }
    queue.isSuspended = false
    try drainOrStop(queue)
    #expect(bench.started == ["op-1", "op-3"])
    #expect(operations.map { $0.outcome == .cancelled } == [true, false, true, false, true])
  }
}
