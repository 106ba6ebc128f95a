import Foundation
import Operations
import OpshSupport
import Testing

@Suite struct QueueOrderTests {
  @Test("At width 1 order is by priority, then order added")
  func priorities() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let levels: [(String, Operation.QueuePriority)] = [
      ("low", .low), ("normal-1", .normal), ("highest", .veryHigh), ("normal-2", .normal),
      ("lowest", .veryLow), ("high", .high),
    ]
    for (name, level) in levels {
      let operation = bench.quick(name)
      operation.queuePriority = level
      try queue.addOperation(operation)
    }
    let expected = ["highest", "high", "normal-1", "normal-2", "low", "lowest"]
    #expect(queue.predictedOrder().map(\.displayName) == expected)
    queue.isSuspended = false
    drain(queue)
    #expect(bench.started == expected)
  }

  @Test("An operation whose priority changes while queued goes to the end of its new level")
  func changedPriority() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let operations = ["a", "b", "c", "d"].map { bench.quick($0) }
    try queue.addOperations(operations, waitUntilFinished: false)
    operations[3].queuePriority = .high
    operations[0].queuePriority = .high
    operations[1].queuePriority = .low
    operations[1].queuePriority = .normal
    operations[2].queuePriority = .normal
    #expect(queue.predictedOrder().map(\.displayName) == ["d", "a", "c", "b"])
    queue.isSuspended = false
    drain(queue)
    #expect(bench.started == ["d", "a", "c", "b"])
  }

  @Test("Thousands of priority changes leave one queue entry for each operation")
  func manyChanges() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let operations = (0..<20).map { bench.quick("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    for round in 0..<500 {
      for operation in operations {
        operation.queuePriority = round.isMultiple(of: 2) ? .high : .low
      }
    }
    for operation in operations.reversed() { operation.queuePriority = .normal }
    queue.isSuspended = false
    drain(queue)
    #expect(bench.started == operations.reversed().map(\.displayName))
  }

  @Test("What is predicted to start together comes before what waits for it")
  func predictionOfWidth() throws {
    for (width, expected) in [(1, "a b c d"), (2, "a c b d"), (-1, "a c d b"), (0, "a b c d")] {
      let bench = Bench()
      let queue = bench.queue(width: width, paused: true)
      let operations = ["a", "b", "c", "d"].map { bench.quick($0) }
      try operations[1].depend(on: operations[0])
      try queue.addOperations(operations, waitUntilFinished: false)
      #expect(queue.predictedOrder().map(\.displayName).joined(separator: " ") == expected)
      queue.cancelAllOperations()
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = false
      drain(queue)
    }
  }

  @Test("An operation that becomes ready late keeps its place by order added")
  func readyLate() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let gate = bench.quick("gate")
    let late = bench.quick("late")
    try late.depend(on: gate)
    for operation in [late, gate, bench.quick("x"), bench.quick("y")] {
      try queue.addOperation(operation)
    }
    #expect(queue.predictedOrder().map(\.displayName) == ["gate", "late", "x", "y"])
    queue.isSuspended = false
    drain(queue)
    #expect(bench.started == ["gate", "late", "x", "y"])
  }

  @Test("A batch is ranked before its first one starts")
  func batch() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let normal = bench.quick("normal")
    let high = bench.quick("high")
    high.queuePriority = .high
    try queue.addOperations([normal, high], waitUntilFinished: true)
    #expect(bench.started == ["high", "normal"])
  }

  @Test(
    "The dependents of one operation start by priority, then order added", arguments: [2, 4, -1])
  func fan(width: Int) throws {
    let bench = Bench()
    let queue = bench.queue(width: width)
    let hub = bench.held("hub")
    try queue.addOperation(hub)
    var expected: [(Int, Int, String)] = []
    for index in 0..<50 {
      let operation = bench.held("op-\(index)")
      operation.queuePriority = [.low, .normal, .high][index % 3]
      try operation.depend(on: hub)
      try queue.addOperation(operation)
      expected.append((-operation.queuePriority.rawValue, index, operation.displayName))
    }
    hub.finish(.success(0))
    while let next = queue.operations.first(where: { $0.state == .executing }) as? Held {
      next.finish(.success(0))
    }
    drain(queue)
    #expect(
      bench.started.dropFirst() == expected.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)[...])
  }

  @Test("Random graphs run in the specified order at width 1", arguments: 0..<40)
  func randomGraphs(seed: UInt64) throws {
    var random = RandomSource(seed: seed &* 7919 &+ 1)
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let operations = (0..<60).map { bench.quick("op-\($0)") }
    var upstream: [[Int]] = Array(repeating: [], count: operations.count)
    let levels: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]
    for index in operations.indices {
      operations[index].queuePriority = levels[random.below(5)]
      for _ in 0..<random.below(4) where index > 0 {
        let other = random.below(index)
        try operations[index].depend(on: operations[other])
        upstream[index].append(other)
      }
    }
    var order = Array(operations.indices)
    for index in order.indices { order.swapAt(index, random.below(order.count)) }
    for index in order { try queue.addOperation(operations[index]) }
    var rank: [Int: Int] = [:]
    for (place, index) in order.enumerated() { rank[index] = place }
    for step in 0..<20 {
      let index = random.below(operations.count)
      let level = levels[random.below(5)]
      if operations[index].queuePriority != level { rank[index] = operations.count + step }
      operations[index].queuePriority = level
    }
    // The rule, worked out the slow way.
    var expected: [Int] = []
    var done: Set<Int> = []
    while expected.count < operations.count {
      let ready = operations.indices.filter { index in
        !done.contains(index) && upstream[index].allSatisfy(done.contains)
      }
      let next = ready.min { left, right in
        let priorities = (
          operations[left].queuePriority.rawValue, operations[right].queuePriority.rawValue
        )
        return priorities.0 != priorities.1
          ? priorities.0 > priorities.1 : (rank[left] ?? 0) < (rank[right] ?? 0)
      }
      guard let next else { break }
      expected.append(next)
      done.insert(next)
    }
    let names = expected.map { "op-\($0)" }
    #expect(queue.predictedOrder().map(\.displayName) == names)
    queue.isSuspended = false
    drain(queue)
    #expect(bench.started == names)
  }
}
