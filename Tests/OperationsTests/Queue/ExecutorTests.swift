import Foundation
import OpshLocking
import OpshSupport
import TestSupport
import Testing

@testable import Operations

@Suite("Queues with an executor", .timeLimit(.minutes(5)))
struct ExecutorTests {
  /// Runs work on the calling thread, one after the other, when told to.
  private final class Hand: Sendable {
    private let work = Locked(FIFO<@Sendable () -> Void>())

    var count: Int { work.withLock { $0.count } }
    func add(_ new: @escaping @Sendable () -> Void) { work.withLock { $0.append(new) } }
    func runNext() { work.withLock { $0.popFirst() }?() }
  }

  private let bench = Bench()
  private let hand = Hand()

  private func queue(width: Int = 1) -> InspectableQueue {
    InspectableQueue(
      name: "main", maxConcurrentOperationCount: width, engine: bench.engine,
      executor: { [hand] in hand.add($0) })
  }

  @Test("All kinds of operations run on the executor's thread, one at a time")
  func thread() throws {
    let queue = queue()
    let threads = Gathered<Bool>()
    let own = pthread_self()
    let note: @Sendable () -> Void = {
      threads.add(pthread_equal(pthread_self(), own) != 0)
    }
    let blocking = BlockingOperation(name: "b", engine: bench.engine) { _ in
      note()
      return nil
    }
    let plain = Plain(name: "p", engine: bench.engine, body: note)
    let quick = bench.quick("q")
    quick.addCompletion(.before, note)
    let operations = [blocking, plain, quick]
    try queue.addOperations(operations, waitUntilFinished: false)
    for operation in operations {
      #expect(hand.count == 1)
      #expect(operation.state == .executing)
      hand.runNext()
      #expect(operation.state == .finished)
      #expect(operation.thread?.role == .executor)
    }
    #expect(threads.all == [true, true, true])
    #expect(hand.count == 0)
  }

  @Test("A cancelled operation ends when its turn comes")
  func cancelled() throws {
    let queue = queue()
    let (first, second) = (bench.quick("first"), bench.quick("second"))
    try queue.addOperations([first, second], waitUntilFinished: false)
    second.cancel()
    hand.runNext()
    #expect(first.outcome == .succeeded)
    hand.runNext()
    #expect(second.outcome == .cancelled)
    #expect(second.timestamps.executing == nil)
  }

  @Test("A retry runs on the executor too")
  func retry() throws {
    let queue = queue()
    let attempts = Locked(0)
    let operation = BlockingOperation(name: "b", engine: bench.engine) { _ in
      let number = attempts.withLock { count in
        count += 1
        return count
      }
      if number == 1 { throw TestError() }
      return nil
    }
    operation.retryPolicy = RetryPolicy(limit: 1, backoff: .zero)
    try queue.addOperation(operation)
    hand.runNext()
    #expect(eventually { hand.count == 1 })
    hand.runNext()
    #expect(operation.outcome == .succeeded)
    #expect(attempts.withLock { $0 } == 2)
  }
}
