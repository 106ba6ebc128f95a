import Operations
import OpshSupport
import TestSupport
import Testing

/// On Foundation's queue an operation that loses an unfinished dependency never becomes ready.
@Suite(.timeLimit(.minutes(15))) struct RemovedDependencyTests {
  @Test("After one of two dependencies is removed, only the other one decides")
  func oneOfTwo() throws {
    let bench = Bench()
    let (gates, queue) = (bench.queue("gates"), bench.queue())
    let (first, second) = (bench.held("first"), bench.held("second"))
    let operation = bench.held("a")
    try operation.depend(on: first)
    try operation.depend(on: second)
    try gates.addOperations([first, second], waitUntilFinished: false)
    try queue.addOperation(operation)
    operation.removeDependency(first)
    #expect(operation.dependencies == [second])
    #expect(operation.state == .pending)
    first.finish(.success(1))
    #expect(operation.state == .pending)
    second.finish(.success(1))
    try #require(operation.waitUntilBegun())
    operation.finish(.success(1))
    try drainOrStop(queue)
    try drainOrStop(gates)
  }

  @Test("A dependency removed and added a hundred times: the dependent runs once, in its turn")
  func removedAndAdded() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (gate, operation) = (bench.held("gate"), bench.held("a"))
    try operation.depend(on: gate)
    // A second one keeps it waiting while the first comes and goes.
    let other = bench.held("other")
    try operation.depend(on: other)
    try queue.addOperation(operation)
    for _ in 0..<100 {
      try operation.removeDependency(on: gate)
      try operation.depend(on: gate)
    }
    #expect(operation.upstream.map(\.operation.displayName) == ["other", "gate"])
    #expect(gate.downstream == [operation])
    try queue.addOperations([gate, other], waitUntilFinished: false)
    other.finish(.success(1))
    #expect(!operation.isReady)
    gate.finish(.success(1))
    try #require(operation.waitUntilBegun())
    operation.finish(.success(1))
    try drainOrStop(queue)
    #expect(operation.executions == 1)
    #expect(bench.life("a").count == 4)
  }

  @Test("An operation runs after its only dependency is removed, even if that one never starts")
  func neverStarted() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = bench.quick("a")
    let never = bench.held("never")
    operation.addDependency(never)
    try queue.addOperation(operation)
    #expect(operation.state == .pending)
    operation.removeDependency(never)
    try drainOrStop(queue)
    #expect(operation.outcome == .succeeded)
    #expect(bench.reasons("a")[1] == "no longer depends on never")
    #expect(never.state == .created)
  }

  @Test("A cancelled operation ends although its finished dependency is removed and added again")
  func cancelled() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (upstream, operation) = (bench.quick("upstream"), bench.held("a"))
    try operation.depend(on: upstream)
    operation.cancel()
    try runAll([upstream], on: queue)
    for _ in 0..<3 {
      try operation.removeDependency(on: upstream)
      try operation.depend(on: upstream)
    }
    #expect(operation.isReady)
    try queue.addOperation(operation)
    try drainOrStop(queue)
    #expect(operation.outcome == .cancelled)
    #expect(operation.executions == 0)
  }

  @Test("Removing a finished dependency does not affect the unfinished ones")
  func finishedOne() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let (done, open, operation) = (bench.quick("done"), bench.held("open"), bench.quick("a"))
    try runAll([done], on: queue)
    try operation.depend(on: done)
    try operation.depend(on: open)
    try queue.addOperations([open, operation], waitUntilFinished: false)
    try operation.removeDependency(on: done)
    #expect(operation.state == .pending)
    open.finish(.success(1))
    try drainOrStop(queue)
    #expect(bench.started == ["done", "open", "a"])
  }

  @Test("Dependencies added, removed and finished in any order: ready when none is unmet")
  func anyOrder() throws {
    for seed in 0..<TestScale.count(60) {
      var random = RandomSource(seed: UInt64(seed) &* 6_364_136_223 &+ 7)
      let bench = Bench()
      let (gates, queue) = (bench.queue("gates", width: -1), bench.queue(paused: true))
      let upstream = (0..<6).map { _ in Held(engine: bench.engine) }
      try gates.addOperations(upstream, waitUntilFinished: false)
      let operation = bench.held("a")
      if seed.isMultiple(of: 2) { try queue.addOperation(operation) }
      var (finished, unmet): (Set<Int>, Set<Int>) = ([], [])
      var wrong: [Int] = []
      for step in 0..<40 {
        let index = random.below(upstream.count)
        switch random.below(5) {
        case 0, 1:
          try operation.depend(on: upstream[index])
          if !finished.contains(index) { unmet.insert(index) }
        case 2, 3:
          try operation.removeDependency(on: upstream[index])
          unmet.remove(index)
        default:
          // Late in the round, or little would be left to wait for.
          guard step > 20 else { continue }
          upstream[index].finish(.success(1))
          finished.insert(index)
          unmet.remove(index)
        }
        if operation.isReady != unmet.isEmpty { wrong.append(step) }
      }
      #expect(wrong == [], "seed \(seed)")
      for operation in upstream { operation.finish(.success(1)) }
      if operation.state == .created { try queue.addOperation(operation) }
      queue.isSuspended = false
      try #require(operation.waitUntilBegun())
      operation.finish(.success(1))
      try drainOrStop(queue)
      try drainOrStop(gates)
    }
  }
}
