import Foundation
import Operations
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct BarrierTests {
  @Test(
    "Earlier operations finish before a barrier starts, later ones start after it, at any priority")
  func order() throws {
    let bench = Bench()
    let queue = bench.queue(width: 8, paused: true)
    let (low, barrier, high) = (bench.held("low"), bench.held("barrier"), bench.held("high"))
    low.queuePriority = .veryLow
    barrier.queuePriority = .veryLow
    high.queuePriority = .veryHigh
    try queue.addOperation(low)
    try queue.addBarrier(barrier)
    try queue.addOperation(high)
    #expect(barrier.isBarrier && !high.isBarrier)
    #expect(queue.predictedOrder().map(\.displayName) == ["low", "barrier", "high"])
    queue.isSuspended = false
    #expect(low.waitUntilBegun())
    #expect([low, barrier, high].map(\.state) == [.executing, .ready, .ready])
    #expect(barrier.waitCodes == ["barrier low"])
    #expect(high.waitCodes == ["barrier barrier", "barrier low"])
    #expect(
      high.waitReasons().map(\.text) == [
        "comes after barrier 'barrier'", "barrier 'barrier' waits for 'low', added before it",
      ])
    low.finish(.success(1))
    #expect(barrier.waitUntilBegun())
    #expect(high.state == .ready)
    #expect(high.waitCodes == ["barrier barrier"])
    #expect(queue.operationCount == 2)
    barrier.finish(.success(1))
    #expect(high.waitUntilBegun())
    high.finish(.success(1))
    drain(queue)
    #expect(bench.started == ["low", "barrier", "high"])
  }

  @Test("On an empty queue a barrier is an operation like any other")
  func emptyQueue() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (ran, paused) = (Gathered<Int>(), bench.queue("paused", paused: true))
    queue.addBarrierBlock { ran.add(1) }
    drain(queue)
    #expect(ran.all == [1])
    #expect(bench.entries.first?.operation.name == "barrier-1")
    paused.addBarrierBlock { ran.add(2) }
    #expect(paused.operationCount == 1)
    #expect(paused.operations.first?.waitCodes == ["queue-paused paused"])
    #expect(!paused.waitUntilAllOperationsAreFinished(timeout: .milliseconds(20)))
    paused.isSuspended = false
    drain(paused)
    #expect(ran.all == [1, 2])
  }

  @Test("Width 0 holds a barrier, and a barrier takes a slot")
  func widthZero() throws {
    let bench = Bench()
    let queue = bench.queue(width: 0)
    let (barrier, after) = (bench.held("barrier"), bench.held("after"))
    try queue.addBarrier(barrier)
    try queue.addOperation(after)
    #expect(barrier.waitCodes == ["width-zero network"])
    #expect(after.waitCodes == ["barrier barrier", "width-zero network"])
    try queue.setWidth(2)
    #expect(barrier.waitUntilBegun())
    #expect(queue.snapshot.slotHolders.map(\.operation.name) == ["barrier"])
    barrier.finish(.success(1))
    #expect(after.waitUntilBegun())
    after.finish(.success(1))
    drain(queue)
  }

  @Test("Several barriers, next to each other and not, keep their order")
  func several() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4, paused: true)
    for index in 0..<4 {
      try queue.addOperation(bench.quick("a-\(index)"))
      try queue.addBarrier(bench.quick("b-\(index)"))
      try queue.addBarrier(bench.quick("c-\(index)"))
    }
    let last = bench.quick("last")
    try queue.addOperation(last)
    #expect(last.waitCodes.suffix(2) == ["barrier a-0", "queue-paused network"])
    queue.isSuspended = false
    drain(queue)
    #expect(
      bench.started
        == (0..<4).flatMap { ["a-\($0)", "b-\($0)", "c-\($0)"] } + ["last"])
  }

  @Test("A barrier waits for its dependencies, and what comes after it waits too")
  func dependencies() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(), bench.queue("other"))
    let (elsewhere, barrier, after) = (
      bench.held("e"), bench.quick("barrier"), bench.quick("after")
    )
    try barrier.depend(on: elsewhere)
    try queue.addBarrier(barrier)
    try queue.addOperation(after)
    try other.addOperation(elsewhere)
    #expect(elsewhere.waitUntilBegun())
    #expect(barrier.state == .pending && after.state == .ready)
    #expect(after.waitCodes == ["barrier barrier", "dependency e"])
    #expect(queue.predictedOrder().map(\.displayName) == ["barrier", "after"])
    elsewhere.finish(.success(1))
    drain(queue)
    #expect(bench.started == ["e", "barrier", "after"])
  }

  @Test("A cancelled barrier ends in its turn without running; later operations then start")
  func cancelled() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let (before, barrier, after) = (
      bench.held("before"), bench.held("barrier"), bench.held("after")
    )
    try queue.addOperation(before)
    try queue.addBarrier(barrier)
    try queue.addOperation(after)
    barrier.cancel()
    #expect(barrier.state == .ready && after.state == .ready)
    before.finish(.success(1))
    #expect(after.waitUntilBegun())
    #expect(barrier.outcome == .cancelled && barrier.executions == 0)
    after.finish(.success(1))
    drain(queue)
    #expect(bench.finished == ["before", "barrier", "after"])
  }

  @Test("A cancelled operation after a barrier ends after it; cancelling all keeps the order")
  func cancelledBehind() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let (before, barrier, after) = (
      bench.held("before"), bench.held("barrier"), bench.held("after")
    )
    try queue.addOperation(before)
    try queue.addBarrier(barrier)
    try queue.addOperation(after)
    after.cancel()
    #expect(after.waitCodes == ["barrier barrier", "barrier before"])
    #expect(before.waitUntilBegun())
    queue.cancelAllOperations()
    drain(queue)
    #expect(bench.finished == ["before", "barrier", "after"])
    #expect(bench.started == ["before"])
  }

  @Test("A barrier that is skipped out of turn no longer blocks later operations")
  func skippedOutOfTurn() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(width: 3), bench.queue("other"))
    let gone = bench.held("gone")
    let (before, late) = (bench.held("before"), bench.held("late"))
    let (barrier, second) = (bench.quick("barrier"), bench.quick("second"))
    let after = ["after-1", "after-2"].map { bench.held($0) }
    try barrier.depend(on: gone, policy: .skip)
    try late.depend(on: gone)
    try other.addOperation(gone)
    try queue.addOperations([before, late], waitUntilFinished: false)
    try queue.addBarrier(barrier)
    try queue.addOperations(after, waitUntilFinished: false)
    try queue.addBarrier(second)
    after[1].queuePriority = .high
    #expect(before.waitUntilBegun() && gone.waitUntilBegun())
    #expect(after[0].state == .ready)
    gone.finish(.failure(TestError()))
    #expect(barrier.outcome == .skipped)
    // Three slots: one was taken; `after-2` has the higher priority, `late` was added before.
    #expect(after[1].waitUntilBegun() && late.waitUntilBegun())
    #expect(after[0].waitCodes == ["queue-full before,after-2,late"])
    #expect(second.waitCodes.first == "barrier before,late,after-1,after-2")
    for operation in [before, late, after[1]] { operation.finish(.success(1)) }
    #expect(after[0].waitUntilBegun())
    #expect(second.state == .ready)
    after[0].finish(.success(1))
    drain(queue)
    #expect(bench.finished.last == "second")
  }

  @Test("Skipped barriers in a row, the last one included, leave the queue as it was")
  func manySkipped() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(width: 1), bench.queue("other"))
    let (gone, blocker) = (bench.held("gone"), bench.held("blocker"))
    try other.addOperation(gone)
    try queue.addOperation(blocker)
    for index in 0..<5 {
      let barrier = bench.quick("b-\(index)")
      try barrier.depend(on: gone, policy: .skip)
      try queue.addBarrier(barrier)
      if index != 2, index != 4 { try queue.addOperation(bench.quick("op-\(index)")) }
    }
    gone.finish(.failure(TestError()))
    let urgent = bench.quick("urgent")
    urgent.queuePriority = .high
    try queue.addOperation(urgent)
    let real = bench.quick("real")
    try queue.addBarrier(real)
    try queue.addOperation(bench.quick("end"))
    #expect(
      queue.predictedOrder().map(\.displayName) == [
        "blocker", "urgent", "op-0", "op-1", "op-3", "real", "end",
      ])
    blocker.finish(.success(1))
    drain(queue)
    #expect(
      bench.started == ["gone", "blocker", "urgent", "op-0", "op-1", "op-3", "real", "end"])
  }

  @Test("A change of priority does not move an operation across a barrier")
  func priorityChange() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let operations = ["a", "b", "c", "d"].map { bench.quick($0) }
    let barrier = bench.quick("barrier")
    try queue.addOperations(Array(operations[..<2]), waitUntilFinished: false)
    try queue.addBarrier(barrier)
    try queue.addOperations(Array(operations[2...]), waitUntilFinished: false)
    operations[3].queuePriority = .veryHigh
    operations[0].queuePriority = .veryLow
    barrier.queuePriority = .low
    barrier.queuePriority = .veryHigh
    let expected = ["b", "a", "barrier", "d", "c"]
    #expect(queue.predictedOrder().map(\.displayName) == expected)
    queue.isSuspended = false
    drain(queue)
    #expect(bench.started == expected)
  }

  @Test("An operation with an unmet dependency is predicted last, with the barrier it blocks")
  func prediction() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let (never, stuck) = (bench.held("never"), bench.quick("stuck"))
    try stuck.depend(on: never)
    let free = bench.quick("free")
    try queue.addOperations([stuck, free], waitUntilFinished: false)
    try queue.addBarrier(bench.quick("barrier"))
    try queue.addOperation(bench.quick("after"))
    #expect(
      queue.predictedOrder().map(\.displayName) == ["free", "stuck", "barrier", "after"])
    #expect(queue.operations.last?.waitCodes.contains("dependency never") == true)
    queue.cancelAllOperations()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("A barrier works inside a group")
  func inGroup() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group()
    let (before, barrier, after) = (
      bench.held("before"), bench.quick("barrier"), bench.quick("after")
    )
    try group.addOperation(before)
    try group.innerQueue.addBarrier(barrier)
    try group.addOperation(after)
    try queue.addOperation(group)
    #expect(before.waitUntilBegun())
    #expect(after.state == .ready)
    before.finish(.success(1))
    drain(queue)
    #expect(bench.finished == ["before", "barrier", "after", "group"])
  }

  @Test("A group can be a barrier")
  func groupAsBarrier() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let (before, group) = (bench.held("before"), bench.group())
    let (child, after) = (bench.held("child"), bench.quick("after"))
    try group.addOperation(child)
    try queue.addOperation(before)
    try queue.addBarrier(group)
    try queue.addOperation(after)
    before.finish(.success(1))
    #expect(child.waitUntilBegun())
    #expect(after.waitCodes == ["barrier group"])
    child.finish(.success(1))
    drain(queue)
    #expect(bench.finished == ["before", "child", "group", "after"])
  }

  @Test("A cycle through a barrier is reported as a deadlock; cancelling breaks it")
  func deadlock() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let (barrier, after, third) = (
      bench.quick("barrier"), bench.quick("after"), bench.quick("third")
    )
    try barrier.depend(on: after)
    try queue.addBarrier(barrier)
    try queue.addOperations([after, third], waitUntilFinished: false)
    for operation in [barrier, after] {
      let reasons = operation.waitReasons()
      #expect(reasons.map(\.code).contains(.deadlock), "\(operation.waitCodes)")
    }
    #expect(
      after.waitReasons().first { $0.code == .deadlock }?.text
        == "'barrier' waits for 'after', so neither will ever finish")
    // It waits for the two without being one of them: that they never end is its root.
    #expect(
      third.waitReasons().last?.text == "'after' waits for 'barrier', so neither will ever finish")
    barrier.cancel()
    drain(queue)
    #expect(after.outcome == .succeeded && third.outcome == .succeeded)
  }

  @Test("A refused operation does not become a barrier; an added barrier stays one")
  func refused() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(paused: true), bench.queue("other", paused: true))
    let operation = bench.quick("a")
    try queue.addOperation(operation)
    #expect(throws: QueueError.alreadyOnQueue(name: "a", queue: "network")) {
      try other.addBarrier(operation)
    }
    #expect(!operation.isBarrier)
    let stranger = Quick(name: "s", engine: OperationEngine())
    #expect(throws: QueueError.differentLogs(name: "s", queue: "network")) {
      try queue.addBarrier(stranger)
    }
    #expect(!stranger.isBarrier)
    let barrier = bench.quick("b")
    try queue.addBarrier(barrier)
    #expect(throws: QueueError.self) { try other.addBarrier(barrier) }
    #expect(barrier.isBarrier)
    queue.isSuspended = false
    drain(queue)
    #expect(barrier.isBarrier && barrier.outcome == .succeeded)
    #expect(throws: QueueError.finished(name: "b")) { try other.addBarrier(barrier) }
  }

  @Test("A barrier added to two queues at once ends up on exactly one")
  func twoQueues() throws {
    for _ in 0..<TestScale.count(300) {
      let bench = Bench()
      let (one, two) = (bench.queue("one"), bench.queue("two"))
      let operation = bench.quick("a")
      race([
        { try? one.addBarrier(operation) },
        { try? two.addBarrier(operation) },
        { try? two.addOperation(operation) },
      ])
      for queue in [one, two] {
        try queue.addOperation(bench.quick("next"))
        drain(queue)
      }
      #expect(operation.outcome == .succeeded)
      #expect(bench.started.count == 3)
    }
  }

  @Test("Ten thousand barriers drain, with operations between them")
  func many() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2, paused: true)
    let count = TestScale.count(10_000)
    for _ in 0..<count {
      try queue.addOperation(Quick(engine: bench.engine))
      try queue.addBarrier(Quick(engine: bench.engine))
    }
    let last = try #require(queue.operations.last)
    #expect(last.waitReasons().count <= 64)
    queue.isSuspended = false
    drain(queue)
    #expect(queue.snapshot.finished == 2 * count)
  }
}
