import Foundation
import Operations
import TestSupport
import Testing

/// Nothing that has ended stays behind.
@Suite(.timeLimit(.minutes(15))) struct LifetimeTests {
  @Test("Operations, bodies, handlers and observers are released, whatever the outcome")
  func everything() throws {
    let census = Census()
    let bench = Bench()
    let queue = bench.queue(width: 3)
    do {
      for round in 0..<10 {
        let resident = census.resident()
        let handler = census.resident()
        let operation = Keeping(census, engine: bench.engine)
        let withHandler = Held(name: "h", engine: bench.engine) { _ in
          withExtendedLifetime(handler) {}
        }
        let body = BlockingOperation(engine: bench.engine) { _ in
          withExtendedLifetime(resident) {}
          if round.isMultiple(of: 2) { throw TestError() }
          return nil
        }
        let plain = Plain(engine: bench.engine) { withExtendedLifetime(resident) {} }
        let token = operation.observe(\.isFinished) { _, _ in withExtendedLifetime(resident) {} }
        body.retryPolicy = RetryPolicy(limit: round % 3, backoff: .zero)
        try plain.depend(on: body, policy: [.run, .skip, .fail][round % 3])
        try withHandler.depend(on: operation) { _ in withExtendedLifetime(resident) {} }
        operation.exclusiveNames = ["x"]
        body.timeLimit = .seconds(3_600)
        plain.startDelay = .microseconds(100)
        withHandler.queuePriority = .low
        withHandler.queuePriority = .high
        try queue.addOperations([operation, body, plain, withHandler], waitUntilFinished: false)
        if round.isMultiple(of: 4) { withHandler.cancel() }
        operation.finish(.success(1))
        withHandler.finish(.success(1))
        token.invalidate()
      }
      drain(queue)
    }
    #expect(eventually { census.count == 0 }, "\(census.count)")
    #expect(queue.operations.isEmpty)
  }

  @Test("A finished operation refers to its queue, but does not keep it alive")
  func finishedOperation() throws {
    let bench = Bench()
    weak var gone: InspectableQueue?
    let operations = [
      Quick(engine: bench.engine), Plain(engine: bench.engine),
      BlockingOperation(engine: bench.engine) { _ in nil },
      bench.group(),
    ]
    do {
      let queue = bench.queue("work")
      gone = queue
      try queue.addOperations(operations, waitUntilFinished: false)
      drain(queue)
      #expect(operations.allSatisfy { $0.queue === queue && $0.queueName == "work" })
      queue.name = "renamed"
    }
    #expect(eventually { gone == nil })
    #expect(operations.allSatisfy { $0.queue == nil && $0.queueName == "renamed" })
  }

  @Test("Barriers, steps and paces keep no operation alive")
  func queueFeatures() throws {
    let (census, bench) = (Census(), Bench())
    let queue = bench.queue(width: 2, paused: true)
    do {
      for index in 0..<12 {
        let operation = Keeping(census, engine: bench.engine)
        operation.finish(.success(1))
        if index.isMultiple(of: 3) {
          try queue.addBarrier(operation)
        } else {
          try queue.addOperation(operation)
        }
        operation.queuePriority = .high
        operation.queuePriority = .low
      }
      try queue.step(2)
      queue.pace = .microseconds(200)
      queue.isSuspended = false
      drain(queue)
    }
    #expect(eventually { census.count == 0 }, "\(census.count)")
  }

  @Test("A body thread releases its operation before it runs the next one")
  func firstOnThread() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let gate = Gate()
    let threads = Gathered<UInt>()
    weak var first: BlockingOperation?
    let second = BlockingOperation(name: "second", engine: bench.engine) { _ in
      threads.add(UInt(bitPattern: Thread.current.hash))
      gate.pass()
      return nil
    }
    do {
      let operation = BlockingOperation(name: "first", engine: bench.engine) { _ in
        threads.add(UInt(bitPattern: Thread.current.hash))
        return nil
      }
      first = operation
      try queue.addOperations([operation, second], waitUntilFinished: false)
    }
    #expect(eventually { threads.all.count == 2 })
    _ = eventually { first == nil || second.state == .finished }
    #expect(first == nil && second.state == .executing)
    // It is one thread, or this tests nothing.
    #expect(Set(threads.all).count == 1)
    gate.open()
    drain(queue)
  }

  @Test("A suspended queue keeps neither its finished operations nor itself alive")
  func suspendedQueue() throws {
    let (census, bench) = (Census(), Bench())
    weak var gone: InspectableQueue?
    do {
      let queue = bench.queue(paused: true)
      gone = queue
      let operation = Keeping(census, engine: bench.engine)
      try queue.addOperation(operation)
      operation.queuePriority = .high
      #expect(try queue.step().count == 1)
      #expect(operation.waitUntilBegun())
      operation.finish(.success(1))
      #expect(operation.waitUntilFinished(timeout: .seconds(60)))
    }
    #expect(eventually { census.count == 0 && gone == nil }, "\(census.count)")
  }

  @Test("An operation that was never added is released, whatever was set on it")
  func neverAdded() throws {
    let (census, bench) = (Census(), Bench())
    let upstream = bench.held("upstream")
    do {
      let operation = Keeping(census, engine: bench.engine)
      operation.exclusiveNames = ["x"]
      operation.timeLimit = .seconds(1)
      operation.startDelay = .seconds(3_600)
      let resident = census.resident()
      operation.retryPolicy = RetryPolicy(limit: 1) { _ in
        withExtendedLifetime(resident) { true }
      }
      try operation.depend(on: upstream) { _ in withExtendedLifetime(resident) {} }
      let body = BlockingOperation(engine: bench.engine) { _ in
        withExtendedLifetime(resident) {}
        return nil
      }
      try body.depend(on: operation)
    }
    // Another thread may be about to let go of what this one let go of.
    let isGone = eventually { census.count == 0 }
    #expect(isGone, "\(census.count)")
    #expect(upstream.downstream.isEmpty)
  }
}
