import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// Foundation's queue keeps a bare pointer to what depends on an operation and follows it when the
/// operation finishes, also if the dependent has long gone.
@Suite(.timeLimit(.minutes(15))) struct CancelledDependentTests {
  @Test("A dependency finishes after its cancelled dependent was released")
  func cancelledAndGone() throws {
    let bench = Bench()
    let (one, two) = (bench.queue("one"), bench.queue("two"))
    var left = 0
    for _ in 0..<TestScale.count(300) {
      // upstream                      dependent
      // executes
      //                               waits, is cancelled, finishes, goes
      // finishes
      let upstream = Held(engine: bench.engine)
      try one.addOperation(upstream)
      weak var gone: Quick?
      do {
        let dependent = Quick(engine: bench.engine)
        gone = dependent
        try dependent.depend(on: upstream)
        try two.addOperation(dependent)
        dependent.cancel()
        try drainOrStop(two)
      }
      if !eventually({ gone == nil }) { left += 1 }
      upstream.finish(.success(1))
    }
    try drainOrStop(one)
    #expect(left == 0)
    let record = LifeRecord(of: bench.engine)
    #expect(record.faults == [])
    #expect(record.count("succeeded") == record.count("cancelled"))
  }

  @Test("Cancelling all ends a pending dependent while its dependency runs; both are released")
  func cancelAll() throws {
    for _ in 0..<TestScale.count(100) {
      // running                       dependent
      // executes its body             waits
      // is cancelled, goes on         is cancelled, finishes, goes
      // returns
      let bench = Bench()
      let queue = bench.queue(width: 2)
      let (began, goOn) = (Door(), Door())
      let running = BlockingOperation(engine: bench.engine) { _ in
        began.open()
        goOn.pass()
        return nil
      }
      weak var gone: Quick?
      do {
        let dependent = Quick(engine: bench.engine)
        gone = dependent
        try dependent.depend(on: running)
        try queue.addOperations([running, dependent], waitUntilFinished: false)
        try #require(began.pass())
        queue.cancelAllOperations()
        #expect(dependent.waitUntilFinished(timeout: .seconds(60)))
        #expect(dependent.outcome == .cancelled)
      }
      let isGone = eventually { gone == nil }
      #expect(isGone)
      #expect(running.state == .executing)
      goOn.open()
      try drainOrStop(queue)
      #expect(running.outcome == .cancelled)
    }
  }

  @Test("Dependents on no queue can be released while their dependency finishes")
  func neverAdded() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    for _ in 0..<TestScale.count(400) {
      let upstream = Held(engine: bench.engine)
      try queue.addOperation(upstream)
      let dependents = Locked<[Quick]>([])
      weak var gone: Quick?
      do {
        let some = (0..<4).map { _ in Quick(engine: bench.engine) }
        for dependent in some { try dependent.depend(on: upstream) }
        gone = some[3]
        dependents.withLock { $0 = some }
      }
      race([
        { upstream.finish(.success(1)) },
        { dependents.withLock { $0 = [] } },
      ])
      try drainOrStop(queue)
      // The finishing thread may hold the last reference for a moment.
      let isGone = eventually { gone == nil }
      #expect(isGone)
      #expect(upstream.downstream.isEmpty)
    }
  }

  @Test("A dependent can be cancelled and released while its dependency finishes")
  func cancelledMeanwhile() throws {
    let bench = Bench()
    let (one, two) = (bench.queue("one"), bench.queue("two"))
    for _ in 0..<TestScale.count(400) {
      let upstream = Held(engine: bench.engine)
      try one.addOperation(upstream)
      let dependent = Locked<Quick?>(nil)
      do {
        let some = Quick(engine: bench.engine)
        try some.depend(on: upstream)
        try two.addOperation(some)
        dependent.withLock { $0 = some }
      }
      race([
        { upstream.finish(.success(1)) },
        {
          dependent.withLock { $0 }?.cancel()
          dependent.withLock { $0 = nil }
        },
      ])
    }
    try drainOrStop(one)
    try drainOrStop(two)
    let record = LifeRecord(of: bench.engine, width: 2)
    #expect(record.faults == [])
    #expect(record.outcomes.count == 2 * TestScale.count(400))
  }

  @Test("A finished operation refused as a dependent can be released before the dependency ends")
  func refusedLate() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    for _ in 0..<TestScale.count(200) {
      let late = Held(engine: bench.engine)
      weak var gone: Quick?
      do {
        let finished = Quick(engine: bench.engine)
        gone = finished
        try runAll([finished], on: queue)
        finished.addDependency(late)
        #expect(finished.dependencies.isEmpty)
      }
      let isGone = eventually { gone == nil }
      #expect(isGone)
      try queue.addOperation(late)
      late.finish(.success(1))
      try drainOrStop(queue)
      #expect(late.outcome == .succeeded)
    }
  }
}
