import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// Operations of Foundation on our queues.
@Suite(.timeLimit(.minutes(15))) struct WrappedOperationTests {
  @Test("A wrapped block runs once, in its turn, and its states are logged")
  func block() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let ran = Gathered<String>()
    let (low, high) = (BlockOperation { ran.add("low") }, BlockOperation { ran.add("high") })
    high.name = "named"
    let first = try queue.addOperation(low, name: "low")
    let second = try queue.addOperation(high)
    second.queuePriority = .high
    #expect(first.displayName == "low" && second.displayName == "named")
    #expect(first.kind == "foundation")
    #expect((first as? WrappedOperation)?.wrapped === low)
    #expect(try queue.addOperation(BlockOperation()).displayName == "foundation-3")
    queue.isSuspended = false
    drain(queue)
    #expect(ran.all == ["high", "low"])
    #expect(low.isFinished && high.isFinished)
    #expect(bench.life("named").count == 4)
    #expect(first.outcome == .succeeded)
  }

  @Test("An operation of ours is added without a wrapper, also as a plain Operation")
  func ours() throws {
    let bench = Bench()
    let queue = bench.queue()
    let own: Operation = bench.quick("own")
    let added = try queue.addOperation(own, name: "ignored")
    #expect(added === own)
    drain(queue)
    #expect(own.isFinished)
  }

  @Test("A wrapped asynchronous operation holds its slot until it has finished")
  func asynchronous() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (work, next) = (ForeignWork(), bench.quick("next"))
    let wrapper = try queue.addOperation(work, name: "work")
    try queue.addOperation(next)
    #expect(work.waitUntilBegun())
    #expect(wrapper.state == .executing && next.state == .ready)
    #expect(next.waitCodes == ["queue-full work"])
    work.end()
    drain(queue)
    #expect(work.starts == 1)
    #expect(bench.finished == ["work", "next"])
  }

  @Test("Cancelling a wrapper cancels the wrapped operation, while waiting and executing")
  func cancelling() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (running, waiting) = (ForeignWork(), ForeignWork())
    let first = try queue.addOperation(running, name: "running")
    let second = try queue.addOperation(waiting, name: "waiting")
    #expect(running.waitUntilBegun())
    second.cancel()
    first.cancel()
    #expect(running.isCancelled)
    #expect(first.state == .executing)
    running.end()
    drain(queue)
    #expect(first.outcome == .cancelled && second.outcome == .cancelled)
    // What Foundation would have done with it: it finishes without doing its work.
    #expect(waiting.isCancelled && waiting.isFinished)
    #expect(bench.started == ["running"])
  }

  @Test("A wrapper ends as cancelled if its wrapped operation was cancelled elsewhere")
  func cancelledByOthers() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let ran = Gathered<Int>()
    let (before, during) = (BlockOperation { ran.add(1) }, ForeignWork())
    before.cancel()
    let first = try queue.addOperation(before, name: "before")
    let second = try queue.addOperation(during, name: "during")
    #expect(during.waitUntilBegun())
    during.cancel()
    during.end()
    drain(queue)
    #expect(ran.all.isEmpty && before.isFinished)
    #expect(first.outcome == .cancelled && second.outcome == .cancelled)
    #expect(bench.life("before").last == "ready-finished")
  }

  @Test("A skipped wrapper releases the dependents on Foundation's queue")
  func skipped() throws {
    let bench = Bench()
    let (queue, foundation) = (bench.queue(), OperationQueue())
    let ran = Gathered<String>()
    let gone = bench.held("gone")
    let (work, after) = (BlockOperation { ran.add("work") }, BlockOperation { ran.add("after") })
    after.addDependency(work)
    foundation.addOperation(after)
    let wrapper = try bench.queue("paused", paused: true).addOperation(work, name: "work")
    try wrapper.depend(on: gone, policy: .skip)
    try queue.addOperation(gone)
    gone.finish(.failure(TestError()))
    finish(wrapper)
    #expect(wrapper.outcome == .skipped)
    #expect(eventually { after.isFinished })
    #expect(ran.all == ["after"])
  }

  @Test("Adding an operation that Foundation has queued, started or finished throws an error")
  func refused() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (foundation, paused) = (OperationQueue(), OperationQueue())
    paused.isSuspended = true
    let (queued, running, done) = (BlockOperation(), ForeignWork(), BlockOperation())
    let cancelled = BlockOperation()
    paused.addOperation(queued)
    paused.addOperation(cancelled)
    cancelled.cancel()
    foundation.addOperation(running)
    done.start()
    #expect(running.waitUntilBegun())
    for (operation, error) in [
      (queued, .alreadyOnQueue(name: "x", queue: "a Foundation queue")),
      (cancelled, .alreadyOnQueue(name: "x", queue: "a Foundation queue")),
      (running, .executing(name: "x")), (done, .finished(name: "x")),
    ] as [(Operation, QueueError)] {
      #expect(throws: error) { try queue.addOperation(operation, name: "x") }
    }
    #expect(throws: QueueError.finished(name: "BlockOperation")) { try queue.addOperation(done) }
    #expect(queue.snapshot.finished == 0 && queue.operationCount == 0)
    running.end()
    paused.isSuspended = false
    paused.waitUntilAllOperationsAreFinished()
  }

  @Test("An operation pending on a Foundation queue is refused as already queued")
  func pendingOnFoundationsQueue() throws {
    let bench = Bench()
    let queue = bench.queue()
    let foundation = OperationQueue()
    let (gate, pending) = (ForeignWork(), BlockOperation())
    pending.addDependency(gate)
    foundation.addOperations([gate, pending], waitUntilFinished: false)
    #expect(throws: QueueError.self) { try queue.addOperation(pending) }
    gate.end()
    foundation.waitUntilAllOperationsAreFinished()
  }

  @Test("Adding a Foundation operation again is refused while it is queued and after its end")
  func twice() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let work = BlockOperation()
    try queue.addOperation(work, name: "work")
    #expect(throws: QueueError.alreadyOnQueue(name: "again", queue: "network")) {
      try bench.queue("other").addOperation(work, name: "again")
    }
    queue.isSuspended = false
    drain(queue)
    #expect(throws: QueueError.finished(name: "again")) {
      try queue.addOperation(work, name: "again")
    }
  }

  @Test("Several wrappers of one operation, on several logs, run it once")
  func wrappedSeveralTimes() throws {
    for _ in 0..<TestScale.count(100) {
      let benches = (0..<3).map { _ in Bench() }
      let ran = Locked(0)
      let work = BlockOperation { ran.withLock { $0 += 1 } }
      let wrappers = benches.map { WrappedOperation(work, name: "work", engine: $0.engine) }
      var bodies: [@Sendable () -> Void] = [{ wrappers[0].cancel() }]
      for (bench, wrapper) in zip(benches, wrappers) {
        bodies.append { try? bench.queue().addOperation(wrapper as ObservableOperation) }
      }
      race(bodies)
      for wrapper in wrappers { finish(wrapper) }
      #expect(ran.withLock { $0 } <= 1)
      #expect(work.isFinished)
    }
  }

  @Test("A wrapper waits for the wrapped operation's dependencies without holding a slot")
  func dependencies() throws {
    let bench = Bench()
    let (queue, foundation) = (bench.queue(width: 1), OperationQueue())
    let (own, foreign) = (bench.held("own"), ForeignWork())
    let ran = Gathered<String>()
    let work = BlockOperation { ran.add("work") }
    work.addDependency(own)
    work.addDependency(foreign)
    let wrapper = try queue.addOperation(work, name: "work")
    try queue.addOperation(own)
    foundation.addOperation(foreign)
    #expect(own.waitUntilBegun() && foreign.waitUntilBegun())
    #expect(wrapper.state == .pending)
    #expect(wrapper.waitCodes.first == "dependency own")
    #expect(wrapper.waitReasons().map(\.text).contains { $0.contains("ForeignWork") })
    own.finish(.success(1))
    #expect(wrapper.state == .pending)
    foreign.end()
    drain(queue)
    #expect(ran.all == ["work"])
    #expect(wrapper.outcome == .succeeded)
  }

  @Test("A wrapper waits in its slot for late dependencies and an overridden isReady")
  func lateDependency() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let (gate, work) = (ForeignWork(), BlockOperation())
    let stubborn = Stubborn()
    let wrapper = try queue.addOperation(work, name: "work")
    let other = try queue.addOperation(stubborn, name: "stubborn")
    work.addDependency(gate)
    queue.isSuspended = false
    #expect(eventually { wrapper.state == .executing })
    #expect(!work.isFinished)
    gate.start()
    gate.end()
    finish(wrapper)
    #expect(work.isFinished)
    // Never ready, not even when it is cancelled: ours ends all the same.
    #expect(eventually { other.state == .executing })
    other.cancel()
    drain(queue)
    #expect(other.outcome == .cancelled)
    #expect(!stubborn.isFinished)
  }

  /// Is never ready.
  private final class Stubborn: Operation, @unchecked Sendable {
    // @unchecked because this class adds nothing that is stored.
    override var isReady: Bool { false }
  }

  @Test("A time limit stops a wrapped operation")
  func timeLimit() throws {
    let bench = Bench()
    let queue = bench.queue()
    let work = ForeignWork()
    let wrapper = WrappedOperation(work, name: "work", engine: bench.engine)
    wrapper.timeLimit = .milliseconds(10)
    try queue.addOperation(wrapper as ObservableOperation)
    #expect(eventually { work.isCancelled })
    work.end()
    drain(queue)
    #expect(wrapper.outcome?.failure?.code == "timed-out")
  }

  @Test("A group accepts Foundation operations")
  func inGroup() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (group, ran) = (bench.group(), Gathered<Int>())
    for index in 0..<10 { try group.innerQueue.addOperation(BlockOperation { ran.add(index) }) }
    try queue.addOperations([group], waitUntilFinished: true)
    #expect(ran.all.sorted() == Array(0..<10))
    #expect(group.summary.succeeded == 10)
  }

  @Test("A cancelled wrapped operation can be released before its dependency has finished")
  func cancelledBeforeItsDependency() throws {
    for _ in 0..<TestScale.count(200) {
      let bench = Bench()
      let queue = bench.queue()
      let gate = ForeignWork()
      do {
        let work = BlockOperation()
        work.addDependency(gate)
        let wrapper = try queue.addOperation(work, name: "work")
        wrapper.cancel()
        finish(wrapper)
      }
      // Foundation followed a pointer to what is gone here.
      gate.start()
      gate.end()
    }
  }

  @Test("Wrapped operations and their captures are released")
  func release() throws {
    let bench = Bench()
    let queue = bench.queue()
    let census = Census()
    for index in 0..<20 {
      let resident = census.resident()
      let wrapper = try queue.addOperation(
        BlockOperation { withExtendedLifetime(resident) {} }, name: "op-\(index)")
      if index.isMultiple(of: 3) { wrapper.cancel() }
    }
    drain(queue)
    do {
      let resident = census.resident()
      let group = bench.group()
      try group.innerQueue.addOperation(BlockOperation { withExtendedLifetime(resident) {} })
    }
    #expect(eventually { census.count == 0 }, "\(census.count)")
  }
}
