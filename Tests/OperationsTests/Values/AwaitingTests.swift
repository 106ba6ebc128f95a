import Foundation
import OpshLocking
import TestSupport
import Testing

@testable import Operations

@Suite("Awaiting operations", .timeLimit(.minutes(5)))
struct AwaitingTests {
  private let bench = Bench()

  private final class Captured: Sendable {}

  private struct Plainly: Error, Equatable { let number: Int }

  /// Polls a condition without blocking the thread.
  private func soon(_ condition: () -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition() {
      guard .now < deadline else { return false }
      await Task.yield()
    }
    return true
  }

  @Test("An asynchronous function is the work of an operation, and its value can be awaited")
  func asyncBody() async throws {
    let operation = ConcurrentOperation(name: "a", engine: bench.engine) {
      await Task.yield()
      return 42
    }
    try bench.queue().addOperation(operation)
    #expect(try await operation.value == 42)
    try await operation.finished()
    #expect(operation.outcome == .succeeded)
  }

  @Test("Cancelling an operation cancels the task of its body")
  func cancelling() async throws {
    let (began, wasCancelled) = (Locked(false), Locked(false))
    let idle = bench.held("idle")
    let operation = ConcurrentOperation(engine: bench.engine) {
      began.withLock { $0 = true }
      do { return try await idle.value } catch {
        wasCancelled.withLock { $0 = true }
        throw error
      }
    }
    try bench.queue().addOperation(operation)
    #expect(try await soon { began.withLock { $0 } })
    operation.cancel()
    await #expect(throws: CancellationError.self) { try await operation.value }
    await #expect(throws: CancellationError.self) { try await operation.finished() }
    #expect(operation.outcome == .cancelled)
    #expect(try await soon { wasCancelled.withLock { $0 } })
  }

  @Test("A finished operation releases its asynchronous body")
  func release() async throws {
    var object: Captured? = Captured()
    weak let captured = object
    let operation = ConcurrentOperation<Void>(engine: bench.engine) { [object] in
      withExtendedLifetime(object) {}
    }
    object = nil
    try bench.queue().addOperation(operation)
    try await operation.finished()
    #expect(try await soon { captured == nil })
  }

  @Test("Each attempt calls the asynchronous function again")
  func retries() async throws {
    let calls = Locked(0)
    let operation = ConcurrentOperation(engine: bench.engine) {
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      guard call == 3 else { throw Plainly(number: call) }
      return call
    }
    let seen = Gathered<Int>()
    operation.retryPolicy = RetryPolicy(limit: 5, backoff: .milliseconds(1)) { failure in
      if let error = failure.underlying as? Plainly { seen.add(error.number) }
      return true
    }
    try bench.queue().addOperation(operation)
    #expect(try await operation.value == 3)
    #expect(seen.all == [1, 2])
  }

  @Test("Blocks and groups can be awaited, and throw the error as it was thrown")
  func blocksAndGroups() async throws {
    let queue = bench.queue()
    let block = BlockingOperation(engine: bench.engine) { _ in throw Plainly(number: 7) }
    let group = bench.group()
    try group.addOperation(bench.quick("member"))
    try queue.addOperations([block, group], waitUntilFinished: false)
    await #expect(throws: Plainly(number: 7)) { try await block.finished() }
    #expect(block.outcome?.failure?.underlying as? Plainly == Plainly(number: 7))
    try await group.finished()
    try await queue.drained()
    #expect(queue.operationCount == 0)
  }

  @Test("A skipped operation throws why")
  func skipped() async throws {
    let (failing, skipped) = (bench.held("failing"), bench.quick("skipped"))
    try skipped.depend(on: failing, policy: .skip)
    try bench.queue().addOperations([failing, skipped], waitUntilFinished: false)
    #expect(try await soon { failing.executions == 1 })
    failing.finish(.failure(TestError()))
    await #expect(throws: OperationError.skipped(name: "failing")) {
      try await skipped.finished()
    }
  }

  @Test("A cancelled wait for a queue ends, and the operations go on")
  func cancelledDrain() async throws {
    let queue = bench.queue()
    let held = bench.held("a")
    try queue.addOperation(held)
    let task = Task { try await queue.drained() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!held.isCancelled)
    held.finish(.success(1))
    try await queue.drained()
  }

  @Test("A message is the description of an error, and its localized description")
  func messages() {
    #expect("\(OperationError.cancelled)" == "the operation was cancelled")
    let failure = OperationFailure(TestError())
    #expect((failure as any Error).localizedDescription == "it broke")
    #expect(failure.underlying as? TestError == TestError())
    #expect(failure == OperationFailure(code: "broken", message: "it broke"))
  }

  @Test("A body that blocks for another operation says so", arguments: [true, false])
  func waitingBody(isAsync: Bool) async throws {
    let held = bench.held("held")
    let waiting: ObservableOperation =
      isAsync
      ? ConcurrentOperation(name: "waiting", engine: bench.engine) { try await held.value }
      : BlockingOperation(name: "waiting", engine: bench.engine) { _ in
        held.waitUntilFinished()
        return nil
      }
    try bench.queue(width: 1).addOperation(waiting)
    #expect(try await soon { waiting.awaited.first === held })
    #expect(waiting.waitReasons().contains { $0.operations.contains { $0 === held } })
    #expect(!waiting.canFinish)
    try bench.queue("other").addOperation(held)
    #expect(try await soon { held.executions == 1 })
    held.finish(.success(1))
    try await waiting.finished()
    #expect(waiting.awaited.isEmpty)
    #expect(bench.engine.waitingBodyCount == 0)
  }

  @Test("Bodies that wait for one another are a deadlock")
  func deadlock() async throws {
    let others = Locked<[ConcurrentOperation<Int>]>([])
    let operations = (0..<2).map { index in
      ConcurrentOperation<Int>(name: "body-\(index)", engine: bench.engine) {
        while others.withLock({ $0.count }) < 2 { await Task.yield() }
        return try await others.withLock { $0[1 - index] }.value
      }
    }
    others.withLock { $0 = operations }
    try bench.queue().addOperations(operations, waitUntilFinished: false)
    #expect(try await soon { operations.allSatisfy { !$0.canFinish } })
    #expect(
      operations[0].waitReasons().contains { $0.operations.contains { $0 === operations[1] } })
    operations[0].cancel()
    await #expect(throws: CancellationError.self) { try await operations[1].value }
    others.withLock { $0 = [] }
  }
}
