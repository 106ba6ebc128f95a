import Foundation
import Operations
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ExclusiveTests {
  private func held(_ bench: Bench, _ name: String, needs names: [String]) -> Held {
    let operation = bench.held(name)
    operation.exclusiveNames = names
    return operation
  }

  @Test("Only one operation with a name executes at a time; others pass the waiting ones")
  func oneAtATime() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let (one, two) = (held(bench, "one", needs: ["disk"]), held(bench, "two", needs: ["disk"]))
    let free = bench.held("free")
    try queue.addOperations([one, two, free], waitUntilFinished: false)
    #expect(one.waitUntilBegun() && free.waitUntilBegun())
    #expect(two.state == .ready)
    #expect(two.waitCodes == ["queue-full one,free", "exclusive one"])
    #expect(two.waitReasons().last?.text == "'disk' is held by 'one'")
    #expect(two.waitReasons().first?.queue?.name == "network")
    one.finish(.success(1))
    #expect(two.waitUntilBegun())
    two.finish(.success(1))
    free.finish(.success(1))
    drain(queue)
  }

  @Test("The reasons of an operation waiting for a name say which operations get it first")
  func order() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(), bench.queue("other"))
    let operations = ["a", "b", "c"].map { held(bench, $0, needs: ["disk"]) }
    let elsewhere = held(bench, "elsewhere", needs: ["disk"])
    try queue.addOperations(operations, waitUntilFinished: false)
    try other.addOperation(elsewhere)
    #expect(operations[0].waitUntilBegun())
    #expect(operations[1].waitCodes == ["exclusive a"])
    #expect(operations[2].waitCodes == ["exclusive a", "higher-priority b"])
    #expect(operations[2].waitReasons().last?.text == "'b' gets 'disk' first")
    // Between queues it is taken in turn.
    #expect(elsewhere.waitCodes == ["exclusive a"])
    for operation in operations + [elsewhere] { operation.cancel() }
    drain(queue)
    drain(other)
  }

  @Test("Exclusive names are sorted and unique, and cannot be changed after the start")
  func names() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = held(bench, "a", needs: ["b", "a", "b"])
    #expect(operation.exclusiveNames == ["a", "b"])
    try queue.addOperation(operation)
    operation.exclusiveNames = ["c"]
    #expect(operation.exclusiveNames == ["a", "b"])
    operation.finish(.success(1))
    drain(queue)
    operation.exclusiveNames = []
    #expect(operation.exclusiveNames == ["a", "b"])
  }

  @Test("A name is shared by the queues and groups of one log, not with other logs")
  func acrossQueues() throws {
    let (bench, stranger) = (Bench(), Bench())
    let (one, two) = (bench.queue("one"), bench.queue("two"))
    let holder = held(bench, "holder", needs: ["x"])
    let (other, child) = (held(bench, "other", needs: ["x"]), held(bench, "child", needs: ["x"]))
    let group = bench.group()
    try group.addOperation(child)
    try one.addOperation(holder)
    try two.addOperations([other, group], waitUntilFinished: false)
    #expect(eventually { child.waitCodes == ["exclusive holder"] }, "\(child.waitCodes)")
    #expect([other.state, child.state] == [.ready, .ready])
    #expect(child.waitReasons().first?.queue?.name == "one")
    let foreign = held(stranger, "foreign", needs: ["x"])
    try stranger.queue().addOperation(foreign)
    #expect(foreign.waitUntilBegun())
    foreign.finish(.success(1))
    for operation in [holder, other, child] {
      #expect([holder, other, child].count { $0.state == .executing } == 1)
      // Which of the two queues is next is not promised.
      let next = [holder, other, child].first { $0.state == .executing } ?? operation
      #expect(next.waitUntilBegun())
      next.finish(.success(1))
    }
    drain(one)
    drain(two)
  }

  @Test("A held name is a wait reason before the operation's turn has come too")
  func namesBeforeTurn() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let holder = held(bench, "holder", needs: ["a"])
    let (second, third) = (held(bench, "second", needs: ["a"]), held(bench, "third", needs: ["a"]))
    try third.depend(on: second)
    let free = held(bench, "free", needs: ["b"])
    try queue.addOperations([holder, second, third, free], waitUntilFinished: false)
    #expect(second.waitCodes == ["queue-full holder", "exclusive holder"])
    #expect(third.waitCodes.last == "exclusive holder")
    #expect(free.waitCodes.allSatisfy { !$0.hasPrefix("exclusive") })
    third.cancel()
    #expect(third.waitCodes.allSatisfy { !$0.hasPrefix("exclusive") })
    for operation in [holder, second, free] {
      #expect(operation.waitUntilBegun())
      operation.finish(.success(1))
    }
    drain(queue)
  }

  @Test("An operation takes all its names or none")
  func severalNames() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let (first, second) = (held(bench, "first", needs: ["a"]), held(bench, "second", needs: ["b"]))
    let both = held(bench, "both", needs: ["a", "b"])
    let late = held(bench, "late", needs: ["a"])
    try queue.addOperations([first, second, both, late], waitUntilFinished: false)
    #expect(both.waitCodes == ["exclusive first", "exclusive second"])
    first.finish(.success(1))
    // `b` is still taken: `both` does not start on `a` alone, but keeps it from the one behind it.
    #expect(late.waitCodes == ["exclusive both", "exclusive second"])
    #expect(both.waitCodes == ["exclusive second"])
    second.finish(.success(1))
    #expect(both.waitUntilBegun())
    #expect(late.state == .ready)
    both.finish(.success(1))
    #expect(late.waitUntilBegun())
    late.finish(.success(1))
    drain(queue)
  }

  @Test("A name is free after its holder ends, whatever the outcome")
  func everyEnd() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    for way in ["fails", "cancelled", "slow"] {
      let gate = Gate()
      let operation = BlockingOperation(name: way, engine: bench.engine) { operation in
        gate.pass()
        if way == "slow" { _ = eventually { operation.isCancelled } }
        throw TestError()
      }
      if way == "slow" { operation.timeLimit = .milliseconds(1) }
      operation.exclusiveNames = ["x"]
      let (next, skipped) = (held(bench, "next", needs: ["x"]), held(bench, "s", needs: ["x"]))
      try skipped.depend(on: operation, policy: .skip)
      try queue.addOperations([operation, skipped, next], waitUntilFinished: false)
      if way == "cancelled" { operation.cancel() }
      gate.open()
      #expect(next.waitUntilBegun())
      #expect(skipped.outcome == .skipped)
      next.finish(.success(1))
      drain(queue)
    }
  }

  @Test("An operation cancelled while it waits for a name ends at once and wakes no other")
  func cancelledWhileWaiting() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let operations = ["a", "b", "c"].map { held(bench, $0, needs: ["x"]) }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(operations[0].waitUntilBegun())
    operations[1].cancel()
    finish(operations[1])
    #expect(operations[1].outcome == .cancelled && operations[1].executions == 0)
    #expect(operations[2].state == .ready)
    operations[0].finish(.success(1))
    #expect(operations[2].waitUntilBegun())
    operations[2].finish(.success(1))
    drain(queue)
  }

  @Test("A change of priority while waiting for a name changes which operation gets it")
  func priorityWhileWaiting() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let operations = ["a", "b", "c", "d"].map { held(bench, $0, needs: ["x"]) }
    try queue.addOperations(operations, waitUntilFinished: false)
    operations[3].queuePriority = .high
    operations[1].queuePriority = .low
    #expect(operations[3].waitCodes == ["exclusive a"])
    for index in [0, 3, 2, 1] {
      #expect(operations[index].waitUntilBegun())
      operations[index].finish(.success(1))
    }
    drain(queue)
    #expect(bench.started == ["a", "d", "c", "b"])
  }

  @Test("Changed exclusive names apply at once to a waiting operation")
  func namesWhileWaiting() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let operations = ["a", "b", "c"].map { held(bench, $0, needs: ["x"]) }
    try queue.addOperations(operations, waitUntilFinished: false)
    operations[1].exclusiveNames = ["y"]
    #expect(operations[1].waitUntilBegun())
    operations[2].exclusiveNames = ["y"]
    #expect(operations[2].waitCodes == ["exclusive b"])
    operations[2].exclusiveNames = []
    #expect(operations[2].waitUntilBegun())
    for operation in operations { operation.finish(.success(1)) }
    drain(queue)
  }

  @Test("A new dependency of an operation waiting for a name lets the next one have the name")
  func dependencyWhileWaiting() throws {
    for wayOfWaiting in ["waiting", "full"] {
      let bench = Bench()
      let queue = bench.queue(width: 3)
      let filler = bench.held("filler")
      let operations = ["a", "b", "c"].map { held(bench, $0, needs: ["x"]) }
      try queue.addOperations(operations, waitUntilFinished: false)
      #expect(operations[0].waitUntilBegun())
      if wayOfWaiting == "full" {
        // `b` gets its turn at the name, but no slot to use it with.
        try queue.setWidth(1)
        filler.queuePriority = .veryHigh
        try queue.addOperation(filler)
        operations[0].finish(.success(1))
        #expect(filler.waitUntilBegun())
      }
      try operations[1].depend(on: operations[2])
      if wayOfWaiting == "full" { try queue.setWidth(3) } else { operations[0].finish(.success(1)) }
      #expect(operations[2].waitUntilBegun(), "\(operations.map(\.waitCodes))")
      operations[2].finish(.success(1))
      #expect(operations[1].waitUntilBegun())
      operations[1].finish(.success(1))
      filler.finish(.success(1))
      drain(queue)
    }
  }

  @Test("A paused queue with the next candidate does not block the name for other queues")
  func pausedQueue() throws {
    let bench = Bench()
    let (paused, open) = (bench.queue("paused"), bench.queue("open"))
    let holder = held(bench, "holder", needs: ["x"])
    let candidates = (0..<3).map { held(bench, "p-\($0)", needs: ["x"]) }
    let others = (0..<3).map { held(bench, "o-\($0)", needs: ["x"]) }
    try open.addOperation(holder)
    try paused.addOperations(candidates, waitUntilFinished: false)
    #expect(candidates[0].waitCodes == ["exclusive holder"])
    paused.isSuspended = true
    try open.addOperations(others, waitUntilFinished: false)
    holder.finish(.success(1))
    for other in others {
      #expect(other.waitUntilBegun())
      other.finish(.success(1))
    }
    drain(open)
    #expect(candidates.allSatisfy { $0.state == .ready })
    paused.isSuspended = false
    for candidate in candidates {
      #expect(candidate.waitUntilBegun())
      candidate.finish(.success(1))
    }
    drain(paused)
  }

  @Test("Queues that need the same name get it in the order of adding")
  func fairness() throws {
    let bench = Bench()
    let queues = (0..<3).map { bench.queue("q-\($0)", width: 2) }
    let gate = held(bench, "gate", needs: ["x"])
    let door = bench.queue("door")
    try door.addOperation(gate)
    var added: [String] = []
    for index in 0..<20 {
      for queue in queues {
        let operation = Quick(name: "\(queue.name)/\(index)", engine: bench.engine)
        operation.exclusiveNames = ["x"]
        added.append(operation.displayName)
        try queue.addOperation(operation)
      }
    }
    #expect(gate.waitUntilBegun())
    gate.finish(.success(1))
    for queue in queues { drain(queue) }
    #expect(Array(bench.started.dropFirst()) == added)
  }

  @Test("An operation started by hand waits for held names and holds its own")
  func startedByHand() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (holder, byHand) = (held(bench, "holder", needs: ["x"]), held(bench, "hand", needs: ["x"]))
    let waiting = held(bench, "waiting", needs: ["x"])
    try queue.addOperation(holder)
    #expect(holder.waitUntilBegun())
    #expect(throws: OperationError.notReady(name: "hand", waitsFor: ["holder"])) {
      try byHand.startManually()
    }
    #expect(byHand.state == .created)
    holder.finish(.success(1))
    finish(holder)
    try byHand.startManually()
    try queue.addOperation(waiting)
    #expect(waiting.waitCodes == ["exclusive hand"])
    byHand.finish(.success(1))
    #expect(waiting.waitUntilBegun())
    waiting.finish(.success(1))
    drain(queue)
  }

  @Test("A barrier waiting for a name blocks later operations until it has run")
  func barrier() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(), bench.queue("other"))
    let (holder, barrier) = (held(bench, "holder", needs: ["x"]), held(bench, "b", needs: ["x"]))
    let after = bench.held("after")
    try other.addOperation(holder)
    try queue.addBarrier(barrier)
    try queue.addOperation(after)
    #expect(after.waitCodes == ["barrier b", "exclusive holder"])
    holder.finish(.success(1))
    #expect(barrier.waitUntilBegun())
    barrier.finish(.success(1))
    #expect(after.waitUntilBegun())
    after.finish(.success(1))
    drain(queue)
  }

  @Test("When two names become free at once, the best-ranked waiting operation starts first")
  func twoNamesAtOnce() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let both = bench.held("both")
    both.exclusiveNames = ["a", "b"]
    try queue.addOperation(both)
    // They have to have tried and wait outside the order of starting, for which there must be room.
    queue.maxConcurrentOperationCount = 2
    for (name, needed, level) in [("high", "a", 4), ("normal", "b", 0), ("low", "", -4)] {
      let operation = bench.quick(name)
      operation.queuePriority = try #require(.init(rawValue: level))
      operation.exclusiveNames = needed.isEmpty ? [] : [needed]
      if needed.isEmpty { queue.maxConcurrentOperationCount = 1 }
      try queue.addOperation(operation)
    }
    both.finish(.success(1))
    drain(queue)
    #expect(bench.started == ["both", "high", "normal", "low"])
  }

  @Test("A name reserved for a full queue starts lower-ranked operations elsewhere")
  func reservedForFullQueue() throws {
    let bench = Bench()
    let (one, two) = (bench.queue("one", width: 2), bench.queue("two", width: 2))
    let (holder, filling) = (bench.held("holder"), bench.held("filling"))
    holder.exclusiveNames = ["a"]
    try one.addOperation(holder)
    for (queue, name) in [(two, "other"), (one, "high")] {
      let waiting = bench.quick(name)
      waiting.exclusiveNames = ["a"]
      waiting.queuePriority = .high
      try queue.addOperation(waiting)
    }
    two.maxConcurrentOperationCount = 1
    try two.addOperation(filling)
    one.maxConcurrentOperationCount = 1
    let low = bench.quick("low")
    low.queuePriority = .low
    try one.addOperation(low)
    holder.finish(.success(1))
    low.waitUntilFinished()
    // The slot of `two` will be free, and then `other` is first.
    #expect(bench.started == ["holder", "filling", "low"])
    filling.finish(.success(1))
    drain(two)
    drain(one)
    #expect(bench.started == ["holder", "filling", "low", "other", "high"])
  }
}
