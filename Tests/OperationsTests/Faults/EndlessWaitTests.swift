import Dispatch
import Foundation
import OpshLocking
import Operations
import Testing

/// Waits that Foundation's queue never comes back from.
@Suite(.timeLimit(.minutes(15))) struct EndlessWaitTests {
  /// Why an operation is not going to run.
  enum Reason: String, CaseIterable {
    case suspended, widthZero, full, neverAdded, onNoQueue, cancelledOnNoQueue
  }

  @Test(
    "A wait ends at its timeout, and without a timeout when the operation ends",
    arguments: Reason.allCases)
  func timeouts(reason: Reason) throws {
    let bench = Bench()
    let queue = bench.queue(width: reason == .widthZero ? 0 : 1, paused: reason == .suspended)
    let (operation, other) = (bench.quick("a"), bench.held("other"))
    switch reason {
    case .suspended, .widthZero: try queue.addOperation(operation)
    case .full: try queue.addOperations([other, operation], waitUntilFinished: false)
    case .neverAdded:
      try operation.depend(on: other)
      try queue.addOperation(operation)
    case .onNoQueue: break
    case .cancelledOnNoQueue: operation.cancel()
    }
    let isOnQueue = operation.queue != nil
    #expect(!operation.waitUntilFinished(timeout: .milliseconds(5)))
    #expect(!operation.waitUntilFinished(timeout: .zero))
    #expect(!operation.waitUntilFinished(timeout: .seconds(-1)))
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .milliseconds(5)) == !isOnQueue)
    // A wait that has begun before it can end.
    let waited = DispatchSemaphore(value: 0)
    Thread {
      operation.waitUntilFinished()
      if isOnQueue { queue.waitUntilAllOperationsAreFinished() }
      waited.signal()
    }.start()
    switch reason {
    case .suspended: queue.isSuspended = false
    case .widthZero: try queue.setWidth(1)
    case .full: other.finish(.success(1))
    case .neverAdded:
      other.cancel()
      other.start()
    case .onNoQueue, .cancelledOnNoQueue: try queue.addOperation(operation)
    }
    #expect(waited.wait(timeout: .now() + 20) == .success)
    try drainOrStop(queue)
    #expect(operation.isFinished)
  }

  @Test(
    "Bodies on every slot cannot wait for their own queue, and none hangs",
    arguments: [1, 2, 8])
  func addAndWait(width: Int) throws {
    let bench = Bench()
    let queue = bench.queue(width: width)
    let (arrived, all, codes) = (Locked(0), Door(), Gathered<String>())
    for _ in 0..<width {
      try queue.addOperation(
        BlockingOperation(engine: bench.engine) { operation in
          let isLast = arrived.withLock { arrived in
            arrived += 1
            return arrived == width
          }
          if isLast { all.open() }
          all.pass()
          do throws(QueueError) {
            try queue.addOperations([Quick(engine: operation.engine)], waitUntilFinished: true)
          } catch { codes.add(error.code) }
          codes.add("\(queue.waitUntilAllOperationsAreFinished())")
          return nil
        })
    }
    try drainOrStop(queue)
    let refusals =
      [String](repeating: "false", count: width)
      + [String](repeating: "wait-from-inside", count: width)
    #expect(codes.all.sorted() == refusals)
    #expect(LifeRecord(of: bench.engine, width: width).outcomes.count == width)
  }

  @Test("Operations cannot wait for their own queue or themselves, asynchronous or synchronous")
  func insideOthers() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let told = Gathered<String>()
    let wait: @Sendable (String) -> Void = { name in
      told.add("\(name) queue \(queue.waitUntilAllOperationsAreFinished())")
      let current = ObservableOperation.current
      told.add("\(name) self \(current?.waitUntilFinished(timeout: nil) ?? true)")
    }
    let hooked = Hooked(engine: bench.engine) { operation in
      wait("execute")
      operation.finish(.success(1))
    }
    let plain = Plain(engine: bench.engine) { wait("main") }
    let isBack = comesBack {
      try? queue.addOperations([hooked, plain], waitUntilFinished: true)
    }
    #expect(isBack)
    #expect(
      told.all == [
        "execute queue false", "execute self false", "main queue false", "main self false",
      ])
  }

  @Test("An operation can wait for the operations of another queue")
  func otherQueue() throws {
    let bench = Bench()
    let (outer, inner) = (bench.queue("outer", width: 1), bench.queue("inner"))
    let operation = BlockingOperation(engine: bench.engine) { operation in
      let children = (0..<5).map { _ in Quick(engine: operation.engine) }
      try inner.addOperations(children, waitUntilFinished: true)
      return inner.waitUntilAllOperationsAreFinished()
        && children.allSatisfy { $0.outcome == .succeeded }
    }
    try outer.addOperation(operation)
    try drainOrStop(outer)
    #expect(operation.resultValue as? Bool == true)
  }

  @Test("A blocking wait on the main actor ends")
  @MainActor func mainActor() throws {
    let bench = Bench()
    let queue = bench.queue()
    let delay = DelayOperation(duration: .milliseconds(5), engine: bench.engine)
    let last = BlockingOperation(engine: bench.engine) { _ in 7 }
    try last.depend(on: delay)
    try runAll([delay, last], on: queue)
    #expect(last.resultValue as? Int == 7)
  }

  @Test("A wait begun before the operation is added ends with it, also many waits at once")
  func manyWaiters() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let operation = bench.quick("a")
    let (ready, counted) = (DispatchSemaphore(value: 0), Locked(0))
    let waiters = 20
    let adder = Thread {
      for _ in 0..<waiters { ready.wait() }
      try? queue.addOperation(operation)
      queue.isSuspended = false
    }
    adder.start()
    race(
      (0..<waiters).map { index in
        {
          ready.signal()
          // Some come too late on purpose, some give up on the way.
          if index.isMultiple(of: 5) { _ = operation.waitUntilFinished(timeout: .milliseconds(1)) }
          if operation.waitUntilFinished(timeout: .seconds(20)) { counted.withLock { $0 += 1 } }
        }
      })
    #expect(counted.withLock { $0 } == waiters)
    try drainOrStop(queue)
  }
}
