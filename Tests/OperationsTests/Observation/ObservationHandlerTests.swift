import Dispatch
import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// What handlers may do.
@Suite(.timeLimit(.minutes(15))) struct ObservationHandlerTests {
  /// When a handler of `isExecuting` cancels the operation.
  enum Moment: String, CaseIterable, Sendable {
    case whenReady, beforeStart, afterStart
  }

  @Test("A handler may cancel the observed operation", arguments: Moment.allCases)
  func cancelling(moment: Moment) throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (gate, operation) = (bench.held("gate"), bench.held("a"))
    try operation.depend(on: gate)
    let told = Gathered<String>()
    let tokens = [
      operation.observe(\.isReady) { operation, _ in
        told.add("ready")
        if moment == .whenReady { operation.cancel() }
      },
      operation.observe(\.isExecuting, options: [.prior, .new]) { operation, change in
        told.add(change.isPrior ? "about to" : "executing \(change.newValue ?? false)")
        let isBegin = change.isPrior ? !operation.isExecuting : change.newValue == true
        let wanted: Moment = change.isPrior ? .beforeStart : .afterStart
        if isBegin, moment == wanted { operation.cancel() }
      },
      operation.observe(\.isCancelled) { _, _ in told.add("cancelled") },
      operation.observe(\.isFinished) { operation, _ in
        told.add("finished \(operation.outcome == .cancelled)")
      },
    ]
    try queue.addOperations([gate, operation], waitUntilFinished: false)
    gate.finish(.success(1))
    drain(queue)
    #expect(eventually { !bench.engine.isDelivering })
    switch moment {
    case .whenReady:
      // The operation may have been started before its observers were told that it is ready.
      let ends = told.all.filter { ["cancelled", "finished true"].contains($0) }
      #expect(ends == ["cancelled", "finished true"])
    case .beforeStart:
      #expect(told.all.first == "ready")
      #expect(told.all.suffix(2) == ["cancelled", "finished true"])
      #expect(!told.all.contains("executing true"))
      #expect(operation.executions == 0)
    case .afterStart:
      // The second prior call comes from inside the handler, and what that changed before is told
      // once it has returned.
      #expect(
        told.all.filter { $0 != "about to" } == [
          "ready", "executing true", "cancelled", "executing false", "finished true",
        ])
      #expect(told.all.count == 7)
    }
    for token in tokens { token.invalidate() }
  }

  @Test("A handler may add operations to the observed queue")
  func adding() throws {
    let bench = Bench()
    let queue = bench.queue()
    let total = TestScale.count(200)
    let tokens = Gathered<ObservationToken>()
    let made = Locked(0)
    @Sendable func add() {
      let number = made.withLock { made in
        made += 1
        return made
      }
      guard number <= total else { return }
      let operation = bench.quick("op-\(number)")
      tokens.add(operation.observe(\.isFinished) { _, _ in add() })
      try? queue.addOperation(operation)
    }
    add()
    #expect(eventually(timeout: .seconds(30)) { made.withLock { $0 } > total })
    drain(queue)
    #expect(bench.started.count == total)
    for token in tokens.all { token.invalidate() }
  }

  @Test("A handler of operationCount may add operations to the same queue")
  func addingFromCount() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let told = Gathered<Int>()
    let token = queue.observe(\.operationCount, options: [.new]) { queue, change in
      guard let count = change.newValue else { return }
      told.add(count)
      if count < 50 { try? queue.addOperation(bench.quick("op-\(count)")) }
    }
    try queue.addOperation(bench.quick("first"))
    #expect(told.all == Array(1...50))
    token.invalidate()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("A change made by an observer is reported after the current one, in the same order")
  func nested() {
    let operation = Held(name: "a", engine: OperationEngine())
    let told = Gathered<String>()
    let steps: [Operation.QueuePriority: Operation.QueuePriority] = [
      .low: .normal, .normal: .high, .high: .veryHigh,
    ]
    let tokens = ["first", "second"].map { who in
      operation.observe(\.queuePriority, options: [.old, .new]) { operation, change in
        told.add("\(who) \(change.oldValue?.name ?? "-") \(change.newValue?.name ?? "-")")
        if let next = change.newValue.flatMap({ steps[$0] }) { operation.queuePriority = next }
      }
    }
    operation.queuePriority = .low
    let changes = ["normal low", "low normal", "normal high", "high veryHigh"]
    // The first handler's change is told when both have heard of the present one; the second sets
    // what has been set already.
    #expect(told.all == changes.flatMap { ["first \($0)", "second \($0)"] })
    for token in tokens { token.invalidate() }
  }

  @Test("Handlers of two operations that change each other terminate")
  func mutual() {
    let engine = OperationEngine()
    let (left, right) = (Held(name: "left", engine: engine), Held(name: "right", engine: engine))
    let told = Gathered<Double>()
    func follow(_ operation: Held, _ other: Held) -> ObservationToken {
      operation.observe(\.progress, options: [.new]) { _, change in
        guard let value = change.newValue ?? nil else { return }
        told.add(value)
        if value < 1 { other.progress = min(1, value + 0.125) }
      }
    }
    let tokens = [follow(left, right), follow(right, left)]
    left.progress = 0.125
    #expect(told.all == (1...8).map { Double($0) / 8 })
    for token in tokens { token.invalidate() }
  }

  @Test("A change made in the initial call is reported after that call")
  func changeInInitialCall() {
    let operation = Held(name: "a", engine: OperationEngine())
    let calls = ObservedCalls()
    let token = operation.observe(
      named: "queuePriority", options: [.initial, .prior, .old, .new]
    ) { operation, change in
      if change.isInitial {
        operation.queuePriority = .high
        operation.queuePriority = .low
      }
      calls.add(change, present: operation.present("queuePriority"))
    }
    let low = #"text("low")"#
    #expect(
      calls.all == [
        #"initial: old -, new text("normal"), present \#(low)"#,
        #"prior: old text("normal"), new -, present \#(low)"#,
        #"change: old text("normal"), new text("high"), present \#(low)"#,
        #"prior: old text("high"), new -, present \#(low)"#,
        #"change: old text("high"), new text("low"), present \#(low)"#,
      ])
    token?.invalidate()
  }

  @Test(
    "Handlers run without a lock: a handler can wait for a thread that uses the engine",
    arguments: ObservationPropertyTests.cases)
  func noLockIsHeld(_ example: ObservationPropertyTests.Case) throws {
    let bench = Bench()
    let scene = try example.scene(bench)
    let queue = bench.queue("bystander", paused: true)
    let kinds = Gathered<String>()
    let token = try #require(
      scene.operation.observe(
        named: example.property, options: [.initial, .prior, .old, .new]
      ) { operation, change in
        kinds.add(change.isInitial ? "initial" : change.isPrior ? "prior" : "change")
        Self.useEverything(operation, queue, bench)
        let done = DispatchSemaphore(value: 0)
        Thread {
          Self.useEverything(operation, queue, bench)
          done.signal()
        }.start()
        #expect(done.wait(timeout: .now() + 60) == .success)
      })
    try scene.act()
    #expect(eventually { kinds.all.count >= 3 })
    scene.end()
    #expect(kinds.all.prefix(3) == ["initial", "prior", "change"])
    token.invalidate()
    queue.isSuspended = false
    drain(queue)
  }

  /// Reads every property, changes what changes nothing for the scene, observes and waits.
  private static func useEverything(
    _ operation: ObservableOperation, _ queue: InspectableQueue, _ bench: Bench
  ) {
    for name in ObservableKeyPath.operationNames { _ = operation.present(name) }
    for name in ObservableKeyPath.queueNames { _ = queue.present(name) }
    _ = (operation.state, operation.outcome, operation.timestamps, operation.attempts)
    _ = (operation.queue?.snapshot, operation.upstream, operation.downstream, operation.identity)
    _ = (
      queue.snapshot, queue.progress, queue.name, bench.engine.log.count, bench.engine.isDelivering
    )
    _ = bench.engine.log.entries(from: 0, limit: .max)
    let other = bench.quick("other")
    let tokens = [
      operation.observe(\.isFinished, options: [.initial]) { _, _ in },
      queue.observe(\.operations, options: [.initial, .new]) { _, _ in },
    ]
    try? other.depend(on: bench.quick("another"))
    other.queuePriority = .high
    try? queue.addOperation(other)
    queue.maxConcurrentOperationCount = queue.maxConcurrentOperationCount == 2 ? 3 : 2
    other.cancel()
    other.waitUntilFinished(timeout: .zero)
    for token in tokens { token.invalidate() }
  }
}
