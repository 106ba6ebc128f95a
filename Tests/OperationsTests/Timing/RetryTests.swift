import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct RetryTests {
  /// An asynchronous operation of which each attempt ends when the test says so.
  private final class Attempted: ConcurrentOperation<Int>, @unchecked Sendable {
    // @unchecked because the superclass is; what this class adds is locked.
    private let counts = Locked((begun: 0, interrupted: 0))

    override func execute() { counts.withLock { $0.begun += 1 } }
    override func cancelExecution() { counts.withLock { $0.interrupted += 1 } }

    var begun: Int { counts.withLock { $0.begun } }
    var interrupted: Int { counts.withLock { $0.interrupted } }

    func waitUntilBegun(_ attempt: Int) -> Bool { eventually { begun >= attempt } }
  }

  private let atOnce = RetryPolicy(limit: 3, backoff: .zero)
  private let never = RetryPolicy(
    limit: 3, backoff: .seconds(3_600), longestBackoff: .seconds(9_999))

  @Test("A delay that records attempts itself still ends")
  func notedByDelay() throws {
    let bench = Bench()
    let delay = DelayOperation(duration: .milliseconds(20), engine: bench.engine)
    try bench.queue().addOperation(delay)
    delay.noteAttempt(reason: "again")
    finish(delay)
    #expect(delay.outcome == .succeeded)
  }

  @Test("Attempts are logged while executing, and the operation keeps its slot")
  func insideExecuting() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (operation, next) = (Attempted(name: "a", engine: bench.engine), bench.quick("next"))
    operation.retryPolicy = atOnce
    try queue.addOperations([operation, next], waitUntilFinished: false)
    for attempt in 1...3 {
      #expect(operation.waitUntilBegun(attempt))
      #expect(operation.attempts == attempt)
      #expect(operation.state == .executing && operation.isExecuting)
      #expect(queue.snapshot.slotHolders.map(\.operation.name) == ["a"])
      #expect(next.state == .ready)
      if attempt < 3 { #expect(operation.finish(.failure(TestError()))) }
    }
    #expect(operation.finish(.success(7)))
    drain(queue)
    #expect(operation.outcome == .succeeded && operation.resultValue as? Int == 7)
    #expect(
      bench.life("a") == [
        "created-pending", "pending-ready", "ready-executing", "executing-finished",
      ])
    #expect(
      bench.attemptEntries("a") == [
        "attempt 2 of 4 after broken", "attempt 3 of 4 after broken",
      ])
    for entry in bench.entries where entry.event == .attempt {
      #expect(entry.from == .executing && entry.to == .executing)
    }
  }

  @Test("After the last attempt the operation fails", arguments: [0, 1, 4, -1])
  func limit(_ limit: Int) throws {
    let bench = Bench()
    let queue = bench.queue()
    let calls = Locked(0)
    let operation = BlockingOperation(name: "a", engine: bench.engine) { operation in
      calls.withLock { $0 += 1 }
      throw TestError(message: "attempt \(operation.attempts)")
    }
    operation.retryPolicy = RetryPolicy(limit: limit, backoff: .zero)
    try queue.addOperations([operation], waitUntilFinished: true)
    let count = max(limit, 0) + 1
    #expect(calls.withLock { $0 } == count)
    #expect(operation.attempts == count)
    #expect(operation.outcome?.failure?.message == "attempt \(count)")
    #expect(bench.attemptEntries("a").count == count - 1)
  }

  @Test("Only failures that the policy accepts are retried")
  func filter() throws {
    let bench = Bench()
    let queue = bench.queue()
    let policy = RetryPolicy(limit: 9, backoff: .zero) { $0.code == "busy" }
    let blocking = BlockingOperation(name: "b", engine: bench.engine) { operation in
      throw TestError(code: operation.attempts < 3 ? "busy" : "broken")
    }
    blocking.retryPolicy = policy
    let concurrent = Attempted(name: "c", engine: bench.engine)
    concurrent.retryPolicy = policy
    try queue.addOperations([blocking, concurrent], waitUntilFinished: false)
    #expect(concurrent.waitUntilBegun(1))
    concurrent.finish(.failure(TestError(code: "busy")))
    #expect(concurrent.waitUntilBegun(2))
    concurrent.finish(.failure(TestError(code: "broken")))
    drain(queue)
    #expect(blocking.attempts == 3 && concurrent.attempts == 2)
    #expect(blocking.outcome?.failure?.code == "broken")
    #expect(concurrent.outcome?.failure?.code == "broken")
  }

  @Test("The pause between attempts is at least the backoff of the policy")
  func backoff() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = BlockingOperation(name: "a", engine: bench.engine) { _ in throw TestError() }
    operation.retryPolicy = RetryPolicy(limit: 2, backoff: .milliseconds(10), factor: 2)
    try queue.addOperations([operation], waitUntilFinished: true)
    let times = bench.entries.filter { $0.event == .attempt || $0.from == .ready }.map(\.time)
    #expect(times.count == 3)
    #expect(times[1] - times[0] >= .milliseconds(10))
    #expect(times[2] - times[1] >= .milliseconds(20))
    #expect(bench.attemptEntries("a").last == "attempt 3 of 3 after broken and a pause of 20 ms")
  }

  @Test("Cancelling between two attempts ends an operation of any kind at once")
  func cancelBetween() throws {
    let bench = Bench()
    let queue = bench.queue()
    let census = Census()
    let concurrent = Attempted(name: "c", engine: bench.engine)
    let blocking: BlockingOperation
    do {
      let resident = census.resident()
      blocking = BlockingOperation(name: "b", engine: bench.engine) { _ in
        withExtendedLifetime(resident) {}
        throw TestError()
      }
    }
    for operation in [concurrent, blocking] { operation.retryPolicy = never }
    try queue.addOperations([concurrent, blocking], waitUntilFinished: false)
    #expect(concurrent.waitUntilBegun(1))
    #expect(concurrent.finish(.failure(TestError())))
    for operation in [concurrent, blocking] {
      // The body may still be about to fail; then it is asked to stop, and does not begin again.
      operation.cancel()
      finish(operation)
      #expect(operation.outcome == .cancelled)
      #expect(operation.attempts == 1)
    }
    // Nothing was under way that could have been interrupted.
    #expect(concurrent.interrupted == 0)
    #expect(eventually { census.count == 0 })
    drain(queue)
  }

  @Test("A result between two attempts is ignored")
  func lateResult() throws {
    let bench = Bench()
    let queue = bench.queue()
    let results = Gathered<Bool>()
    let operation = Attempted(name: "a", engine: bench.engine) { _ in results.add(true) }
    operation.retryPolicy = RetryPolicy(limit: 1, backoff: .seconds(5))
    try queue.addOperation(operation)
    #expect(operation.waitUntilBegun(1))
    #expect(operation.finish(.failure(TestError())))
    #expect(!operation.finish(.success(1)))
    #expect(!operation.finish(.failure(TestError())))
    #expect(operation.state == .executing && results.all.isEmpty)
    #expect(operation.waitUntilBegun(2))
    #expect(operation.finish(.success(2)))
    drain(queue)
    #expect(operation.resultValue as? Int == 2)
    #expect(results.all == [true])
  }

  @Test("Many concurrent failures end only one attempt")
  func failuresAtOnce() throws {
    for _ in 0..<TestScale.count(150) {
      let bench = Bench()
      let queue = bench.queue()
      let operation = Attempted(name: "a", engine: bench.engine)
      operation.retryPolicy = RetryPolicy(limit: 1, backoff: .seconds(60))
      try queue.addOperation(operation)
      #expect(operation.waitUntilBegun(1))
      let accepted = Locked(0)
      let fail: @Sendable () -> Void = {
        if operation.finish(.failure(TestError())) { accepted.withLock { $0 += 1 } }
      }
      race([fail, fail, fail])
      #expect(accepted.withLock { $0 } == 1)
      #expect(operation.state == .executing)
      operation.cancel()
      drain(queue)
    }
  }

  @Test("Cancel races with failure and retry: one end, and no body runs afterwards")
  func cancelRace() throws {
    for round in 0..<TestScale.count(300) {
      let bench = Bench()
      let queue = bench.queue()
      let inside = Locked(0)
      let lateBodies = Locked(0)
      let operation = BlockingOperation(name: "a", engine: bench.engine) { operation in
        if operation.isFinished { lateBodies.withLock { $0 += 1 } }
        inside.withLock { $0 += 1 }
        defer { inside.withLock { $0 -= 1 } }
        throw TestError()
      }
      operation.retryPolicy = RetryPolicy(limit: .max, backoff: .zero)
      try queue.addOperation(operation)
      let spins = round % 7
      race([
        {
          for _ in 0..<(spins * 50) { sched_yield() }
          operation.cancel()
        }
      ])
      drain(queue)
      #expect(operation.outcome == .cancelled)
      #expect(lateBodies.withLock { $0 } == 0)
      #expect(inside.withLock { $0 } == 0, "a body runs although its operation has finished")
      #expect(bench.finished == ["a"])
    }
  }

  @Test("A time limit covers all attempts together, and does not end a pause between them")
  func timeLimitAcross() throws {
    let bench = Bench()
    let queue = bench.queue()
    let blocking = BlockingOperation(name: "b", engine: bench.engine) { _ in throw TestError() }
    let concurrent = Attempted(name: "c", engine: bench.engine)
    for operation in [blocking, concurrent] {
      operation.retryPolicy = RetryPolicy(limit: .max, backoff: .milliseconds(4), factor: 1)
      operation.timeLimit = .seconds(6)
    }
    let waiting = BlockingOperation(name: "w", engine: bench.engine) { _ in throw TestError() }
    waiting.retryPolicy = never
    waiting.timeLimit = .seconds(60)
    try queue.setWidth(3)
    try queue.addOperations([blocking, concurrent, waiting], waitUntilFinished: false)
    #expect(concurrent.waitUntilBegun(1))
    while concurrent.state != .finished {
      concurrent.finish(.failure(TestError()))
      usleep(1_000)
    }
    drain(queue)
    for operation in [blocking, concurrent] {
      let times = operation.timestamps
      let spent = try #require(times.finished) - (try #require(times.executing))
      // When the time is over is a race: in an attempt, or after a failure so late that no pause
      // fits into the rest.
      switch operation.outcome?.failure?.code {
      case "timed-out": #expect(spent >= .seconds(6), "\(operation.displayName)")
      case "broken": #expect(spent >= .milliseconds(5_996), "\(operation.displayName)")
      case let code: Issue.record("\(operation.displayName): \(code ?? "no failure")")
      }
      #expect(operation.attempts > 1)
    }
    // No attempt would have followed in its time: the failure is told at once.
    #expect(waiting.outcome?.failure?.code == "broken" && waiting.attempts == 1)
    #expect(
      bench.entries.last { $0.operation.name == "w" }?.reason
        == "broken: it broke; no attempt 2 of 4: a pause of 1 h 0 min does not fit into the time limit"
    )
  }

  @Test("A failure between two attempts ends neither the pause nor the next attempt")
  func failureBetweenAttempts() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = Attempted(name: "c", engine: bench.engine)
    operation.retryPolicy = RetryPolicy(limit: .max, backoff: .microseconds(200), factor: 1)
    try queue.addOperation(operation)
    #expect(operation.waitUntilBegun(1))
    // Without a pause between the calls, so that some of them meet the begin of an attempt.
    let attempts = TestScale.count(2_000)
    let deadline = ContinuousClock.now + .seconds(60)
    while operation.begun < attempts, operation.state == .executing, ContinuousClock.now < deadline
    {
      operation.finish(.failure(TestError()))
    }
    #expect(operation.state == .executing)
    #expect(eventually { operation.finish(.success(1)) })
    finish(operation)
    #expect(operation.outcome == .succeeded)
  }

  @Test("A time limit can end a later attempt")
  func timeLimitInAttempt() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = Attempted(name: "c", engine: bench.engine)
    operation.retryPolicy = atOnce
    operation.timeLimit = .seconds(6)
    try queue.addOperation(operation)
    #expect(operation.waitUntilBegun(1))
    operation.finish(.failure(TestError()))
    finish(operation)
    #expect(operation.outcome?.failure?.code == "timed-out" && operation.attempts == 2)
    let times = operation.timestamps
    #expect(try #require(times.finished) - (try #require(times.executing)) >= .seconds(6))
  }

  @Test("A blocking body is retried on another thread, with its operation as the current one")
  func furtherThread() throws {
    let bench = Bench()
    let queue = bench.queue()
    let seen = Gathered<Bool>()
    let operation = BlockingOperation(name: "a", engine: bench.engine) { operation in
      seen.add(ObservableOperation.current === operation)
      if operation.attempts < 4 { throw TestError() }
      return "done"
    }
    operation.retryPolicy = atOnce
    try queue.addOperations([operation], waitUntilFinished: true)
    #expect(seen.all == [true, true, true, true])
    #expect(operation.resultValue as? String == "done")
  }

  @Test("An operation started by hand is retried too, and does not delay the timers")
  func startedByHand() throws {
    let bench = Bench()
    let gate = Gate()
    let blocking = BlockingOperation(name: "b", engine: bench.engine) { operation in
      if operation.attempts < 3 { throw TestError() }
      return nil
    }
    let slow = Slow(engine: bench.engine, gate)
    for operation in [blocking, slow] {
      operation.retryPolicy = atOnce
      try operation.startManually()
    }
    finish(blocking)
    #expect(blocking.outcome == .succeeded && blocking.attempts == 3)
    // The second attempt of the other one sits in `execute()`; delays must end all the same.
    #expect(eventually { slow.attempts == 2 })
    let delay = DelayOperation(duration: .milliseconds(1), engine: bench.engine)
    try delay.startManually()
    finish(delay)
    gate.open()
    finish(slow)
    #expect(slow.outcome == .succeeded)
  }

  /// Fails at first, and then works inside of `execute()`.
  private final class Slow: ConcurrentOperation<Int>, @unchecked Sendable {
    // @unchecked because the superclass is; what this class adds is constant.
    private let gate: Gate

    init(engine: OperationEngine, _ gate: Gate) {
      self.gate = gate
      super.init(name: "slow", engine: engine)
    }

    override func execute() {
      if attempts < 2 {
        finish(.failure(TestError()))
      } else {
        finish(gate.pass() ? .success(1) : .failure(TestError()))
      }
    }
  }

  @Test("A result given before the start is final, whatever the retry policy")
  func earlyFailure() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = Attempted(name: "a", engine: bench.engine)
    operation.retryPolicy = atOnce
    operation.finish(.failure(TestError()))
    try queue.addOperations([operation], waitUntilFinished: true)
    #expect(operation.outcome?.failure?.code == "broken")
    #expect(operation.begun == 0)
  }

  @Test("A retry policy and the captures of its filter are released with the operation")
  func release() throws {
    let bench = Bench()
    let queue = bench.queue()
    let census = Census()
    do {
      let resident = census.resident()
      let operation = BlockingOperation(name: "a", engine: bench.engine) { _ in throw TestError() }
      operation.retryPolicy = RetryPolicy(limit: 3, backoff: .zero) { _ in
        withExtendedLifetime(resident) {}
        return true
      }
      try queue.addOperations([operation], waitUntilFinished: true)
      let replaced = census.resident()
      operation.retryPolicy = RetryPolicy(limit: 1) { _ in
        withExtendedLifetime(replaced) {}
        return true
      }
    }
    #expect(eventually { census.count == 0 })
  }

  @Test("An operation with unlimited retries reports its pause")
  func pauseOfMany() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = BlockingOperation(name: "a", engine: bench.engine) { _ in throw TestError() }
    operation.retryPolicy = RetryPolicy(limit: .max, backoff: .seconds(3_600))
    try queue.addOperation(operation)
    #expect(eventually { operation.attemptPause != nil })
    #expect(operation.attemptPause?.limit == .max && operation.attemptPause?.attempt == 2)
    operation.cancel()
    drain(queue)
  }
}
