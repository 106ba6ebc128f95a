import Dispatch
import Foundation
import Locking
import Operations
import TestSupport
import Testing

/// Thousands of operations on one queue, of which none may be forgotten or served twice.
///
/// The long run takes ten thousand.
@Suite(.timeLimit(.minutes(15))) struct ManyOperationsTests {
  private static let many = TestScale.count(2_000)

  @Test("Completion handlers and blocks run once for each of two batches")
  func completions() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    for _ in 0..<2 {
      let handled = Locked(0)
      let completed = DispatchSemaphore(value: 0)
      let operations = (0..<Self.many).map { _ in
        let operation = Hooked(
          log: bench.log, onExecute: { $0.finish(.success(1)) },
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
    #expect(LifeRecord(of: bench.log, width: 4).faults == [])
  }

  @Test("Cancelled right after they are added, all end, each in one way", arguments: [1, 4, -1])
  func cancelledAfterAdd(width: Int) throws {
    let bench = Bench()
    let queue = bench.queue(width: width)
    let results = Locked((succeeded: 0, cancelled: 0, executed: 0))
    for _ in 0..<Self.many {
      let operation = Hooked(
        log: bench.log,
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
    let record = LifeRecord(of: bench.log, width: width < 0 ? nil : width)
    #expect(record.faults == [])
    let all = results.withLock { $0 }
    #expect(all.succeeded + all.cancelled == Self.many)
    #expect(record.count("succeeded") == all.succeeded)
    #expect(record.count("cancelled") == all.cancelled)
    #expect(all.executed >= all.succeeded && record.executed.count >= all.executed)
  }

  @Test("Failed before they are added, all keep their error and none executes")
  func failedBeforeAdd() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let (codes, executed) = (Gathered<String>(), Locked(0))
    let operations = (0..<Self.many).map { index in
      let operation = Hooked(
        log: bench.log, onExecute: { _ in executed.withLock { $0 += 1 } },
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
    #expect(LifeRecord(of: bench.log, width: 3).faults == [])
  }

  @Test(
    "Failed or cancelled when they are about to execute, all end so and none executes",
    arguments: [true, false])
  func stoppedBeforeExecuting(byError: Bool) throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let executed = Locked(0)
    var tokens: [ObservationToken] = []
    let operations = (0..<Self.many / 2 + 1).map { _ in
      let operation = Hooked(log: bench.log) { operation in
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
    let record = LifeRecord(of: bench.log, width: 3)
    #expect(record.faults == [])
    #expect(record.count(byError ? "failed" : "cancelled") == operations.count)
    if byError {
      #expect(operations.allSatisfy { $0.outcome?.failure?.code == "no-longer" })
    }
  }

  @Test("One operation with thousands of dependencies runs last, or is skipped for one of them")
  func manyDependencies() throws {
    for failing in [false, true] {
      let bench = Bench()
      let queue = bench.queue(width: 4)
      let policies: [FailurePolicy] = [.skip, .fail, .run]
      let sink = bench.quick("sink")
      let operations = (0..<Self.many).map { _ in Quick(log: bench.log) }
      for (index, operation) in operations.enumerated() {
        try sink.depend(on: operation, policy: policies[index % 3])
      }
      #expect(sink.dependencies.count == Self.many)
      // 300 is on an edge that skips.
      if failing { operations[min(300, Self.many - 1) / 3 * 3].cancel() }
      try runAll([sink] + operations, on: queue)
      #expect(sink.outcome == (failing ? .skipped : .succeeded))
      let record = LifeRecord(of: bench.log, width: 4)
      #expect(record.faults == [])
      if !failing { #expect(record.executed.last == sink.id) }
    }
  }

  @Test("Thousands of operations that each get a dependency of their own all run after it")
  func eachWithDependency() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let broken = Locked(0)
    for _ in 0..<Self.many {
      let dependency = Quick(log: bench.log)
      let operation = Hooked(log: bench.log) { operation in
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
    let record = LifeRecord(of: bench.log, width: 4)
    #expect(record.faults == [])
    #expect(record.count("succeeded") == 2 * Self.many)
  }

  @Test("With a failing dependency, cancelled and let go at once, nothing stays and all have ended")
  func failingAndReleased() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let gone = Gathered<@Sendable () -> Bool>()
    for index in 0..<Self.many / 2 {
      let dependency = Hooked(log: bench.log) { $0.finish(.failure(TestError())) }
      let operation = Quick(log: bench.log)
      try operation.depend(on: dependency, policy: index.isMultiple(of: 2) ? .skip : .fail)
      gone.add { [weak operation, weak dependency] in operation == nil && dependency == nil }
      try queue.addOperation(operation)
      try queue.addOperation(dependency)
      operation.cancel()
    }
    try drainOrStop(queue)
    let areGone = eventually { gone.all.allSatisfy { $0() } }
    #expect(areGone)
    let record = LifeRecord(of: bench.log, width: 2)
    #expect(record.faults == [])
    #expect(record.outcomes.count == Self.many / 2 * 2)
    // Whether the cancel or the policy came first, it never ran.
    #expect(record.count("succeeded") == 0)
  }

  @Test("Paused and resumed all the time while failing dependencies stop thousands: all end")
  func pausedAndResumed() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let (executed, isOver) = (Locked(0), Locked(false))
    let operations = try (0..<Self.many).map { index in
      let dependency = Hooked(log: bench.log) { $0.finish(.failure(TestError())) }
      let operation = Hooked(log: bench.log) { operation in
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
    let record = LifeRecord(of: bench.log, width: 3)
    #expect(record.faults == [])
    #expect(executed.withLock { $0 } == 0)
    #expect(record.count("skipped") == (Self.many + 1) / 2)
    #expect(record.count("failed") == Self.many + Self.many / 2)
  }
}
