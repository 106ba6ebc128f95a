import Foundation
import Operations
import TestSupport
import Testing

/// What ends the process on Foundation's queue is refused here with a code, and changes nothing.
@Suite(.timeLimit(.minutes(15))) struct RefusedUseTests {
  /// One use that is refused.
  struct Misuse: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: String
    /// Misuses the operation, which is on no queue, with two queues at hand.
    let use: @Sendable (Held, _ queue: InspectableQueue, _ other: InspectableQueue) throws -> Void

    init(
      _ testDescription: String, _ code: String,
      _ use: @escaping @Sendable (Held, InspectableQueue, InspectableQueue) throws -> Void
    ) {
      self.testDescription = testDescription
      self.code = code
      self.use = use
    }
  }

  static let misuses: [Misuse] = [
    Misuse("added again while pending", "already-on-queue") { operation, queue, _ in
      try operation.depend(on: Held(engine: operation.engine))
      try queue.addOperation(operation)
      try queue.addOperation(operation)
    },
    Misuse("added to another queue while pending", "already-on-queue") { operation, queue, other in
      try operation.depend(on: Held(engine: operation.engine))
      try queue.addOperation(operation)
      try other.addOperation(operation)
    },
    Misuse("added again while cancelled and queued", "already-on-queue") { operation, queue, _ in
      queue.isSuspended = true
      try queue.addOperation(operation)
      operation.cancel()
      try queue.addOperation(operation)
    },
    Misuse("added to another queue while cancelled", "already-on-queue") {
      operation, queue, other in
      queue.isSuspended = true
      try queue.addOperation(operation)
      operation.cancel()
      try runAll([operation], on: other)
    },
    Misuse("added in a batch while executing", "already-on-queue") { operation, queue, other in
      try queue.addOperation(operation)
      try other.addOperations([Quick(engine: queue.engine), operation], waitUntilFinished: false)
    },
    Misuse("added after it ran by hand", "already-finished") { operation, queue, _ in
      operation.start()
      operation.finish(.success(1))
      try queue.addOperation(operation)
    },
    Misuse("added after it was cancelled and ended", "already-finished") { operation, queue, _ in
      operation.cancel()
      try runAll([operation], on: queue)
      try queue.addOperation(operation)
    },
    Misuse("added after it was skipped", "already-finished") { operation, queue, other in
      let upstream = Held(engine: operation.engine)
      upstream.cancel()
      try operation.depend(on: upstream, policy: .skip)
      try runAll([upstream, operation], on: queue)
      try other.addOperation(operation)
    },
    Misuse("twice in a large batch", "added-twice") { operation, queue, _ in
      let many = (0..<500).map { _ in Quick(engine: operation.engine) }
      try runAll([operation] + many + [operation], on: queue)
    },
    Misuse("started by hand while pending", "on-queue") { operation, queue, _ in
      try operation.depend(on: Held(engine: operation.engine))
      try queue.addOperation(operation)
      try operation.startManually()
    },
    Misuse("started by hand while it executes by hand", "already-started") { operation, _, _ in
      operation.start()
      try operation.startManually()
    },
    Misuse("started by hand while it executes on a queue", "already-started") {
      operation, queue, _ in
      try queue.addOperation(operation)
      operation.start()
      try operation.startManually()
    },
    Misuse("started by hand before its dependency", "not-ready") { operation, _, _ in
      try operation.depend(on: Held(engine: operation.engine))
      operation.start()
      try operation.startManually()
    },
    Misuse("a width of -2", "invalid-width") { _, queue, _ in try queue.setWidth(-2) },
    Misuse("the smallest width", "invalid-width") { _, queue, _ in try queue.setWidth(.min) },
    Misuse("depending on itself", "self-dependency") { operation, queue, _ in
      try queue.addOperation(operation)
      try operation.depend(on: operation)
    },
  ]

  @Test("Misuse is refused with an error code, and the queues keep working", arguments: misuses)
  func refused(misuse: Misuse) throws {
    let bench = Bench()
    let (queue, other) = (bench.queue("queue"), bench.queue("other"))
    let operation = bench.held("subject")
    do {
      try misuse.use(operation, queue, other)
      Issue.record("it was not refused")
    } catch let error as any CodedError {
      #expect(error.code == misuse.code)
      #expect(!error.message.isEmpty && !error.message.hasSuffix("."))
    }
    // What was there before goes on as if nothing had been asked.
    for operation in operation.upstream.map(\.operation) where operation.state == .created {
      operation.cancel()
      operation.start()
    }
    queue.isSuspended = false
    if operation.state == .created { try queue.addOperation(operation) }
    if !operation.isCancelled, operation.outcome == nil {
      try #require(operation.waitUntilBegun())
      operation.finish(.success(1))
    }
    try runAll([bench.quick("after")], on: other)
    try drainOrStop(queue)
    try drainOrStop(other)
    #expect(operation.isFinished)
    #expect(operation.executions <= 1)
    #expect(LifeRecord(of: bench.engine, width: 2).faults == [])
  }

  @Test("A batch with one operation that cannot be added leaves the others unchanged")
  func wholeBatch() throws {
    let bench = Bench()
    let queue = bench.queue()
    let done = bench.quick("done")
    try runAll([done], on: queue)
    let good = (0..<300).map { _ in Quick(engine: bench.engine) }
    #expect(throws: QueueError.finished(name: "done")) {
      try runAll(good + [done], on: queue)
    }
    #expect(throws: QueueError.self) {
      try queue.addOperations(good + [Quick(engine: OperationEngine())], waitUntilFinished: true)
    }
    #expect(good.allSatisfy { $0.state == .created })
    #expect(queue.operationCount == 0)
    try runAll(good, on: queue)
    #expect(good.allSatisfy { $0.outcome == .succeeded })
  }

  @Test("Foundation's edge cases are allowed: largest width, empty batch, start after the end")
  func allowed() throws {
    let bench = Bench()
    let queue = bench.queue()
    try queue.setWidth(.max)
    #expect(queue.maxConcurrentOperationCount == .max)
    try queue.addOperations([], waitUntilFinished: true)
    try queue.addOperations([], waitUntilFinished: false)
    let operation = bench.quick("a")
    try runAll([operation], on: queue)
    let entries = bench.engine.log.count
    operation.start()
    operation.cancel()
    operation.addDependency(bench.quick("b"))
    operation.queuePriority = .high
    #expect(bench.engine.log.count == entries + 1, "the dependency that came too late is logged")
    #expect(operation.outcome == .succeeded)
    #expect(
      InspectableQueue(name: "odd", maxConcurrentOperationCount: -9, engine: bench.engine)
        .maxConcurrentOperationCount == InspectableQueue.defaultMaxConcurrentOperationCount)
  }

  @Test(
    "An operation that starts itself again from its own work runs once", arguments: [true, false])
  func startedInside(onQueue: Bool) throws {
    let bench = Bench()
    let queue = bench.queue()
    let runs = Gathered<String>()
    let plain = Plain(name: "plain", engine: bench.engine) {
      runs.add("main")
      ObservableOperation.current?.start()
    }
    let hooked = Hooked(name: "hooked", engine: bench.engine) { operation in
      runs.add("execute")
      operation.start()
      operation.finish(.success(1))
      operation.start()
    }
    if onQueue {
      try runAll([plain, hooked], on: queue)
    } else {
      plain.start()
      hooked.start()
    }
    #expect(runs.all.sorted() == ["execute", "main"])
    #expect([plain.outcome, hooked.outcome] == [.succeeded, .succeeded])
    // Without a queue nothing is pending.
    let steps = onQueue ? 4 : 3
    #expect(bench.life("plain").count == steps && bench.life("hooked").count == steps)
  }

  @Test("Two threads write a name while two others read it")
  func names() {
    let operation = Held(name: "first", engine: OperationEngine())
    let odd = Gathered<String>()
    // Long enough to stand on the heap, where a torn one would show.
    let names = (0..<2).map { String(repeating: "name-\($0)-", count: 8) }
    let rounds = TestScale.count(3_000)
    let read: @Sendable () -> Void = {
      for _ in 0..<rounds {
        let name = operation.name ?? ""
        if name != "first", !names.contains(name) { odd.add(name) }
      }
    }
    race([
      { for _ in 0..<rounds { operation.name = names[0] } },
      { for _ in 0..<rounds { operation.name = names[1] } },
      read, read,
    ])
    #expect(odd.all == [])
  }
}
