import Foundation
import Operations
import OpshSupport
import TestSupport
import Testing

/// What dependencies mean at each moment, and that cycles are refused wherever they would close.
@Suite(.timeLimit(.minutes(15))) struct DependencyRuleTests {
  @Test("A dependency added twice counts once")
  func duplicate() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (upstream, operation) = (bench.held("upstream"), bench.quick("a"))
    for _ in 0..<3 { operation.addDependency(upstream) }
    try operation.depend(on: upstream)
    #expect(operation.dependencies == [upstream])
    #expect(upstream.downstream == [operation])
    try queue.addOperations([operation, upstream], waitUntilFinished: false)
    upstream.finish(.success(1))
    try drainOrStop(queue)
    #expect(operation.outcome == .succeeded)
    #expect(operation.dependencies == [upstream])
  }

  @Test("A dependent of an operation on no queue runs after that one is started by hand")
  func startedByHand() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (loose, operation) = (Plain(name: "loose", engine: bench.engine), bench.quick("a"))
    try operation.depend(on: loose)
    try queue.addOperation(operation)
    #expect(!operation.waitUntilFinished(timeout: .milliseconds(5)))
    #expect(operation.waitReasons().map(\.code) == [.dependency, .notOnQueue])
    loose.start()
    try drainOrStop(queue)
    #expect(bench.started == ["loose", "a"])
  }

  @Test("A dependency added to a pending operation is honoured, on a paused queue or not")
  func addedWhilePending() throws {
    for paused in [true, false] {
      let bench = Bench()
      let (gates, queue) = (bench.queue("gates"), bench.queue(paused: paused))
      let (first, second) = (bench.held("first"), bench.held("second"))
      let operation = bench.quick("a")
      try operation.depend(on: first)
      try gates.addOperations([first, second], waitUntilFinished: false)
      try queue.addOperation(operation)
      try operation.depend(on: second)
      queue.isSuspended = false
      first.finish(.success(1))
      #expect(operation.state == .pending)
      second.finish(.success(1))
      try drainOrStop(queue)
      try drainOrStop(gates)
      #expect(operation.outcome == .succeeded)
      #expect(bench.started.last == "a")
    }
  }

  @Test("A finished dependency does not delay its dependent and stays listed")
  func finishedBefore() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let done = Plain(name: "done", engine: bench.engine)
    done.start()
    let (before, after) = (bench.quick("before"), bench.quick("after"))
    try before.depend(on: done)
    try queue.addOperations([before, after], waitUntilFinished: false)
    try after.depend(on: done)
    #expect(before.isReady && after.isReady)
    queue.isSuspended = false
    try drainOrStop(queue)
    #expect(before.dependencies == [done] && after.dependencies == [done])
  }

  @Test("Between the decision to start and the start a new dependency is refused")
  func whileStarting() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (operation, never) = (bench.held("a"), bench.held("never"))
    let codes = Gathered<String>()
    let token = operation.observe(\.isExecuting, options: [.prior]) { operation, change in
      guard change.isPrior, operation.state == .ready else { return }
      do throws(DependencyError) { try operation.depend(on: never) } catch { codes.add(error.code) }
    }
    try queue.addOperation(operation)
    try #require(operation.waitUntilBegun())
    operation.finish(.success(1))
    try drainOrStop(queue)
    #expect(codes.all == ["already-starting"])
    #expect(operation.dependencies.isEmpty)
    token.invalidate()
  }

  @Test("When isFinished is true, the dependents are ready and the slot is free")
  func seenFinished() throws {
    let late = Gathered<String>()
    for _ in 0..<TestScale.count(300) {
      let bench = Bench()
      let queue = bench.queue(width: 1)
      let (upstream, dependent) = (bench.held("upstream"), bench.held("dependent"))
      try dependent.depend(on: upstream)
      try queue.addOperations([upstream, dependent], waitUntilFinished: false)
      race([
        { upstream.finish(.success(1)) },
        {
          // Polls, as people do.
          while !upstream.isFinished { sched_yield() }
          if !dependent.isReady { late.add("not ready") }
          if queue.operations != [dependent] { late.add("still listed") }
          if queue.operationCount != 1 { late.add("still counted") }
          if queue.snapshot.slotHolders.contains(where: { $0.operation.name == "upstream" }) {
            late.add("holds its slot")
          }
        },
      ])
      dependent.cancel()
      try drainOrStop(queue)
    }
    #expect(late.all == [])
  }

  @Test("A cycle across queues is refused, and the existing operations run")
  func cycleAcrossQueues() throws {
    let bench = Bench()
    let (one, two) = (bench.queue("one", paused: true), bench.queue("two", paused: true))
    let (a, b, c) = (bench.quick("a"), bench.quick("b"), bench.quick("c"))
    try one.addOperation(a)
    try two.addOperation(b)
    try b.depend(on: a)
    try c.depend(on: b)
    #expect(throws: DependencyError.cycle(path: ["a", "c", "b", "a"])) { try a.depend(on: c) }
    // Taking a link out breaks the cycle.
    try b.removeDependency(on: a)
    try a.depend(on: c)
    #expect(throws: DependencyError.cycle(path: ["b", "a", "c", "b"])) { try b.depend(on: a) }
    try one.addOperation(c)
    (one.isSuspended, two.isSuspended) = (false, false)
    try drainOrStop(one)
    try drainOrStop(two)
    #expect(bench.started == ["b", "c", "a"])
  }

  @Test("A cycle of thousands of operations is refused with every name on its path")
  func longCycle() throws {
    let bench = Bench()
    let chain = (0..<2_000).map { bench.quick("op-\($0)") }
    for index in 1..<chain.count { try chain[index].depend(on: chain[index - 1]) }
    let path = ["op-0"] + chain.indices.reversed().map { "op-\($0)" }
    #expect(throws: DependencyError.cycle(path: path)) { try chain[0].depend(on: chain[1_999]) }
    chain[0].addDependency(chain[1_999])
    #expect(chain[0].dependencies.isEmpty)
    let queue = bench.queue(width: 1)
    try runAll(chain.reversed(), on: queue)
    #expect(bench.started == chain.map(\.displayName))
  }

  @Test("Threads that add dependencies in all directions never close a cycle")
  func cyclesFromThreads() throws {
    for seed in 0..<TestScale.count(20) {
      let bench = Bench()
      let queue = bench.queue(width: 2, paused: true)
      let operations = (0..<12).map { bench.quick("op-\($0)") }
      try queue.addOperations(operations, waitUntilFinished: false)
      race(
        (0..<3).map { thread in
          {
            var random = RandomSource(seed: UInt64(seed * 3 + thread))
            for _ in 0..<40 {
              let (one, other) = (random.below(12), random.below(12))
              try? operations[one].depend(on: operations[other])
            }
          }
        })
      queue.isSuspended = false
      try drainOrStop(queue)
      let record = LifeRecord(of: bench.engine, width: 2)
      #expect(record.count("succeeded") == 12)
      // Each ran after all that it depends on.
      let place = Dictionary(
        uniqueKeysWithValues: bench.started.enumerated().map { ($1, $0) })
      for operation in operations {
        for edge in operation.upstream {
          #expect(place[edge.operation.displayName] ?? 99 < place[operation.displayName] ?? -1)
        }
      }
    }
  }
}
