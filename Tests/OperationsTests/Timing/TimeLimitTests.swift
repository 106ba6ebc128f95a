import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct TimeLimitTests {
  @Test("An asynchronous operation fails at its time limit at once, and is interrupted")
  func concurrent() throws {
    let bench = Bench()
    let queue = bench.queue()
    let codes = Gathered<String>()
    let operation = Held(name: "a", engine: bench.engine) { result in
      if case .failure(let error) = result { codes.add(OperationFailure(error).code) }
    }
    operation.timeLimit = .milliseconds(20)
    let skipped = bench.quick("skipped")
    try skipped.depend(on: operation, policy: .skip)
    try queue.addOperations([operation, skipped], waitUntilFinished: true)
    #expect(operation.outcome?.failure?.code == "timed-out")
    #expect(operation.outcome?.failure?.message == "the operation took longer than 20 ms")
    // On a busy machine the time may be over before the work was begun.
    #expect(eventually { operation.interruptions == operation.executions })
    #expect(!operation.isCancelled)
    #expect(codes.all == ["timed-out"])
    #expect(skipped.outcome == .skipped)
    #expect(!operation.finish(.success(1)))
    let times = operation.timestamps
    #expect(try #require(times.finished) - (try #require(times.executing)) >= .milliseconds(20))
  }

  @Test("A time limit of zero ends the operation at once, and is reported as 0 s")
  func zero() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = Held(name: "a", engine: bench.engine)
    operation.timeLimit = .zero
    #expect(operation.timeLimit == .zero)
    try queue.addOperations([operation], waitUntilFinished: true)
    #expect(operation.outcome?.failure?.code == "timed-out")
    #expect(operation.outcome?.failure?.message == "the operation took longer than 0 s")
    #expect(operation.timeLimit == .zero)
    let free = bench.quick("free")
    free.timeLimit = .zero
    free.timeLimit = nil
    #expect(free.timeLimit == nil)
    try queue.addOperations([free], waitUntilFinished: true)
    #expect(free.outcome == .succeeded)
  }

  @Test("A blocking body is asked to stop at its time limit; the operation fails when it returns")
  func blocking() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (asked, gate) = (Gate(), Gate())
    let operation = BlockingOperation(name: "a", engine: bench.engine) { operation in
      if eventually({ operation.isCancelled }) { asked.open() }
      gate.pass()
      return 7
    }
    operation.timeLimit = .milliseconds(10)
    try queue.addOperation(operation)
    #expect(asked.pass())
    #expect(operation.state == .executing)
    #expect(queue.snapshot.slotHolders.count == 1)
    gate.open()
    drain(queue)
    #expect(operation.outcome?.failure?.code == "timed-out")
    #expect(operation.resultValue == nil)
  }

  @Test("A main() override is asked to stop at its time limit, also when started by hand")
  func plainMain() throws {
    let bench = Bench()
    let queue = bench.queue()
    for byHand in [false, true] {
      let box = Locked<ObservableOperation?>(nil)
      let operation = Plain(name: "a", engine: bench.engine) {
        let own = box.withLock { $0 }
        _ = eventually { own?.isCancelled == true }
      }
      box.withLock { $0 = operation }
      operation.timeLimit = .milliseconds(10)
      if byHand { operation.start() } else { try queue.addOperation(operation) }
      finish(operation)
      #expect(operation.outcome?.failure?.code == "timed-out")
      box.withLock { $0 = nil }
    }
  }

  @Test("Waiting does not count for the time limit; ending within it has no effect")
  func inTime() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let operations = (0..<3).map { bench.held("op-\($0)") }
    for operation in operations { operation.timeLimit = .seconds(3_600) }
    operations[2].timeLimit = .nanoseconds(-5)
    #expect(operations[2].timeLimit == .zero)
    operations[1].timeLimit = nil
    #expect(operations[1].timeLimit == nil)
    try queue.addOperations(operations, waitUntilFinished: false)
    let other = bench.quick("other")
    other.timeLimit = .milliseconds(1)
    try bench.queue("paused", paused: true).addOperation(other)
    queue.isSuspended = false
    #expect(operations[0].waitUntilBegun() && operations[1].waitUntilBegun())
    // It runs already, so this is too late.
    operations[1].timeLimit = .nanoseconds(1)
    #expect(operations[1].timeLimit == nil)
    operations[0].finish(.success(1))
    operations[1].finish(.success(1))
    drain(queue)
    #expect(operations[0].outcome == .succeeded && operations[1].outcome == .succeeded)
    #expect(operations[2].outcome?.failure?.code == "timed-out")
    #expect(other.state == .ready)
  }

  @Test("The longest possible time limit is safe")
  func longest() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = bench.held("a")
    operation.timeLimit = .seconds(Int64.max)
    try queue.addOperation(operation)
    #expect(operation.waitUntilBegun())
    operation.finish(.success(1))
    drain(queue)
    #expect(operation.outcome == .succeeded)
  }

  @Test("A time limit that races with a result: one outcome, one call of the handler")
  func againstResult() throws {
    for round in 0..<TestScale.count(150) {
      let bench = Bench()
      let queue = bench.queue()
      let calls = Locked(0)
      let operation = Held(name: "a", engine: bench.engine) { _ in calls.withLock { $0 += 1 } }
      operation.timeLimit = .microseconds(50 + 40 * (round % 20))
      try queue.addOperation(operation)
      for _ in 0..<(round % 13) { sched_yield() }
      operation.finish(.success(round))
      drain(queue)
      let outcome = try #require(operation.outcome)
      // Either may be first.
      if operation.resultValue == nil {
        #expect(outcome.failure?.code == "timed-out")
      } else {
        #expect(outcome == .succeeded)
      }
      #expect(calls.withLock { $0 } == 1)
      #expect(bench.finished == ["a"])
    }
  }

  @Test("An operation cancelled before its time limit ends as cancelled")
  func cancelledBefore() throws {
    // On a busy machine the limit may be over before the cancel; then the test tries again.
    for round in 1...20 {
      let bench = Bench()
      let queue = bench.queue()
      let gate = Gate()
      let body = bench.gated("body", at: gate)
      body.timeLimit = .milliseconds(20 * round)
      try queue.addOperation(body)
      body.cancel()
      // One heap has them both, so when this has ended the other's time is over as well.
      let timer = DelayOperation(duration: .milliseconds(20 * round), engine: bench.engine)
      try timer.startManually()
      finish(timer)
      gate.open()
      drain(queue)
      let times = body.timestamps
      let (start, end) = (try #require(times.executing), try #require(times.cancelled))
      guard end - start < .milliseconds(20 * round) else { continue }
      #expect(body.outcome == .cancelled)
      return
    }
    Issue.record("no round was in time")
  }

  @Test("A time limit that is not reached keeps no operation alive")
  func release() throws {
    let bench = Bench()
    let queue = bench.queue()
    let census = Census()
    do {
      for _ in 0..<20 {
        let operation = Keeping(census, engine: bench.engine)
        operation.timeLimit = .seconds(3_600)
        operation.finish(.success(1))
        try queue.addOperation(operation)
      }
      drain(queue)
    }
    #expect(eventually { census.count == 0 })
  }
}
