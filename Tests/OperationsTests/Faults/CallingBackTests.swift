import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// Foundation's queue hangs for ever if it is touched from some of the places that it calls.
@Suite(.timeLimit(.minutes(15))) struct CallingBackTests {
  /// A place from which the engine calls out.
  enum Place: String, CaseIterable {
    case isReady, isExecuting, isFinished, isCancelled, operations, operationCount
    case execute, cancelExecution, completionHandler, outcomeSummary, wakeUp
  }

  @Test("Client code can call the engine from every callback", arguments: Place.allCases)
  func anywhere(place: Place) throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let waiting = bench.held("waiting")
    let calls = Gathered<Int>()
    let isFirst = Locked(true)
    let callBack: @Sendable () -> Void = { [engine = bench.engine] in
      // What it does calls out again, to the same places.
      guard
        isFirst.withLock({ isFirst in
          defer { isFirst = false }
          return isFirst
        })
      else { return }
      Self.useEverything(of: queue, waiting: waiting, engine: engine)
      calls.add(1)
    }
    let (gate, begun) = (bench.held("gate"), Door())
    let subject = Hooked(
      name: "subject", engine: bench.engine,
      onExecute: { _ in
        if place == .execute { callBack() }
        begun.open()
      },
      onCancel: { _ in if place == .cancelExecution { callBack() } },
      onSummary: { _ in if place == .outcomeSummary { callBack() } },
      completionHandler: { _ in if place == .completionHandler { callBack() } })
    try subject.depend(on: gate)
    try waiting.depend(on: subject)
    let options: ObservationOptions = [.initial, .prior, .old, .new]
    let tokens = [
      subject.observe(named: place.rawValue, options: options) { _, change in
        if !change.isInitial { callBack() }
      },
      queue.observe(named: place.rawValue, options: options) { _, change in
        if !change.isInitial { callBack() }
      },
    ]
    if place == .wakeUp { bench.engine.log.setWakeUp(callBack) }
    let isBack = comesBack {
      try? queue.addOperations([gate, subject, waiting], waitUntilFinished: false)
      _ = gate.waitUntilBegun()
      gate.finish(.success(1))
      begun.pass()
      subject.cancel()
      waiting.cancel()
      queue.isSuspended = false
      _ = queue.waitUntilAllOperationsAreFinished(timeout: .seconds(10))
    }
    #expect(isBack)
    #expect(calls.all == [1])
    try drainOrStop(queue)
    #expect(LifeRecord(of: bench.engine).faults == [])
    for token in tokens { token?.invalidate() }
    bench.engine.log.setWakeUp(nil)
  }

  /// Calls whatever there is that could take a lock or start something.
  private static func useEverything(
    of queue: InspectableQueue, waiting: Held, engine: OperationEngine
  ) {
    let cancelled = Held(engine: engine)
    cancelled.cancel()
    try? queue.addOperation(cancelled)
    try? queue.addOperations(
      [Quick(engine: engine), Quick(engine: engine)], waitUntilFinished: false)
    queue.addOperation {}
    queue.isSuspended = true
    queue.maxConcurrentOperationCount = 0
    queue.maxConcurrentOperationCount = 3
    queue.isSuspended = false
    let other = Quick(engine: engine)
    try? waiting.depend(on: other)
    _ = try? waiting.removeDependency(on: other)
    waiting.queuePriority = .high
    waiting.name = "renamed"
    _ = (queue.snapshot, queue.predictedOrder(), queue.operations, queue.operationCount)
    _ = (waiting.waitReasons(), waiting.state, waiting.dependencies, queue.progress)
    _ = engine.log.entries(from: 0, limit: 10)
    _ = queue.waitUntilAllOperationsAreFinished(timeout: .milliseconds(1))
    let token = waiting.observe(\.isFinished, options: [.initial]) { _, _ in }
    token.invalidate()
  }

  @Test(
    "In a chain each operation adds the next one from its completion handler",
    arguments: [
      1, 2,
    ])
  func relay(width: Int) throws {
    let bench = Bench()
    let queue = bench.queue(width: width)
    let (left, done) = (Locked(TestScale.count(1_000)), Door())
    @Sendable func add() {
      let isLast = left.withLock { left in
        left -= 1
        return left < 0
      }
      if isLast { return done.open() }
      let next = Hooked(
        engine: bench.engine, onExecute: { $0.finish(.success(1)) },
        completionHandler: { _ in add() })
      do { try queue.addOperation(next) } catch { Issue.record("\(error)") }
    }
    add()
    #expect(done.pass(within: 60))
    try drainOrStop(queue)
    let record = LifeRecord(of: bench.engine, width: width)
    #expect(record.faults == [])
    #expect(record.count("succeeded") == TestScale.count(1_000))
  }
}
