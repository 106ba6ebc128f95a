import Dispatch
import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// The everyday uses of a queue that Foundation's own queue is tested with, on a queue of ours.
@Suite(.timeLimit(.minutes(15))) struct QueueScenarioTests {
  @Test("Operations are listed in the order added and leave the list when they end")
  func listing() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let operations = ["a", "b", "c"].map { bench.held($0) }
    #expect(queue.operations.isEmpty && queue.operationCount == 0)
    for (index, operation) in operations.enumerated() {
      try queue.addOperation(operation)
      #expect(queue.operationCount == index + 1)
    }
    #expect(queue.operations == operations)
    for (index, operation) in operations.enumerated() {
      try #require(operation.waitUntilBegun())
      operation.finish(.success(1))
      #expect(queue.operations == Array(operations[(index + 1)...]))
    }
    try drainOrStop(queue)
    #expect(queue.operationCount == 0)
  }

  @Test("A batch of four priorities runs from the highest to the lowest, also added one by one")
  func batchByPriority() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let levels: [Operation.QueuePriority] = [.veryLow, .low, .normal, .veryHigh]
    let operations = levels.enumerated().map { index, level in
      let operation = bench.quick("level-\(index)")
      operation.queuePriority = level
      return operation
    }
    try runAll(operations, on: queue)
    #expect(bench.started == ["level-3", "level-2", "level-1", "level-0"])
  }

  @Test("Five operations run by priority, and in the order added if the priorities are equal")
  func orders() throws {
    for byPriority in [false, true] {
      let bench = Bench()
      let queue = bench.queue(width: 1, paused: true)
      let levels: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]
      for (index, level) in levels.enumerated() {
        let operation = bench.quick("\(index + 1)")
        if byPriority { operation.queuePriority = level }
        try queue.addOperation(operation)
      }
      queue.isSuspended = false
      try drainOrStop(queue)
      #expect(
        bench.started == (byPriority ? ["5", "4", "3", "2", "1"] : ["1", "2", "3", "4", "5"]))
    }
  }

  @Test(
    "isExecuting is true only during the work, on a queue and by hand", arguments: [true, false])
  func executing(onQueue: Bool) throws {
    let bench = Bench()
    let queue = bench.queue()
    let inside = Gathered<[Bool]>()
    let operation = Plain(engine: bench.engine) {
      guard let current = ObservableOperation.current else { return }
      inside.add([current.isExecuting, current.isFinished, current.isReady])
    }
    #expect(
      [operation.isExecuting, operation.isFinished, operation.isReady] == [false, false, true])
    if onQueue {
      try runAll([operation], on: queue)
    } else {
      operation.start()
    }
    #expect(inside.all == [[true, false, true]])
    #expect(
      [operation.isExecuting, operation.isFinished, operation.isReady] == [false, true, true])
  }

  @Test("start() of an asynchronous operation returns before its end, which polling sees")
  func asynchronousByHand() {
    let bench = Bench()
    let goOn = Door()
    let operation = Hooked(engine: bench.engine) { operation in
      Thread {
        goOn.pass()
        operation.finish(.success(1))
      }.start()
    }
    operation.start()
    #expect(operation.isExecuting && !operation.isFinished)
    goOn.open()
    let hasFinished = eventually { operation.isFinished }
    #expect(hasFinished)
    #expect(!operation.isExecuting)
    #expect(operation.outcome == .succeeded)
  }

  @Test("start() of a blocking operation runs the body on another thread")
  func blockingByHand() {
    let bench = Bench()
    let goOn = Door()
    let operation = BlockingOperation(engine: bench.engine) { _ in goOn.pass() }
    operation.start()
    #expect(operation.state == .executing)
    goOn.open()
    #expect(operation.waitUntilFinished(timeout: .seconds(20)))
    #expect(operation.resultValue as? Bool == true)
  }

  @Test("The third of five operations is cancelled and never runs; the others do")
  func thirdCancelled() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let goOn = Door()
    let ran = Gathered<Int>()
    let operations = (1...5).map { number in
      BlockingOperation(engine: bench.engine) { _ in
        goOn.pass()
        ran.add(number)
        return nil
      }
    }
    try queue.addOperations(operations, waitUntilFinished: false)
    operations[2].cancel()
    goOn.open()
    try drainOrStop(queue)
    #expect(ran.all == [1, 2, 4, 5])
    #expect(operations[2].isCancelled && operations[2].isFinished)
  }

  @Test("An operation added to a paused queue waits, and another thread can resume the queue")
  func resumedElsewhere() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let operation = bench.quick("a")
    try queue.addOperation(operation)
    #expect(queue.isSuspended)
    #expect(!operation.waitUntilFinished(timeout: .milliseconds(5)))
    DispatchQueue(label: "resume").async { queue.isSuspended = false }
    #expect(operation.waitUntilFinished(timeout: .seconds(20)))
    #expect(!queue.isSuspended)
    try drainOrStop(queue)
  }

  @Test("An operation of another queue can resume a queue")
  func resumedByOperation() throws {
    let bench = Bench()
    let (paused, other) = (bench.queue("paused", paused: true), bench.queue("other"))
    try paused.addOperation(bench.quick("a"))
    try runAll([Plain(engine: bench.engine) { paused.isSuspended = false }], on: other)
    try drainOrStop(paused)
    #expect(bench.started.last == "a")
  }

  @Test("An operation cancelled on a paused queue finishes as cancelled after resuming")
  func cancelledWhilePaused() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (one, two) = (bench.held("one"), bench.held("two"))
    try two.depend(on: one)
    try queue.addOperations([one, two], waitUntilFinished: false)
    one.cancel()
    two.cancel()
    #expect(!one.isFinished && !two.isFinished)
    queue.isSuspended = false
    try drainOrStop(queue)
    #expect([one, two].allSatisfy { $0.isFinished && $0.isCancelled && $0.executions == 0 })
  }

  @Test("A dependency is listed, and no longer listed after it is removed")
  func dependencyCount() {
    let bench = Bench()
    let (one, two) = (bench.quick("one"), bench.quick("two"))
    one.addDependency(two)
    #expect(one.dependencies.count == 1 && two.dependencies.isEmpty)
    one.removeDependency(two)
    #expect(one.dependencies.isEmpty)
  }

  @Test("A cancelled dependency does not run, but its dependent does")
  func cancelledDependency() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let ran = Gathered<Int>()
    let one = Plain(engine: bench.engine) { ran.add(1) }
    let two = Plain(engine: bench.engine) { ran.add(2) }
    try two.depend(on: one)
    one.cancel()
    try runAll([one, two], on: queue)
    #expect(ran.all == [2])
    #expect(one.isFinished && two.outcome == .succeeded)
  }

  @Test("Both operations run at width 1 if the dependent is added first and the queue dropped")
  func dependentFirst() throws {
    let bench = Bench()
    let (one, two) = (bench.quick("one"), bench.quick("two"))
    try one.depend(on: two)
    do {
      let queue = bench.queue(width: 1)
      try queue.addOperation(one)
      try queue.addOperation(two)
    }
    #expect(one.waitUntilFinished(timeout: .seconds(20)))
    #expect(bench.started == ["two", "one"])
  }

  @Test("Two queues whose operations depend on each other in both directions drain")
  func crossing() throws {
    let bench = Bench()
    let (left, right) = (bench.queue("left", width: 1), bench.queue("right", width: 1))
    var last: ObservableOperation?
    for step in 0..<20 {
      let operation = bench.quick("op-\(step)")
      if let last { try operation.depend(on: last) }
      try (step.isMultiple(of: 2) ? left : right).addOperation(operation)
      last = operation
    }
    try drainOrStop(left)
    try drainOrStop(right)
    #expect(bench.started == (0..<20).map { "op-\($0)" })
  }

  @Test("A dependency runs first and does not delay a third operation")
  func thirdUnaffected() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let (dependent, dependency, third) = (
      bench.quick("dependent"), bench.held("dependency"), bench.quick("third")
    )
    try dependent.depend(on: dependency)
    try queue.addOperations([dependent, dependency, third], waitUntilFinished: false)
    #expect(third.waitUntilFinished(timeout: .seconds(20)))
    #expect(!dependent.isFinished)
    dependency.finish(.success(1))
    try drainOrStop(queue)
    #expect(bench.started == ["dependency", "third", "dependent"])
  }

  @Test("Waiting for a queue includes operations that wait for another queue")
  func waitAcrossQueues() throws {
    let bench = Bench()
    let (one, two) = (bench.queue("one"), bench.queue("two"))
    let (dependency, dependent) = (bench.held("dependency"), bench.quick("dependent"))
    try dependent.depend(on: dependency)
    try one.addOperation(dependent)
    try two.addOperation(dependency)
    Thread {
      _ = dependency.waitUntilBegun()
      dependency.finish(.success(1))
    }.start()
    try drainOrStop(one)
    #expect(dependency.isFinished && dependent.isFinished)
  }

  @Test("When the wait for an operation returns, its queue no longer counts it")
  func countAfterWait() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    var counted = 0
    for _ in 0..<TestScale.count(500) {
      let operation = Quick(engine: bench.engine)
      try queue.addOperation(operation)
      try #require(operation.waitUntilFinished(timeout: .seconds(20)))
      if queue.operationCount != 0 || !queue.operations.isEmpty { counted += 1 }
    }
    #expect(counted == 0)
    #expect(queue.progress == 1)
  }

  @Test("An operation on no queue delays its dependents until it is started by hand")
  func customCondition() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let condition = Plain(name: "condition", engine: bench.engine)
    let operations = (0..<3).map { bench.quick("op-\($0)") }
    for operation in operations { try operation.depend(on: condition) }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(queue.snapshot.pending == 3)
    condition.start()
    try drainOrStop(queue)
    #expect(bench.started == ["condition", "op-0", "op-1", "op-2"])
  }

  @Test("A cycle of three is refused with its path; after one cancel the others run in order")
  func cycle() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let (one, two, three) = (bench.quick("one"), bench.quick("two"), bench.quick("three"))
    try one.depend(on: two)
    try two.depend(on: three)
    #expect(throws: DependencyError.cycle(path: ["three", "one", "two", "three"])) {
      try three.depend(on: one)
    }
    one.cancel()
    try runAll([one, two, three], on: queue)
    #expect(bench.started == ["three", "two"])
    #expect(one.outcome == .cancelled)
  }

  @Test("A queue is released after a wait for it")
  func lifecycle() throws {
    let bench = Bench()
    weak var gone: InspectableQueue?
    do {
      let queue = bench.queue()
      gone = queue
      try queue.addOperations([bench.quick("a"), bench.held("b")], waitUntilFinished: false)
      queue.cancelAllOperations()
      queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20))
    }
    let isGone = eventually { gone == nil }
    #expect(isGone)
  }

  @Test("At width 2 two operations execute at once, and the third one after one of them")
  func two() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let (arrived, both) = (Locked(0), Door())
    let operations = (0..<2).map { _ in
      BlockingOperation(engine: bench.engine) { _ in
        let isSecond = arrived.withLock { arrived in
          arrived += 1
          return arrived == 2
        }
        if isSecond { both.open() }
        return both.pass()
      }
    }
    let third = bench.quick("third")
    try runAll(operations + [third], on: queue)
    #expect(operations.allSatisfy { $0.resultValue as? Bool == true })
    #expect(LifeRecord(of: bench.engine, width: 2).peak == 2)
    #expect(bench.started.last == "third")
  }

  @Test("An operation, its dependency, a completion and a third operation run together")
  func together() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let told = Gathered<String>()
    let dependency = Hooked(name: "dependency", engine: bench.engine) { operation in
      told.add("dependency")
      operation.finish(.success(1))
    } completionHandler: { _ in
      told.add("handler")
    }
    let operation = BlockingOperation(name: "operation", engine: bench.engine) { _ in
      told.add("operation")
      return nil
    }
    let completed = Door()
    operation.completionBlock = { completed.open() }
    try operation.depend(on: dependency)
    let third = bench.quick("third")
    try runAll([operation, dependency, third], on: queue)
    #expect(completed.pass())
    #expect(told.all == ["dependency", "handler", "operation"])
    #expect(third.outcome == .succeeded)
  }

  @Test("Added blocks all run, each on its own thread")
  func blocks() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let (arrived, both, ran) = (Locked(0), Door(), Gathered<Bool>())
    for _ in 0..<2 {
      queue.addOperation {
        let isSecond = arrived.withLock { arrived in
          arrived += 1
          return arrived == 2
        }
        if isSecond { both.open() }
        ran.add(both.pass())
      }
    }
    try drainOrStop(queue)
    #expect(ran.all == [true, true])
    #expect(queue.snapshot.finished == 2)
  }
}
