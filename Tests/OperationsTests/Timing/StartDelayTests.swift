import Foundation
import Operations
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct StartDelayTests {
  @Test("An operation is pending until its start delay is over, and the reasons say how long")
  func pending() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = bench.quick("a")
    operation.startDelay = .milliseconds(30)
    try queue.addOperation(operation)
    let far = bench.quick("far")
    // Half a minute more than the text says, so that it holds for a while.
    far.startDelay = .seconds(7_230)
    try queue.addOperation(far)
    #expect(far.state == .pending && !far.isReady)
    #expect(far.waitCodes == ["delay far"])
    #expect(far.waitReasons().first?.text == "'far' may become ready in 2 h 0 min")
    finish(operation)
    let times = operation.timestamps
    #expect(try #require(times.ready) - (try #require(times.pending)) >= .milliseconds(30))
    #expect(
      bench.reasons("a").prefix(2) == ["added to network", "delay of 30 ms is over"])
    far.cancel()
    drain(queue)
  }

  @Test("A cancelled operation ignores its start delay")
  func cancelled() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (waiting, before) = (bench.held("waiting"), bench.held("before"))
    for operation in [waiting, before] { operation.startDelay = .seconds(3_600) }
    before.cancel()
    try queue.addOperations([waiting, before], waitUntilFinished: false)
    finish(before)
    waiting.cancel()
    drain(queue)
    #expect(waiting.outcome == .cancelled && waiting.executions == 0)
    #expect(bench.life("waiting") == ["created-pending", "pending-ready", "ready-finished"])
  }

  @Test("An operation waits for its dependencies and its start delay")
  func withDependencies() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (slow, quick) = (bench.held("slow"), bench.quick("quick"))
    let (one, two, far) = (bench.quick("one"), bench.quick("two"), bench.quick("far"))
    try one.depend(on: slow)
    one.startDelay = .milliseconds(5)
    try two.depend(on: quick)
    two.startDelay = .seconds(5)
    try far.depend(on: quick)
    far.startDelay = .seconds(3_600)
    try queue.addOperations([one, two, far, slow, quick], waitUntilFinished: false)
    finish(quick)
    #expect(far.state == .pending)
    #expect(far.waitCodes == ["delay far"])
    far.cancel()
    finish(two)
    let times = two.timestamps
    #expect(try #require(times.ready) - (try #require(times.pending)) >= .seconds(5))
    #expect(one.state == .pending)
    #expect(one.waitCodes == ["dependency slow"])
    slow.finish(.success(1))
    drain(queue)
    #expect(bench.reasons("one")[1] == "dependencies met: slow")
    #expect(bench.reasons("two")[1] == "delay of 5 s is over")
  }

  @Test("The wait reasons name both a dependency and a start delay")
  func bothReasons() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (never, operation) = (bench.held("never"), bench.held("a"))
    try operation.depend(on: never)
    operation.startDelay = .seconds(3_600)
    try queue.addOperation(operation)
    #expect(
      operation.waitCodes == [
        "dependency never", "delay a", "queue-paused network", "not-on-queue never",
      ])
    operation.cancel()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("A skipped operation stays skipped when its start delay is over")
  func skipped() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (gone, operation) = (bench.held("gone"), bench.quick("a"))
    try operation.depend(on: gone, policy: .skip)
    operation.startDelay = .milliseconds(5)
    try queue.addOperations([gone, operation], waitUntilFinished: false)
    gone.finish(.failure(TestError()))
    #expect(operation.outcome == .skipped)
    let timer = DelayOperation(duration: .milliseconds(20), engine: bench.engine)
    try queue.addOperations([timer], waitUntilFinished: true)
    #expect(bench.life("a") == ["created-pending", "pending-finished"])
    drain(queue)
  }

  @Test("A start delay begins with adding, cannot be set later, and is limited to valid values")
  func setting() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = bench.held("a")
    operation.startDelay = .seconds(-1)
    #expect(operation.startDelay == .zero)
    operation.startDelay = .seconds(Int64.max)
    #expect(operation.startDelay == .nanoseconds(Int64.max))
    try queue.addOperation(operation)
    operation.startDelay = .zero
    #expect(operation.startDelay == .nanoseconds(Int64.max))
    #expect(operation.waitCodes == ["delay a"])
    operation.cancel()
    drain(queue)
    let byHand = bench.held("b")
    byHand.startDelay = .seconds(3_600)
    try byHand.startManually()
    #expect(byHand.waitUntilBegun())
    byHand.finish(.success(1))
  }

  @Test("Hundreds of start delays end in order, without a thread for each")
  func order() throws {
    // A handler whose thread waits for long may be overtaken, and other tests start threads too.
    let isInOrder = try (1...3).contains { _ in try delaysEndInOrder() }
    #expect(isInOrder)
  }

  /// Whether 300 start delays end in order on few threads.
  private func delaysEndInOrder() throws -> Bool {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let operations = (0..<300).map { bench.quick("op-\($0)") }
    for (index, operation) in operations.enumerated() {
      // All timers are set before the first of them is due.
      operation.startDelay = .seconds(5) + .microseconds(100 * (300 - index))
    }
    let before = ThreadCount.now
    try queue.addOperations(operations, waitUntilFinished: false)
    // Long before the delays end, and with them the threads that some might have.
    let areFew = eventually(timeout: .seconds(2)) { ThreadCount.now - before < 100 }
    drain(queue)
    let ready = bench.entries.filter { $0.event == .transition && $0.to == .ready }
    return areFew
      && ready.map(\.operation.name) == operations.reversed().map(\.displayName)
  }

  @Test("A delayed operation without references is released after its end")
  func release() throws {
    let bench = Bench()
    let queue = bench.queue()
    let census = Census()
    for way in ["over", "cancelled"] {
      let operation = Keeping(census, engine: bench.engine)
      operation.startDelay = way == "over" ? .milliseconds(1) : .seconds(3_600)
      if way == "over" { operation.finish(.success(1)) }
      try queue.addOperation(operation)
      if way == "cancelled" { operation.cancel() }
    }
    drain(queue)
    #expect(eventually { census.count == 0 })
  }
}
