import Dispatch
import Foundation
import OpshLocking
import TestSupport
import Testing

@testable import Operations

@Suite struct ValueTests {
  @Test("Awaiting returns the value or throws the error, also after the end")
  func values() async throws {
    let bench = Bench()
    let queue = bench.queue()
    let (good, bad) = (bench.held("good"), bench.held("bad"))
    try queue.addOperations([good, bad], waitUntilFinished: false)
    async let value = good.value
    good.finish(.success(7))
    bad.finish(.failure(TestError()))
    #expect(try await value == 7)
    #expect(try await good.value == 7)
    await #expect(throws: TestError()) { try await bad.value }
  }

  @Test(
    "Cancelling the task that waits cancels the operation only on request",
    arguments: [true, false])
  func taskCancellation(cancels: Bool) async throws {
    let bench = Bench()
    let queue = bench.queue()
    let (running, idle) = (bench.held("running"), bench.held("idle"))
    try queue.addOperation(running)
    for operation in [running, idle] {
      let task = Task { try await operation.value(cancelsOperation: cancels) }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(operation.isCancelled == cancels)
    }
    #expect(running.outcome == (cancels ? .cancelled : nil))
    #expect(idle.state == .created)
    running.finish(.success(1))
  }

  @Test("A cancelled wait leaves nothing behind in an operation that continues")
  func nothingLeft() async {
    let bench = Bench()
    let idle = bench.held("idle")
    for _ in 0..<100 {
      let task = Task { try await idle.value }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(idle.read { $0.extras?.waiters.count ?? 0 } == 0)
  }

  @Test("A waiting task gets the value even if an observer of isFinished drops it")
  func droppedAtTheEnd() async throws {
    let bench = Bench()
    let operation = bench.held("a")
    let token = operation.observe(\.isFinished) { operation, _ in operation.dropValue() }
    let task = Task { try await operation.value }
    while operation.read({ $0.extras?.waiters.isEmpty ?? true }) { await Task.yield() }
    try bench.queue().addOperation(operation)
    operation.finish(.success(7))
    #expect(try await task.value == 7)
    #expect(operation.isValueDropped)
    await #expect(throws: OperationError.valueDropped(name: "a")) { try await operation.value }
    withExtendedLifetime(token) {}
  }

  @Test("A result given before the start is kept until the queue starts the operation")
  func earlyResult() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let operation = bench.held("a")
    #expect(operation.finish(.success(1)))
    #expect(!operation.finish(.success(2)))
    try queue.addOperation(operation)
    #expect(operation.state == .ready)
    queue.isSuspended = false
    drain(queue)
    #expect(operation.outcome == .succeeded)
    #expect(operation.executions == 0)
    #expect(try operation.result?.get() == 1)
  }

  @Test("Blocking bodies return values, throw errors, and see their current operation")
  func bodies() throws {
    let bench = Bench()
    let queue = bench.queue()
    let good = BlockingOperation(name: "good", engine: bench.engine) { operation in
      ObservableOperation.current === operation ? 42 : 0
    }
    let bad = BlockingOperation(name: "bad", engine: bench.engine) { _ in throw TestError() }
    try queue.addOperations([good, bad], waitUntilFinished: true)
    #expect(good.resultValue as? Int == 42)
    #expect(bad.outcome == .failed(OperationFailure(TestError())))
    #expect(bad.resultValue == nil)
    let ran = DispatchSemaphore(value: 0)
    queue.addOperation { ran.signal() }
    #expect(ran.wait(timeout: .now() + 60) == .success)
    drain(queue)
  }

  @Test("The captures of a body are released after it ran or was cancelled before")
  func bodiesAreReleased() throws {
    let bench = Bench()
    let queue = bench.queue()
    weak var captured: Gathered<Int>?
    weak var unrun: Gathered<Int>?
    var kept: [BlockingOperation] = []
    do {
      let (one, two) = (Gathered<Int>(), Gathered<Int>())
      (captured, unrun) = (one, two)
      kept.append(
        BlockingOperation(engine: bench.engine) { _ in
          one.add(1)
          return nil
        })
      kept.append(
        BlockingOperation(engine: bench.engine) { _ in
          two.add(1)
          return nil
        })
    }
    kept[1].cancel()
    try queue.addOperations(kept, waitUntilFinished: true)
    #expect(unrun == nil)
    // The thread of the body is just ending.
    #expect(eventually { captured == nil })
    #expect(kept.map(\.outcome) == [.succeeded, .cancelled])
  }

  @Test("Eight bodies execute at the same time at width 8, but not at width 7")
  func barrier() throws {
    let bench = Bench()
    for (width, all) in [(8, true), (7, false)] {
      let queue = bench.queue("w\(width)", width: width)
      let (arrived, goOn) = (Locked(0), DispatchSemaphore(value: 0))
      let met = DispatchSemaphore(value: 0)
      for _ in 0..<8 {
        try queue.addOperation(
          BlockingOperation(engine: bench.engine) { _ in
            let count = arrived.withLock { count in
              count += 1
              return count
            }
            if count == width { met.signal() }
            goOn.wait()
            return nil
          })
      }
      #expect(met.wait(timeout: .now() + 60) == .success)
      #expect(queue.snapshot.executing == width)
      #expect((arrived.withLock { $0 } == 8) == all)
      for _ in 0..<8 { goOn.signal() }
      drain(queue)
    }
  }

  @Test("A thousand delays at width 1,000 execute at once on a few threads")
  func delays() throws {
    let bench = Bench()
    // Paused while they are added, so that they start at once.
    let queue = bench.queue(width: 1_000, paused: true)
    let delays = (0..<1_000).map { _ in
      DelayOperation(duration: .seconds(4), engine: bench.engine)
    }
    try queue.addOperations(delays, waitUntilFinished: false)
    queue.isSuspended = false
    drain(queue)
    let moves = bench.entries.filter { $0.event == .transition }
    let lastStart = moves.last { $0.to == .executing }?.sequence ?? .max
    let firstEnd = moves.first { $0.to == .finished }?.sequence ?? 0
    #expect(lastStart < firstEnd)
    #expect(delays.allSatisfy { $0.outcome == .succeeded && $0.resultValue == nil })
    #expect(delays.first?.displayName == "delay-1")
    for delay in delays {
      let times = delay.timestamps
      let (start, end) = (try #require(times.started), try #require(times.finished))
      #expect(end - start >= .milliseconds(3_999))
    }
  }

  @Test("A cancelled delay ends at once and is released; a zero delay ends too")
  func cancelledDelay() throws {
    let bench = Bench()
    let queue = bench.queue()
    weak var gone: DelayOperation?
    do {
      let long = DelayOperation(duration: .seconds(100_000_000_000), engine: bench.engine)
      gone = long
      try queue.addOperation(long)
      long.cancel()
      #expect(long.state == .finished)
    }
    let negative = DelayOperation(duration: .seconds(-5), engine: bench.engine)
    try queue.addOperations([negative], waitUntilFinished: true)
    #expect(negative.outcome == .succeeded)
    #expect(eventually { gone == nil })
  }

  @Test("A delay ended before its time is released at once")
  func endedDelay() throws {
    let bench = Bench()
    let queue = bench.queue()
    weak var gone: DelayOperation?
    do {
      let long = DelayOperation(duration: .seconds(3_600), engine: bench.engine)
      gone = long
      try queue.addOperation(long)
      #expect(eventually { long.state == .executing })
      #expect(long.finish(.success(())))
      #expect(long.outcome == .succeeded)
    }
    #expect(eventually { gone == nil })
  }
}
