import Dispatch
import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// When completion blocks and handlers are called, what the work sees, and what stays in memory.
@Suite(.timeLimit(.minutes(15))) struct CompletionRuleTests {
  /// A way in which an operation comes to its end.
  enum Ending: String, CaseIterable {
    case ran, cancelledOnQueue, byHand, cancelledByHand, skipped, synchronous, blocking
  }

  @Test(
    "The completion block runs once, after the end, whatever the outcome",
    arguments: Ending.allCases)
  func completionBlock(ending: Ending) throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation: ObservableOperation
    switch ending {
    case .synchronous: operation = Plain(engine: bench.engine)
    case .blocking: operation = BlockingOperation(engine: bench.engine) { _ in nil }
    default: operation = Quick(engine: bench.engine)
    }
    let (told, called) = (Gathered<Bool>(), DispatchSemaphore(value: 0))
    // Captures the operation, which must not keep it for ever.
    operation.completionBlock = {
      told.add(operation.isFinished)
      called.signal()
    }
    let upstream = bench.held("upstream")
    upstream.cancel()
    switch ending {
    case .ran, .synchronous, .blocking:
      try queue.addOperation(operation)
    case .cancelledOnQueue:
      operation.cancel()
      try queue.addOperation(operation)
    case .byHand:
      operation.start()
    case .cancelledByHand:
      operation.cancel()
      operation.start()
    case .skipped:
      try operation.depend(on: upstream, policy: .skip)
      try queue.addOperations([operation, upstream], waitUntilFinished: false)
    }
    #expect(called.wait(timeout: .now() + 20) == .success)
    try drainOrStop(queue)
    let isLetGo = eventually { operation.completionBlock == nil }
    #expect(isLetGo)
    #expect(told.all == [true])
  }

  @Test("A completion block that is replaced while the operation executes is not called")
  func replaced() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (told, called) = (Gathered<String>(), Door())
    let operation = bench.held("a")
    operation.completionBlock = { told.add("old") }
    try queue.addOperation(operation)
    try #require(operation.waitUntilBegun())
    operation.completionBlock = {
      told.add("new")
      called.open()
    }
    operation.finish(.success(1))
    #expect(called.pass())
    try drainOrStop(queue)
    #expect(told.all == ["new"])
  }

  @Test("A completion block that is set after the end is never called")
  func tooLate() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (told, called) = (Gathered<String>(), Door())
    let (early, late) = (bench.quick("early"), bench.quick("late"))
    try runAll([early], on: queue)
    // What Foundation still has to do for it is done when it has let go of this one.
    let isSettled = eventually { early.completionBlock == nil }
    #expect(isSettled)
    early.completionBlock = { told.add("early") }
    early.start()
    early.cancel()
    late.completionBlock = { called.open() }
    try runAll([late], on: queue)
    #expect(called.pass())
    #expect(told.all == [])
    early.completionBlock = nil
  }

  @Test("An operation captured by its own completion block or handler is released")
  func selfCapture() throws {
    let bench = Bench()
    let queue = bench.queue()
    var left = 0
    for index in 0..<TestScale.count(100) {
      weak var gone: Held?
      do {
        let box = Locked<Held?>(nil)
        let operation = Held(engine: bench.engine) { _ in box.withLock { $0 = nil } }
        box.withLock { $0 = operation }
        operation.completionBlock = { _ = operation.name }
        gone = operation
        if index.isMultiple(of: 2) { operation.cancel() }
        try queue.addOperation(operation)
        operation.finish(.success(1))
      }
      if !eventually({ gone == nil }) { left += 1 }
    }
    #expect(left == 0)
    try drainOrStop(queue)
  }

  @Test("The handler has run before a dependent executes and before any wait returns")
  func handlerFirst() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let early = Gathered<String>()
    for _ in 0..<TestScale.count(500) {
      let isHandled = Locked(false)
      let operation = Hooked(
        engine: bench.engine, onExecute: { $0.finish(.success(1)) },
        completionHandler: { _ in isHandled.withLock { $0 = true } })
      let dependent = Hooked(engine: bench.engine) { operation in
        if !isHandled.withLock({ $0 }) { early.add("dependent") }
        operation.finish(.success(1))
      }
      try dependent.depend(on: operation)
      try queue.addOperations([operation, dependent], waitUntilFinished: false)
      #expect(operation.waitUntilFinished(timeout: .seconds(20)))
      if !isHandled.withLock({ $0 }) { early.add("wait") }
      try drainOrStop(queue)
      if queue.operationCount != 0 { early.add("count") }
    }
    #expect(early.all == [])
  }

  @Test("Work of every kind sees its current operation; code outside sees none")
  func current() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue("network"), bench.queue("other"))
    let seen = Gathered<String>()
    let look: @Sendable (String) -> Void = { place in
      let current = ObservableOperation.current
      seen.add("\(place): \(current?.displayName ?? "-") on \(current?.queue?.name ?? "-")")
    }
    let inner = Plain(name: "inner", engine: bench.engine) { look("nested") }
    let nested = Plain(name: "nested", engine: bench.engine) {
      inner.start()
      look("after nested")
    }
    let child = Plain(name: "child", engine: bench.engine) { look("child") }
    let parent = BlockingOperation(name: "parent", engine: bench.engine) { _ in
      try runAll([child], on: other)
      look("body")
      return nil
    }
    let execute = Hooked(name: "hooked", engine: bench.engine) { operation in
      look("execute")
      operation.finish(.success(1))
    }
    for operation in [nested, parent, execute] {
      try runAll([operation], on: queue)
    }
    look("outside")
    #expect(
      seen.all == [
        "nested: inner on -", "after nested: nested on network", "child: child on other",
        "body: parent on network", "execute: hooked on network", "outside: - on -",
      ])
  }

  @Test("An operation that cancels all of its own queue ends normally")
  func cancelAllFromInside() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let hooked = Hooked(name: "hooked", engine: bench.engine) { _ in queue.cancelAllOperations() }
    let blocking = BlockingOperation(name: "blocking", engine: bench.engine) { operation in
      queue.cancelAllOperations()
      return operation.isCancelled
    }
    let waiting = bench.held("waiting")
    try waiting.depend(on: hooked)
    try runAll([hooked, blocking, waiting], on: queue)
    #expect(LifeRecord(of: bench.engine, width: 2).faults == [])
    #expect(hooked.outcome == .cancelled)
    #expect(waiting.executions == 0)
    #expect(queue.operationCount == 0)
  }

  @Test("Queues and operations are released when their work is done")
  func nothingKept() throws {
    let gone = Gathered<@Sendable () -> Bool>()
    for _ in 0..<TestScale.count(100) {
      let bench = Bench()
      let queue = bench.queue()
      let operations: [ObservableOperation] = [
        bench.quick("a"), Plain(engine: bench.engine),
        BlockingOperation(engine: bench.engine) { _ in nil },
        DelayOperation(duration: .zero, engine: bench.engine),
      ]
      for (next, operation) in zip(operations.dropFirst(), operations) {
        try next.depend(on: operation)
      }
      try runAll(operations, on: queue)
      for object in operations as [any AnyObject & Sendable] + [queue, bench.engine] {
        gone.add { [weak object] in object == nil }
      }
    }
    let areGone = eventually { gone.all.allSatisfy { $0() } }
    #expect(areGone)
  }
}
