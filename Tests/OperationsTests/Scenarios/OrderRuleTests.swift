import Foundation
import Operations
import OpshSupport
import TestSupport
import Testing

/// In which order operations start, and how many at once.
@Suite(.timeLimit(.minutes(15))) struct OrderRuleTests {
  private static let levels: [Operation.QueuePriority] = [
    .veryLow, .low, .normal, .high, .veryHigh,
  ]

  @Test(
    "The dependents of one operation start by priority, then order added, at any width",
    arguments: [1, 2, 4, -1])
  func fans(width: Int) throws {
    var wrong: [Int] = []
    for round in 0..<50 {
      var random = RandomSource(seed: UInt64(round) &* 104_729 &+ UInt64(width + 2))
      let bench = Bench()
      let queue = bench.queue(width: width)
      let hub = bench.held("hub")
      try queue.addOperation(hub)
      var fan: [(priority: Int, place: Int, name: String)] = []
      for place in 0..<12 {
        let operation = bench.quick("op-\(place)")
        operation.queuePriority = Self.levels[random.below(5)]
        try operation.depend(on: hub)
        try queue.addOperation(operation)
        fan.append((-operation.queuePriority.rawValue, place, operation.displayName))
      }
      hub.finish(.success(1))
      try drainOrStop(queue)
      let expected = fan.sorted { ($0.priority, $0.place) < ($1.priority, $1.place) }.map(\.name)
      if bench.started != ["hub"] + expected { wrong.append(round) }
    }
    #expect(wrong == [])
  }

  @Test("The first of operations added one by one starts at once, whatever comes after it")
  func oneByOne() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let first = bench.held("first")
    first.queuePriority = .veryLow
    try queue.addOperation(first)
    for (name, level) in [("low", 1), ("normal", 2), ("high", 3)] {
      let operation = bench.quick(name)
      operation.queuePriority = Self.levels[level]
      try queue.addOperation(operation)
    }
    try #require(first.waitUntilBegun())
    first.finish(.success(1))
    try drainOrStop(queue)
    #expect(bench.started == ["first", "high", "normal", "low"])
  }

  @Test("A pending operation whose priority changes is last at its level when it is ready")
  func changedWhilePending() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let (gate, early) = (bench.quick("gate"), bench.quick("early"))
    gate.queuePriority = .veryHigh
    try early.depend(on: gate)
    try queue.addOperations(
      [gate, early, bench.quick("x"), bench.quick("y")], waitUntilFinished: false)
    early.queuePriority = .high
    early.queuePriority = .normal
    try queue.addOperation(bench.quick("z"))
    #expect(early.state == .pending)
    queue.isSuspended = false
    try drainOrStop(queue)
    #expect(bench.started == ["gate", "x", "y", "early", "z"])
  }

  @Test("Quality of service does not affect the order by priority")
  func classOfService() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let operations = ["a", "b", "c", "d"].map { bench.quick($0) }
    operations[3].qualityOfService = .userInteractive
    operations[1].qualityOfService = .background
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(operations.allSatisfy { $0.queuePriority == .normal })
    #expect(queue.predictedOrder() == operations)
    // On Foundation's queue both of these changes are lost.
    operations[1].queuePriority = .high
    operations[3].queuePriority = .veryHigh
    #expect(operations[1].queuePriority == .high && operations[3].queuePriority == .veryHigh)
    queue.isSuspended = false
    try drainOrStop(queue)
    #expect(bench.started == ["d", "b", "a", "c"])
  }

  @Test("A priority that changes while the operation executes or after its end changes nothing")
  func tooLate() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (running, next) = (bench.held("running"), bench.quick("next"))
    try queue.addOperations([running, next], waitUntilFinished: false)
    running.queuePriority = .veryLow
    #expect(running.state == .executing)
    running.finish(.success(1))
    try drainOrStop(queue)
    running.queuePriority = .veryHigh
    #expect(running.queuePriority == .veryHigh)
    #expect(bench.started == ["running", "next"])
  }

  @Test("Cancelled and other operations keep their order added")
  func cancelledInTurn() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let operations = (0..<6).map { bench.quick("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    for index in [0, 3, 4] { operations[index].cancel() }
    operations[5].queuePriority = .high
    queue.isSuspended = false
    try drainOrStop(queue)
    let ends = bench.entries.filter { $0.event == .transition && $0.to == .finished }
    #expect(ends.map(\.operation.name) == [5, 0, 1, 2, 3, 4].map { "op-\($0)" })
  }

  @Test("Raising the width from 0 starts the first operations, no more than the width")
  func raised() throws {
    let bench = Bench()
    let queue = bench.queue(width: 0)
    let operations = (0..<6).map { bench.held("op-\($0)") }
    operations[4].queuePriority = .high
    try queue.addOperations(operations, waitUntilFinished: false)
    try queue.setWidth(3)
    #expect(bench.started == ["op-4", "op-0", "op-1"])
    // Lowered to 0, what executes ends and nothing follows.
    try queue.setWidth(0)
    for index in [0, 1, 4] { operations[index].finish(.success(1)) }
    #expect(queue.snapshot.executing == 0)
    #expect(queue.operationCount == 3)
    try queue.setWidth(-1)
    #expect(queue.snapshot.executing == 3)
    for operation in operations { operation.finish(.success(1)) }
    try drainOrStop(queue)
  }

  @Test("A full queue whose width is lowered starts nothing until it is below the new width")
  func lowered() throws {
    let bench = Bench()
    let queue = bench.queue(width: 5)
    let operations = (0..<12).map { bench.held("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    try queue.setWidth(2)
    var seen: [Int] = []
    for operation in operations {
      seen.append(queue.snapshot.executing)
      try #require(operation.waitUntilBegun())
      operation.finish(.success(1))
    }
    #expect(seen == [5, 4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 1])
    try drainOrStop(queue)
  }

  @Test("A paused queue of unlimited width starts nothing; resumed it starts all by priority")
  func pausedUnlimited() throws {
    let bench = Bench()
    let queue = bench.queue(width: -1)
    let running = bench.held("running")
    try queue.addOperation(running)
    queue.isSuspended = true
    let operations = (0..<8).map { bench.quick("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    // Foundation's queue no longer listens to these.
    operations[6].queuePriority = .high
    operations[1].queuePriority = .low
    #expect(queue.snapshot.executing == 1)
    #expect(operations.allSatisfy { $0.state == .ready })
    running.finish(.success(1))
    queue.isSuspended = false
    try drainOrStop(queue)
    #expect(bench.started == ["running"] + [6, 0, 2, 3, 4, 5, 7, 1].map { "op-\($0)" })
  }

  @Test("At unlimited width every ready operation executes at once")
  func unlimited() throws {
    let bench = Bench()
    let queue = bench.queue(width: -1)
    let count = TestScale.count(500)
    let operations = (0..<count).map { _ in Held(engine: bench.engine) }
    for operation in operations { try queue.addOperation(operation) }
    #expect(queue.snapshot.executing == count)
    for operation in operations.reversed() { operation.finish(.success(1)) }
    try drainOrStop(queue)
    let record = LifeRecord(of: bench.engine)
    #expect(record.faults == [])
    #expect(record.executed == operations.map(\.id))
  }
}
