import Foundation
import Testing

@testable import Operations

/// How long the lock is held while a queue says what comes next, in counted steps.
@Suite(.timeLimit(.minutes(15))) struct StartPlanTests {
  @Test("A plan of many operations, and of one with many dependencies, looks at few at a time")
  func boundedSteps() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let operations = (0..<10_000).map { bench.quick("op-\($0)") }
    let last = bench.quick("last")
    for operation in operations { try last.depend(on: operation) }
    try queue.addOperations(operations + [last], waitUntilFinished: false)
    let plan = queue.plan()
    #expect(plan.longestStepTaken <= StartPlan.longestStep)
    let order = plan.order()
    #expect(order.map(\.displayName) == operations.map(\.displayName) + ["last"])
    queue.cancelAllOperations()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("Operations that move while the plan is read are read again, each once")
  func moving() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let operations = (0..<3000).map { bench.quick("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    var plan = StartPlan()
    #expect(bench.log.guarded { !plan.read(queue.core) })
    // So many have gone that the gaps are closed.
    while queue.operationCount > 300 {
      try queue.step()
      #expect(queue.waitForSlots())
    }
    while !bench.log.guarded({ plan.read(queue.core) }) {}
    #expect(plan.order().map(\.id) == queue.operations.map(\.id))
    queue.isSuspended = false
    drain(queue)
  }

  @Test("A step on a queue of many counts those that are ready without looking at each")
  func stepCounts() throws {
    let bench = Bench()
    let queue = bench.queue(width: 10_000, paused: true)
    let count = QueueCore.longestCount + 2
    try queue.addOperations(
      (0..<count).map { bench.held("op-\($0)") }, waitUntilFinished: false)
    let reasons = try queue.step(4).map(\.reason)
    #expect(
      reasons == [
        "it comes first of about \(count) ready with priority normal",
        "it comes first of about \(count - 1) ready with priority normal",
        "it comes first of \(count - 2) ready with priority normal",
        "it comes first of \(count - 3) ready with priority normal",
      ])
    queue.cancelAllOperations()
    queue.isSuspended = false
    drain(queue)
  }
}

extension InspectableQueue {
  /// Waits until nothing executes.
  fileprivate func waitForSlots() -> Bool {
    for _ in 0..<1_000_000 {
      if executingOperationCount == 0 { return true }
      sched_yield()
    }
    return false
  }
}

/// How long the lock is held while an operation says what keeps it, in counted steps.
@Suite(.timeLimit(.minutes(15))) struct WaitSearchTests {
  @Test("A long chain, and very many dependencies, are looked at a few at a time, down to the root")
  func boundedSteps() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let chain = (0..<5000).map { bench.quick("chain-\($0)") }
    for (operation, next) in zip(chain.dropFirst(), chain) { try operation.depend(on: next) }
    let wide = (0..<5000).map { bench.quick("wide-\($0)") }
    let last = bench.quick("last")
    for operation in wide + [chain[4999]] { try last.depend(on: operation) }
    // Two ways to the same, so that a circle is looked for.
    try chain[4999].depend(on: wide[0])
    try queue.addOperations(chain + wide + [last], waitUntilFinished: false)
    let search = last.searchReasons()
    #expect(search.longestPieceTaken <= 3 * WaitSearch.longestPiece)
    #expect(!search.hasCircle)
    let reasons = last.waitReasons()
    #expect(reasons.count == 64)
    #expect(reasons.first?.text == "waits for 'wide-0', which is ready")
    #expect(reasons.contains { $0.code == .queuePaused })
    queue.cancelAllOperations()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("A circle of others is found at the end of a search in pieces")
  func circle() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(width: 1), bench.queue("other", width: 1))
    // A group that holds the only slot waits for what waits for that slot.
    let group = GroupOperation(name: "group", log: bench.log)
    let (inside, behind) = (bench.quick("inside"), bench.quick("behind"))
    try inside.depend(on: behind)
    try group.addOperation(inside)
    let chain = (0..<3000).map { bench.quick("chain-\($0)") }
    for (operation, next) in zip(chain.dropFirst(), chain) { try operation.depend(on: next) }
    try chain[0].depend(on: group)
    try queue.addOperations([group, behind], waitUntilFinished: false)
    try other.addOperations(chain, waitUntilFinished: false)
    let search = chain[2999].searchReasons()
    #expect(search.hasCircle)
    group.cancel()
    drain(queue)
    drain(other)
  }
}
