import Foundation
import Operations
import OpshSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct StepTests {
  @Test("A step starts one operation and reports which, where and why")
  func reasons() throws {
    let bench = Bench()
    let queue = bench.queue(width: -1, paused: true)
    let operations = ["a", "b", "c", "d", "e"].map { bench.held($0) }
    operations[3].queuePriority = .high
    operations[4].queuePriority = .high
    try queue.addOperations(operations, waitUntilFinished: false)
    operations[1].cancel()
    let decisions = try queue.step(10)
    #expect(decisions.map(\.operation.name) == ["d", "e", "a", "b", "c"])
    // The cancelled one only passes through its slot.
    #expect(decisions.map(\.slot) == [1, 2, 3, 4, 4])
    #expect(
      decisions.map(\.reason) == [
        "priority high is the highest, and it comes first of the 2 with it",
        "it has the highest priority, high, of 4 ready",
        "it comes first of 3 ready with priority normal",
        "it was cancelled, and ends without running",
        "it is the only one that is ready",
      ])
    #expect(queue.isSuspended)
    #expect(try queue.step().isEmpty)
    for operation in operations where operation !== operations[1] {
      #expect(operation.waitUntilBegun())
      operation.finish(.success(1))
    }
    drain(queue)
  }

  @Test("A step passes over operations that wait for an exclusive name, and says so")
  func passedOver() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3, paused: true)
    let operations = ["a", "b", "c", "d"].map { bench.held($0) }
    for index in [0, 1, 3] { operations[index].exclusiveNames = ["x"] }
    operations[1].queuePriority = .high
    operations[3].queuePriority = .veryHigh
    try queue.addOperations(operations, waitUntilFinished: false)
    let decisions = try queue.step(3)
    #expect(decisions.map(\.operation.name) == ["d", "c"])
    #expect(
      decisions.map(\.reason) == [
        "it has the highest priority, veryHigh, of 4 ready",
        "it is the only one that is ready, leaving aside what waits for an exclusive name",
      ])
    queue.cancelAllOperations()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("A step says both that it leaves aside")
  func nameAndBarrier() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4, paused: true)
    let operations = ["a", "b", "c", "d"].map { bench.held($0) }
    for index in [0, 1] { operations[index].exclusiveNames = ["x"] }
    try queue.addOperations(Array(operations[0...2]), waitUntilFinished: false)
    try queue.addBarrier(operations[3])
    let decisions = try queue.step(2)
    #expect(decisions.map(\.operation.name) == ["a", "c"])
    #expect(
      decisions.last?.reason.hasSuffix(
        ", leaving aside what waits for an exclusive name, and the barrier and what comes after it")
        == true)
    queue.cancelAllOperations()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("A step says that it leaves aside a barrier, and what comes after that")
  func barrier() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3, paused: true)
    let operations = ["a", "b", "c"].map { bench.held($0) }
    try queue.addOperation(operations[0])
    try queue.addBarrier(operations[1])
    try queue.addOperation(operations[2])
    let decisions = try queue.step(1)
    #expect(
      decisions.map(\.reason) == [
        "it is the only one that is ready, leaving aside the barrier and what comes after it"
      ])
    queue.cancelAllOperations()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("A step in the prior call of isReady starts no other operation")
  func aboutToBecomeReady() throws {
    let bench = Bench()
    let queue = bench.queue(width: -1, paused: true)
    let (first, next, other) = (bench.held("first"), bench.quick("next"), bench.quick("other"))
    next.queuePriority = .high
    try next.depend(on: first)
    try queue.addOperations([first, next, other], waitUntilFinished: false)
    let meanwhile = Gathered<String>()
    let token = next.observe(\.isReady, options: [.prior]) { _, change in
      guard change.isPrior else { return }
      let decisions = try? queue.step()
      meanwhile.add((decisions ?? []).map(\.operation.name).joined(separator: " ") + ".")
    }
    #expect(try queue.step().map(\.operation.name) == ["first"])
    try #require(first.waitUntilBegun())
    first.finish(.success(1))
    #expect(eventually { next.state == .ready })
    #expect(meanwhile.all == ["."])
    #expect(try queue.step(2).map(\.operation.name) == ["next", "other"])
    queue.isSuspended = false
    drain(queue)
    withExtendedLifetime(token) {}
  }

  @Test("Many steps at once report the same as one by one", arguments: 1...20)
  func manyAtOnce(_ seed: Int) throws {
    typealias Decisions = [InspectableQueue.Decision]
    func reasons(_ step: (InspectableQueue) throws -> Decisions) throws -> [String] {
      let bench = Bench()
      let queue = bench.queue(width: -1, paused: true)
      for number in 0..<40 {
        let operation = bench.held("o\(number)")
        operation.queuePriority = [.low, .normal, .high][number * seed % 7 % 3]
        if number * seed % 5 == 1 { operation.exclusiveNames = ["x"] }
        if number % 11 == seed % 11 {
          try queue.addBarrier(operation)
        } else {
          try queue.addOperation(operation)
        }
        // Out of date where it stood before.
        if number * seed % 6 == 0 { operation.queuePriority = .veryHigh }
      }
      let decisions = try step(queue)
      queue.cancelAllOperations()
      queue.isSuspended = false
      drain(queue)
      return decisions.map { "\($0.operation.name) \($0.slot) \($0.reason)" }
    }
    let oneByOne = try reasons { queue in
      var decisions: Decisions = []
      while let next = try queue.step().first { decisions.append(next) }
      return decisions
    }
    #expect(!oneByOne.isEmpty)
    #expect(try reasons { try $0.step(100) } == oneByOne)
  }

  @Test("Steps respect the width and start nothing else")
  func width() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2, paused: true)
    let operations = ["a", "b", "c"].map { bench.held($0) }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(try queue.step(3).map(\.operation.name) == ["a", "b"])
    #expect(operations[2].state == .ready)
    operations[0].finish(.success(1))
    #expect(operations[2].state == .ready)
    let next = try queue.step()
    #expect(next.map(\.operation.name) == ["c"] && next.map(\.slot) == [1])
    try queue.setWidth(0)
    let late = bench.quick("late")
    try queue.addOperation(late)
    #expect(try queue.step().isEmpty)
    #expect(try queue.step(0).isEmpty && queue.step(-1).isEmpty)
    operations[1].finish(.success(1))
    operations[2].finish(.success(1))
    try queue.setWidth(1)
    #expect(try queue.step().count == 1)
    drain(queue)
  }

  @Test("A queue that is not paused refuses steps")
  func notSuspended() throws {
    let bench = Bench()
    let queue = bench.queue()
    #expect(throws: QueueError.notSuspended(queue: "network")) { try queue.step() }
    #expect(QueueError.notSuspended(queue: "q").code == "not-suspended")
  }

  @Test("Steps respect barriers, exclusive names and held groups")
  func otherRules() throws {
    let bench = Bench()
    let queue = bench.queue(width: -1, paused: true)
    let (one, two, barrier) = (bench.held("one"), bench.held("two"), bench.held("barrier"))
    let after = bench.held("after")
    one.exclusiveNames = ["x"]
    two.exclusiveNames = ["x"]
    try queue.addOperations([one, two], waitUntilFinished: false)
    try queue.addBarrier(barrier)
    try queue.addOperation(after)
    #expect(try queue.step(9).map(\.operation.name) == ["one"])
    one.finish(.success(1))
    #expect(try queue.step(9).map(\.operation.name) == ["two"])
    two.finish(.success(1))
    let decision = try queue.step(9)
    #expect(decision.map(\.operation.name) == ["barrier"])
    #expect(decision.first?.reason == "everything added before this barrier has finished")
    barrier.finish(.success(1))
    #expect(try queue.step(9).map(\.operation.name) == ["after"])
    after.finish(.success(1))
    drain(queue)

    let (group, child) = (bench.group(), bench.held("child"))
    group.innerQueue.isSuspended = true
    try group.addOperation(child)
    #expect(try group.innerQueue.step().isEmpty)
    try group.startManually()
    #expect(try group.innerQueue.step().map(\.operation.name) == ["child"])
    child.finish(.success(1))
    finish(group)
  }

  @Test("A dependency satisfied by a step makes its dependent ready, but does not start it")
  func chain() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let operations = (0..<5).map { bench.quick("op-\($0)") }
    for index in 1..<5 { try operations[index].depend(on: operations[index - 1]) }
    try queue.addOperations(operations.reversed(), waitUntilFinished: false)
    for index in operations.indices {
      #expect(try queue.step().map(\.operation.name) == ["op-\(index)"])
      finish(operations[index])
      #expect(operations.dropFirst(index + 1).allSatisfy { $0.state != .executing })
    }
    drain(queue)
  }

  @Test("Steps follow the order in which the queue would drain at width 1", arguments: 0..<30)
  func sameOrder(seed: UInt64) throws {
    func build(_ bench: Bench) throws -> InspectableQueue {
      var random = RandomSource(seed: seed &* 31 &+ 5)
      let queue = bench.queue(width: 1, paused: true)
      let operations = (0..<25).map { bench.quick("op-\($0)") }
      for (index, operation) in operations.enumerated() {
        operation.queuePriority = [.low, .normal, .high][random.below(3)]
        if index > 0, random.below(3) == 0 {
          try operation.depend(on: operations[random.below(index)])
        }
      }
      for operation in operations {
        if random.below(6) == 0 {
          try queue.addBarrier(operation)
        } else {
          try queue.addOperation(operation)
        }
      }
      for _ in 0..<5 {
        operations[random.below(25)].queuePriority = [.veryLow, .veryHigh][random.below(2)]
      }
      return queue
    }
    let (stepped, drained) = (Bench(), Bench())
    let queue = try build(stepped)
    let predicted = queue.predictedOrder().map(\.displayName)
    while let decision = try queue.step().first {
      let operation = queue.operations.first { $0.id == decision.operation.id }
      if let operation { finish(operation) }
    }
    #expect(queue.operationCount == 0)
    let other = try build(drained)
    other.isSuspended = false
    drain(other)
    #expect(stepped.started == drained.started)
    #expect(stepped.started == predicted)
  }

  @Test("Steps from several threads start each operation once")
  func fromSeveralThreads() throws {
    let bench = Bench()
    let queue = bench.queue(width: -1, paused: true)
    let operations = (0..<200).map { bench.quick("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    let seen = Gathered<Int>()
    let step: @Sendable () -> Void = {
      while let decision = try? queue.step().first { seen.add(decision.operation.id) }
    }
    race([step, step, step])
    drain(queue)
    #expect(seen.all.sorted() == operations.map(\.id))
  }
}
