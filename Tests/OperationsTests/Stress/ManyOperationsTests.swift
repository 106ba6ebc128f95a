import Dispatch
import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// Thousands of operations on one queue, of which none may be forgotten or served twice.
///
/// The long run takes ten thousand.
@Suite(.timeLimit(.minutes(15))) struct ManyOperationsTests {
  private static let many = TestScale.count(2_000)

  @Test("Completion handlers and blocks run once for each operation of two batches")
  func completions() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    for _ in 0..<2 {
      let handled = Locked(0)
      let completed = DispatchSemaphore(value: 0)
      let operations = (0..<Self.many).map { _ in
        let operation = Hooked(
          engine: bench.engine, onExecute: { $0.finish(.success(1)) },
          completionHandler: { _ in handled.withLock { $0 += 1 } })
        operation.completionBlock = { completed.signal() }
        return operation
      }
      for operation in operations { try queue.addOperation(operation) }
      try drainOrStop(queue)
      #expect(handled.withLock { $0 } == Self.many)
      var missing = 0
      for _ in operations where completed.wait(timeout: .now() + 20) != .success {
        missing += 1
        if missing == 3 { break }
      }
      #expect(missing == 0)
      // And no more than once.
      #expect(completed.wait(timeout: .now()) == .timedOut)
    }
    #expect(LifeRecord(of: bench.engine, width: 4).faults == [])
  }

  @Test("Operations cancelled right after adding each end exactly once", arguments: [1, 4, -1])
  func cancelledAfterAdd(width: Int) throws {
    let bench = Bench()
    let queue = bench.queue(width: width)
    let results = Locked((succeeded: 0, cancelled: 0, executed: 0))
    for _ in 0..<Self.many {
      let operation = Hooked(
        engine: bench.engine,
        onExecute: { operation in
          results.withLock { $0.executed += 1 }
          operation.finish(.success(1))
        },
        completionHandler: { result in
          results.withLock { results in
            if case .success = result { results.succeeded += 1 } else { results.cancelled += 1 }
          }
        })
      try queue.addOperation(operation)
      operation.cancel()
    }
    try drainOrStop(queue)
    let record = LifeRecord(of: bench.engine, width: width < 0 ? nil : width)
    #expect(record.faults == [])
    let all = results.withLock { $0 }
    #expect(all.succeeded + all.cancelled == Self.many)
    #expect(record.count("succeeded") == all.succeeded)
    #expect(record.count("cancelled") == all.cancelled)
    #expect(all.executed >= all.succeeded && record.executed.count >= all.executed)
  }

  @Test("Operations failed before adding keep their error and do not execute")
  func failedBeforeAdd() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let (codes, executed) = (Gathered<String>(), Locked(0))
    let operations = (0..<Self.many).map { index in
      let operation = Hooked(
        engine: bench.engine, onExecute: { _ in executed.withLock { $0 += 1 } },
        completionHandler: { result in
          if case .failure(let error) = result { codes.add(OperationFailure(error).code) }
        })
      operation.finish(.failure(TestError(code: "code-\(index % 3)")))
      return operation
    }
    try runAll(operations, on: queue)
    #expect(executed.withLock { $0 } == 0)
    #expect(codes.all.count == Self.many)
    let wrong = operations.indices.filter {
      operations[$0].outcome?.failure?.code != "code-\($0 % 3)"
    }
    #expect(wrong == [])
    #expect(LifeRecord(of: bench.engine, width: 3).faults == [])
  }

  @Test(
    "Operations failed or cancelled just before executing keep that outcome and do not execute",
    arguments: [true, false])
  func stoppedBeforeExecuting(byError: Bool) throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let executed = Locked(0)
    var tokens: [ObservationToken] = []
    let operations = (0..<Self.many / 2 + 1).map { _ in
      let operation = Hooked(engine: bench.engine) { operation in
        executed.withLock { $0 += 1 }
        operation.finish(.success(1))
      }
      tokens.append(
        operation.observe(\.isExecuting, options: [.prior]) { [weak operation] _, change in
          guard change.isPrior, let operation, operation.state == .ready else { return }
          if byError {
            operation.finish(.failure(TestError(code: "no-longer")))
          } else {
            operation.cancel()
          }
        })
      return operation
    }
    for operation in operations { try queue.addOperation(operation) }
    try drainOrStop(queue)
    for token in tokens { token.invalidate() }
    #expect(executed.withLock { $0 } == 0)
    let record = LifeRecord(of: bench.engine, width: 3)
    #expect(record.faults == [])
    #expect(record.count(byError ? "failed" : "cancelled") == operations.count)
    if byError {
      #expect(operations.allSatisfy { $0.outcome?.failure?.code == "no-longer" })
    }
  }

  @Test("An operation with thousands of dependencies runs last, or is skipped because of one")
  func manyDependencies() throws {
    for failing in [false, true] {
      let bench = Bench()
      let queue = bench.queue(width: 4)
      let policies: [FailurePolicy] = [.skip, .fail, .run]
      let sink = bench.quick("sink")
      let operations = (0..<Self.many).map { _ in Quick(engine: bench.engine) }
      for (index, operation) in operations.enumerated() {
        try sink.depend(on: operation, policy: policies[index % 3])
      }
      #expect(sink.dependencies.count == Self.many)
      // 300 is on an edge that skips.
      if failing { operations[min(300, Self.many - 1) / 3 * 3].cancel() }
      try runAll([sink] + operations, on: queue)
      #expect(sink.outcome == (failing ? .skipped : .succeeded))
      let record = LifeRecord(of: bench.engine, width: 4)
      #expect(record.faults == [])
      if !failing { #expect(record.executed.last == sink.id) }
    }
  }

  @Test("Thousands of operations each run after their own dependency")
  func eachWithDependency() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let broken = Locked(0)
    for _ in 0..<Self.many {
      let dependency = Quick(engine: bench.engine)
      let operation = Hooked(engine: bench.engine) { operation in
        if !operation.dependencies.allSatisfy(\.isFinished) || operation.dependencies.count != 1 {
          broken.withLock { $0 += 1 }
        }
        operation.finish(.success(1))
      }
      try operation.depend(on: dependency, policy: .fail)
      try queue.addOperation(operation)
      try queue.addOperation(dependency)
    }
    try drainOrStop(queue)
    #expect(broken.withLock { $0 } == 0)
    let record = LifeRecord(of: bench.engine, width: 4)
    #expect(record.faults == [])
    #expect(record.count("succeeded") == 2 * Self.many)
  }

  @Test("Operations failed by a dependency, cancelled and released at once all end and go away")
  func failingAndReleased() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let gone = Gathered<@Sendable () -> Bool>()
    for index in 0..<Self.many / 2 {
      let dependency = Hooked(engine: bench.engine) { $0.finish(.failure(TestError())) }
      let operation = Quick(engine: bench.engine)
      try operation.depend(on: dependency, policy: index.isMultiple(of: 2) ? .skip : .fail)
      gone.add { [weak operation, weak dependency] in operation == nil && dependency == nil }
      try queue.addOperation(operation)
      try queue.addOperation(dependency)
      operation.cancel()
    }
    try drainOrStop(queue)
    let areGone = eventually { gone.all.allSatisfy { $0() } }
    #expect(areGone)
    let record = LifeRecord(of: bench.engine, width: 2)
    #expect(record.faults == [])
    #expect(record.outcomes.count == Self.many / 2 * 2)
    // Whether the cancel or the policy came first, it never ran.
    #expect(record.count("succeeded") == 0)
  }

  @Test("Thousands stopped by failing dependencies all end while the queue pauses and resumes")
  func pausedAndResumed() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let (executed, isOver) = (Locked(0), Locked(false))
    let operations = try (0..<Self.many).map { index in
      let dependency = Hooked(engine: bench.engine) { $0.finish(.failure(TestError())) }
      let operation = Hooked(engine: bench.engine) { operation in
        executed.withLock { $0 += 1 }
        operation.finish(.success(1))
      }
      try operation.depend(on: dependency, policy: index.isMultiple(of: 2) ? .skip : .fail)
      return [dependency, operation]
    }
    race([
      {
        for pair in operations { try? queue.addOperations(pair, waitUntilFinished: false) }
        // Ends whenever the queue happens not to be paused for long enough.
        _ = queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20))
        isOver.withLock { $0 = true }
      },
      {
        while !isOver.withLock({ $0 }) {
          queue.isSuspended.toggle()
          sched_yield()
        }
        queue.isSuspended = false
      },
    ])
    try drainOrStop(queue)
    let record = LifeRecord(of: bench.engine, width: 3)
    #expect(record.faults == [])
    #expect(executed.withLock { $0 } == 0)
    #expect(record.count("skipped") == (Self.many + 1) / 2)
    #expect(record.count("failed") == Self.many + Self.many / 2)
  }
}
