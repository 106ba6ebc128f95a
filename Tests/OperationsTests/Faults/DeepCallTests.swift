import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// Observers and handlers each of which brings the next one about.
@Suite(.timeLimit(.minutes(15))) struct DeepCallTests {
  private static let count = TestScale.count(20_000)

  @Test(
    "Operations whose observers finish one another do not overflow the stack",
    arguments: [nil, 256 << 10])
  func observers(stackSize: Int?) throws {
    let bench = Bench()
    let queue = bench.queue(width: -1)
    let operations = (0..<Self.count).map { bench.held("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    let order = Gathered<Int>()
    let tokens = zip(operations, operations.dropFirst()).map { one, next in
      one.observe(\.isFinished) { _, _ in
        next.finish(.success(1))
        // What follows from a change has happened when the call that made it returns.
        order.add(next.isFinished ? next.id : 0)
      }
    }
    let first = try #require(operations.first)
    #expect(comesBack(stackSize: stackSize) { first.finish(.success(1)) })
    try drainOrStop(queue)
    #expect(order.all == operations.dropFirst().map(\.id).reversed())
    withExtendedLifetime(tokens) {}
  }

  @Test("Completion handlers that finish one another end; each sees its own current operation")
  func handlers() throws {
    let bench = Bench()
    let queue = bench.queue(width: -1)
    let (next, strangers) = (Locked<[Int: Held]>([:]), Gathered<Int>())
    let operations = (0..<Self.count).map { index in
      Held(name: "op-\(index)", engine: bench.engine) { _ in
        let current = ObservableOperation.current
        if current?.name != "op-\(index)" { strangers.add(index) }
        next.withLock { $0[index + 1] }?.finish(.success(1))
      }
    }
    next.withLock {
      $0 = Dictionary(uniqueKeysWithValues: operations.enumerated().map { ($0, $1) })
    }
    try queue.addOperations(operations, waitUntilFinished: false)
    let first = try #require(operations.first)
    #expect(comesBack { first.finish(.success(1)) })
    try drainOrStop(queue)
    #expect(strangers.all.isEmpty)
    #expect(operations.allSatisfy { $0.outcome == .succeeded })
    next.withLock { $0 = [:] }
  }

  @Test("Operations whose prior observers cancel one another all end")
  func priorObservers() throws {
    let bench = Bench()
    let operations = (0..<Self.count).map { bench.held("op-\($0)") }
    let tokens = zip(operations, operations.dropFirst()).map { one, next in
      one.observe(\.isCancelled, options: [.prior]) { _, change in
        if change.isPrior { next.cancel() }
      }
    }
    let first = try #require(operations.first)
    #expect(comesBack { first.cancel() })
    #expect(operations.allSatisfy { $0.isCancelled })
    withExtendedLifetime(tokens) {}
  }

  @Test("Operations whose cancel handlers cancel the next one all end")
  func stoppingWork() throws {
    let bench = Bench()
    let queue = bench.queue(width: -1)
    let (next, begun) = (Locked<[Int: Hooked]>([:]), Locked(0))
    let operations = (0..<Self.count).map { index in
      Hooked(
        name: "op-\(index)", engine: bench.engine,
        onExecute: { _ in begun.withLock { $0 += 1 } },
        onCancel: { _ in next.withLock { $0[index + 1] }?.cancel() })
    }
    next.withLock {
      $0 = Dictionary(uniqueKeysWithValues: operations.enumerated().map { ($0, $1) })
    }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(eventually { begun.withLock { $0 } == Self.count })
    let first = try #require(operations.first)
    #expect(comesBack { first.cancel() })
    try drainOrStop(queue)
    #expect(operations.allSatisfy { $0.outcome == .cancelled })
    next.withLock { $0 = [:] }
  }
}
