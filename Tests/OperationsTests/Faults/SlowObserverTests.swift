import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// Observers and handlers that wait for an operation which the same change has started.
@Suite(.timeLimit(.minutes(15))) struct SlowObserverTests {
  /// A change, and an observer of it that waits.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Makes the change; the waiting is to be done by what it calls.
    let run: @Sendable (Bench, @escaping @Sendable (ObservableOperation) -> Void) throws -> Void

    init(
      _ description: String,
      _ run:
        @escaping @Sendable (
          Bench, @escaping @Sendable (ObservableOperation) -> Void
        ) throws -> Void
    ) {
      testDescription = description
      self.run = run
    }
  }

  /// Runs `first` on a queue of width 1 with another operation after it, for which an observer of
  /// `first` waits.
  private static func follow(
    _ first: ObservableOperation, by next: ObservableOperation, in bench: Bench,
    _ wait: @escaping @Sendable (ObservableOperation) -> Void, afterwards: () -> Void = {}
  ) throws {
    let queue = bench.queue(width: 1)
    let token = first.observe(\.isFinished) { _, _ in wait(next) }
    try queue.addOperations([first, next], waitUntilFinished: false)
    afterwards()
    try drainOrStop(queue)
    withExtendedLifetime(token) {}
  }

  static let cases = [
    Case("an operation is finished from outside") { bench, wait in
      let first = bench.held("first")
      try follow(first, by: bench.quick("next"), in: bench, wait) { first.finish(.success(1)) }
    },
    Case("an executing operation is cancelled") { bench, wait in
      let first = bench.held("first")
      try follow(first, by: bench.quick("next"), in: bench, wait) {
        #expect(first.waitUntilBegun())
        first.cancel()
      }
    },
    Case("a body returns, and a body follows on its thread") { bench, wait in
      let bodies = ["first", "next"].map {
        BlockingOperation(name: $0, engine: bench.engine) { _ in nil }
      }
      try follow(bodies[0], by: bodies[1], in: bench, wait)
    },
    Case("a main() returns, and another follows on its thread") { bench, wait in
      try follow(Plain(engine: bench.engine), by: Plain(engine: bench.engine), in: bench, wait)
    },
    Case("several operations are started at once") { bench, wait in
      let queue = bench.queue(width: -1)
      let first = bench.held("first")
      let others = (0..<3).map { _ in Plain(engine: bench.engine) }
      for other in others { try other.depend(on: first) }
      let token = first.observe(\.isFinished) { _, _ in for other in others { wait(other) } }
      try queue.addOperations([first] + others, waitUntilFinished: false)
      first.finish(.success(1))
      try drainOrStop(queue)
      withExtendedLifetime(token) {}
    },
    Case("a queue is resumed") { bench, wait in
      let queue = bench.queue(paused: true)
      let operation = bench.quick("a")
      try queue.addOperation(operation)
      let token = queue.observe(\.isSuspended) { _, _ in wait(operation) }
      queue.isSuspended = false
      withExtendedLifetime(token) {}
    },
    Case("a queue is widened") { bench, wait in
      let queue = bench.queue(width: 0)
      let operation = Plain(engine: bench.engine)
      try queue.addOperation(operation)
      let token = queue.observe(\.maxConcurrentOperationCount) { _, _ in wait(operation) }
      queue.maxConcurrentOperationCount = 1
      withExtendedLifetime(token) {}
    },
    Case("an operation is added") { bench, wait in
      let queue = bench.queue()
      let operation = bench.quick("a")
      let isFirst = Locked(true)
      let token = queue.observe(\.operationCount) { _, _ in
        // Not again when the operation has gone.
        let waits = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if waits { wait(operation) }
      }
      try queue.addOperation(operation)
      withExtendedLifetime(token) {}
    },
    Case("a dependency is removed") { bench, wait in
      let queue = bench.queue()
      let (operation, upstream) = (bench.quick("a"), bench.held("upstream"))
      try operation.depend(on: upstream)
      try queue.addOperation(operation)
      let token = operation.observe(\.dependencies) { operation, _ in wait(operation) }
      try operation.removeDependency(on: upstream)
      withExtendedLifetime(token) {}
    },
    Case("a pending operation is cancelled, and ends") { bench, wait in
      let queue = bench.queue()
      let (operation, upstream) = (bench.quick("a"), bench.held("upstream"))
      try operation.depend(on: upstream)
      try queue.addOperation(operation)
      let token = operation.observe(\.isCancelled) { operation, _ in wait(operation) }
      operation.cancel()
      withExtendedLifetime(token) {}
    },
    Case("a completion handler of a skipped operation waits") { bench, wait in
      let queue = bench.queue(width: 1)
      let (first, next) = (bench.held("first"), Plain(engine: bench.engine))
      let skipped = Held(name: "skipped", engine: bench.engine) { _ in wait(next) }
      try skipped.depend(on: first, policy: .skip)
      try queue.addOperations([first, skipped, next], waitUntilFinished: false)
      first.finish(.failure(TestError()))
      try drainOrStop(queue)
      #expect(skipped.outcome == .skipped)
    },
    Case("an empty group ends, announced before") { bench, wait in
      let queue = bench.queue(width: 2)
      let (group, other) = (bench.group(), Plain(engine: bench.engine))
      let token = group.observe(\.isFinished, options: [.prior]) { _, change in
        if change.isPrior { wait(other) }
      }
      queue.isSuspended = true
      try queue.addOperations([group, other], waitUntilFinished: false)
      queue.isSuspended = false
      try drainOrStop(queue)
      withExtendedLifetime(token) {}
    },
  ]

  @Test("On the virtual clock work started by an observer's change runs after the observer")
  func virtualClock() throws {
    let bench = Bench()
    bench.engine.virtualClock.begin()
    let queue = bench.queue(width: 1)
    let (first, next) = (bench.held("first"), Plain(engine: bench.engine))
    let came = Gathered<Bool>()
    let token = first.observe(\.isFinished) { _, _ in
      came.add(next.waitUntilFinished(timeout: .milliseconds(50)))
    }
    try queue.addOperations([first, next], waitUntilFinished: false)
    while bench.engine.virtualClock.runNext() {}
    first.finish(.success(1))
    while bench.engine.virtualClock.runNext() {}
    #expect(came.all == [false])
    #expect(next.outcome == .succeeded)
    withExtendedLifetime(token) {}
  }

  @Test("An observer that waits for work its own change started returns", arguments: cases)
  func waits(testCase: Case) throws {
    let came = Gathered<Bool>()
    try testCase.run(Bench()) { came.add($0.waitUntilFinished(timeout: .seconds(20))) }
    // The queue may be empty just before the observer's wait returns.
    #expect(eventually(timeout: .seconds(30)) { !came.all.isEmpty })
    #expect(Set(came.all) == [true])
  }
}
