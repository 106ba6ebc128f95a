import Dispatch
import Foundation
import Operations
import TestSupport
import Testing

/// Large shapes, and the faults of Foundation's own queue that ours must not have.
@Suite(.serialized) struct ScaleTests {
  private static let many = TestScale.count(100_000)

  /// Expects that a time grows with another one as it should, in one of three measurements: the
  /// machine may be busy with something else in the others.
  private func expectBound(
    _ measure: () throws -> (base: Duration, other: Duration),
    isKept: (_ base: Duration, _ other: Duration) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var measured: [String] = []
    let isInTime = try (1...3).contains { _ in
      let (base, other) = try measure()
      measured.append("\(base) and \(other)")
      return isKept(base, other)
    }
    #expect(isInTime, "\(measured)", sourceLocation: sourceLocation)
  }

  @Test("A chain of 100,000 is added, drained and released")
  func chain() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    do {
      var last = Quick(engine: bench.engine)
      var all = [last]
      for _ in 1..<Self.many {
        let next = Quick(engine: bench.engine)
        try next.depend(on: last)
        last = next
        all.append(next)
      }
      try queue.addOperations(all, waitUntilFinished: false)
      drain(queue)
      #expect(last.outcome == .succeeded)
      #expect(queue.snapshot.finished == Self.many)
    }
  }

  @Test("An observer of something else makes adding dependencies no slower")
  func observedSink() throws {
    let bench = Bench()
    let upstreams = (0..<20_000).map { _ in Quick(engine: bench.engine) }
    func time(isObserved: Bool) throws -> Duration {
      let sink = Quick(engine: bench.engine)
      let token = isObserved ? sink.observe(\.isFinished) { _, _ in } : nil
      let start = ContinuousClock.now
      for upstream in upstreams { try sink.depend(on: upstream) }
      withExtendedLifetime(token) {}
      return ContinuousClock.now - start
    }
    try expectBound {
      try (time(isObserved: false), time(isObserved: true))
    } isKept: { plain, observed in
      // Copying what is there already for each new one takes a hundred times as long.
      observed < plain * 15 + .milliseconds(200)
    }
  }

  @Test("Removing many dependencies takes no longer than adding them", arguments: [true, false])
  func removal(forwards: Bool) throws {
    try expectBound {
      let bench = Bench()
      let sink = Quick(engine: bench.engine)
      let upstreams = (0..<20_000).map { _ in Quick(engine: bench.engine) }
      let clock = ContinuousClock()
      let adding = try clock.measure {
        for upstream in upstreams { try sink.depend(on: upstream) }
      }
      let removing = try clock.measure {
        for upstream in forwards ? upstreams : upstreams.reversed() {
          try sink.removeDependency(on: upstream as ObservableOperation)
        }
      }
      #expect(sink.dependencies.isEmpty && sink.isReady)
      return (adding, removing)
    } isKept: { adding, removing in
      // One step for each that is left would be a thousand times as many.
      removing < adding * 15 + .milliseconds(500)
    }
  }

  @Test(
    "Removing many dependencies stays fast after a failure and with values",
    arguments: [true, false], [true, false])
  func removalOfMore(isDecided: Bool, forwards: Bool) throws {
    try expectBound {
      try timesOfRemoval(isDecided: isDecided, forwards: forwards)
    } isKept: { adding, removing in
      removing < adding * 15 + .milliseconds(500)
    }
  }

  /// Adds and removes many dependencies, and measures both.
  private func timesOfRemoval(
    isDecided: Bool, forwards: Bool
  ) throws -> (base: Duration, other: Duration) {
    let bench = Bench()
    let sink = Quick(engine: bench.engine)
    let failing = bench.held("failing")
    try failing.startManually()
    failing.finish(.failure(TestError()))
    let upstreams = (0..<20_000).map { bench.held("u\($0)") }
    let clock = ContinuousClock()
    let adding = try clock.measure {
      if isDecided { try sink.depend(on: failing, policy: .skip) }
      for upstream in upstreams {
        if isDecided {
          try sink.depend(on: upstream)
        } else {
          try sink.depend(on: upstream) { _ in }
        }
      }
    }
    let removing = try clock.measure {
      for upstream in forwards ? upstreams : upstreams.reversed() {
        try sink.removeDependency(on: upstream as ObservableOperation)
      }
    }
    #expect(sink.isReady != isDecided)
    try sink.removeDependency(on: failing as ObservableOperation)
    #expect(sink.dependencies.isEmpty && sink.isReady)
    return (adding, removing)
  }

  @Test("Thousands of skipped barriers do not slow down the operations around them")
  func skippedBarriers() throws {
    try expectBound {
      try timesOfSkipping()
    } isKept: { adding, skipping in
      skipping < adding * 10 + .milliseconds(500)
    }
  }

  /// Adds many barriers that are skipped then, and measures both.
  private func timesOfSkipping() throws -> (base: Duration, other: Duration) {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let failing = bench.held("failing")
    let count = 10_000
    let clock = ContinuousClock()
    let adding = try clock.measure {
      for _ in 0..<count {
        try queue.addOperation(Quick(engine: bench.engine))
        let barrier = Quick(engine: bench.engine)
        try barrier.depend(on: failing, policy: .skip)
        try queue.addBarrier(barrier)
      }
    }
    try failing.startManually()
    let skipping = clock.measure { failing.finish(.failure(TestError())) }
    #expect(queue.operationCount == count)
    queue.isSuspended = false
    drain(queue)
    #expect(queue.snapshot.finished == 2 * count)
    return (adding, skipping)
  }

  @Test("An unfinished chain of 100,000 is released on a thread with a small stack")
  func releaseOnThread() throws {
    let bench = Bench()
    let released = Gathered<Bool>()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      var last: Quick? = Quick(engine: bench.engine)
      weak let first = last
      for _ in 1..<Self.many {
        let next = Quick(engine: bench.engine)
        if let last { try? next.depend(on: last) }
        last = next
      }
      released.add(first == nil)
      last = nil
      // Another thread that releases something at that moment does it for this one.
      released.add(eventually { first == nil })
      done.signal()
    }
    thread.stackSize = 256 * 1024
    thread.start()
    #expect(done.wait(timeout: .now() + 120) == .success)
    #expect(released.all == [false, true])
  }

  @Test("A chain of 30,000 skipped operations ends without recursion")
  func skippedChain() throws {
    let bench = Bench()
    let queue = bench.queue()
    let first = bench.held("first")
    try queue.addOperation(first)
    var all: [Quick] = []
    var last: ObservableOperation = first
    for _ in 0..<TestScale.count(30_000) {
      let next = Quick(engine: bench.engine)
      try next.depend(on: last, policy: .skip)
      last = next
      all.append(next)
    }
    try queue.addOperations(all, waitUntilFinished: false)
    first.finish(.failure(TestError()))
    drain(queue)
    #expect(all.allSatisfy { $0.outcome == .skipped })
  }

  @Test("A fan-out of 100,000 and a fan-in of 100,000 drain")
  func fans() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let hub = bench.held("hub")
    let fan = try (0..<Self.many).map { _ in
      let operation = Quick(engine: bench.engine)
      try operation.depend(on: hub)
      return operation
    }
    let sink = bench.quick("sink")
    for operation in fan { try sink.depend(on: operation) }
    try queue.addOperations([sink, hub] + fan, waitUntilFinished: false)
    hub.finish(.success(1))
    drain(queue)
    #expect(sink.outcome == .succeeded)
    #expect(bench.started.last == "sink")
  }

  @Test("Releasing a cancelled dependent does not affect its dependency")
  func danglingDependents() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    for _ in 0..<500 {
      let upstream = bench.held("upstream")
      try queue.addOperation(upstream)
      do {
        // One that is cancelled while it waits, and one that was never added.
        let waiting = bench.held("waiting")
        try waiting.depend(on: upstream)
        try queue.addOperation(waiting)
        waiting.cancel()
        let never = bench.held("never")
        try never.depend(on: upstream)
      }
      upstream.finish(.success(1))
      drain(queue)
      #expect(upstream.downstream.allSatisfy { $0.displayName != "never" })
    }
  }

  @Test("Adding while the dependency finishes on another thread never leaves an operation behind")
  func noLostStart() throws {
    for round in 0..<TestScale.count(3_000) {
      let bench = Bench()
      let (one, two) = (bench.queue("one"), bench.queue("two"))
      let upstream = bench.held("upstream")
      let dependent = bench.quick("dependent")
      try one.addOperation(upstream)
      if round.isMultiple(of: 2) { try dependent.depend(on: upstream) }
      race([
        { upstream.finish(.success(1)) },
        {
          try? dependent.depend(on: upstream)
          try? two.addOperation(dependent)
        },
      ])
      drain(two)
      drain(one)
      #expect(dependent.outcome == .succeeded)
    }
  }

  @Test("Operations added by four threads all run, never above the width")
  func liveAdds() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    race(
      (0..<4).map { _ in
        {
          for _ in 0..<TestScale.count(5_000) {
            try? queue.addOperation(Quick(engine: bench.engine))
          }
        }
      })
    drain(queue)
    #expect(queue.snapshot.finished == 4 * TestScale.count(5_000))
    var executing = 0
    var most = 0
    for entry in bench.entries where entry.event == .transition {
      if entry.to == .executing { executing += 1 }
      if entry.from == .executing { executing -= 1 }
      most = max(most, executing)
    }
    #expect(most <= 3)
    #expect(executing == 0)
  }

  @Test("Names, priorities and widths change from many threads at once")
  func concurrentProperties() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let operations = (0..<500).map { bench.quick("op-\($0)") }
    let levels: [Operation.QueuePriority] = [.low, .normal, .high]
    race([
      { for operation in operations { try? queue.addOperation(operation) } },
      {
        for round in 0..<4 {
          for operation in operations { operation.queuePriority = levels[round % 3] }
        }
      },
      {
        for operation in operations {
          operation.name = "renamed-\(operation.id)"
          operation.qualityOfService = .utility
        }
      },
      { for round in 0..<200 { queue.maxConcurrentOperationCount = round % 5 } },
      { for _ in 0..<200 { _ = (queue.snapshot, queue.predictedOrder(), queue.operations) } },
      { for operation in operations { _ = (operation.waitReasons(), operation.name) } },
    ])
    try queue.setWidth(2)
    drain(queue)
    #expect(operations.allSatisfy { $0.outcome == .succeeded })
  }
}
