import Foundation
import TestSupport
import Testing

@testable import Operations

/// How long the lock is held while a queue says what comes next, in counted steps.
@Suite(.timeLimit(.minutes(15))) struct StartPlanTests {
  @Test("A plan of many operations or many dependencies is computed in small steps")
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

  @Test("Operations that move while the plan is read are listed once")
  func moving() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let operations = (0..<3000).map { bench.quick("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    var plan = StartPlan()
    #expect(bench.engine.guarded { !plan.read(queue.core) })
    // So many have gone that the gaps are closed.
    while queue.operationCount > 300 {
      try queue.step()
      #expect(queue.waitForSlots())
    }
    while !bench.engine.guarded({ plan.read(queue.core) }) {}
    #expect(plan.order().map(\.id) == queue.operations.map(\.id))
    queue.isSuspended = false
    drain(queue)
  }

  @Test("A step on a large queue counts the ready operations without visiting each one")
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
  /// Waits until nothing executes, for a minute at most.
  fileprivate func waitForSlots() -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      if executingOperationCount == 0 { return true }
      sched_yield()
    }
    return false
  }
}

/// How long the lock is held while an operation says what keeps it, in counted steps.
@Suite(.timeLimit(.minutes(15))) struct WaitSearchTests {
  @Test("A long chain or very many dependencies are searched in small steps down to the root")
  func boundedSteps() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let chain = (0..<5000).map { bench.quick("chain-\($0)") }
    for (operation, next) in zip(chain.dropFirst(), chain) { try operation.depend(on: next) }
    let wide = (0..<5000).map { bench.quick("wide-\($0)") }
    let last = bench.quick("last")
    for operation in wide + [chain[4999]] { try last.depend(on: operation) }
    // Two ways to the same, so that it looks for a cycle.
    try chain[4999].depend(on: wide[0])
    try queue.addOperations(chain + wide + [last], waitUntilFinished: false)
    let search = last.searchReasons()
    #expect(search.longestPieceTaken <= WaitSearch.longestPiece)
    #expect(search.mayHaveCycle)
    let reasons = last.waitReasons()
    #expect(reasons.count == 64)
    #expect(reasons.first?.text == "waits for 'wide-0', which is ready")
    #expect(reasons.contains { $0.code == .queuePaused })
    queue.cancelAllOperations()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("Operations before a barrier or in a group are searched in small steps")
  func membersInPieces() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(width: -1, paused: true), bench.queue("other"))
    let before = (0..<5000).map { bench.quick("before-\($0)") }
    let barrier = bench.quick("barrier")
    try queue.addOperations(before, waitUntilFinished: false)
    try queue.addBarrier(barrier)
    let group = bench.group()
    group.innerQueue.isSuspended = true
    for number in 0..<5000 { try group.addOperation(bench.quick("inside-\(number)")) }
    let last = bench.quick("last")
    try last.depend(on: group)
    try other.addOperations([group, last], waitUntilFinished: false)
    #expect(eventually { group.state == .executing })

    for (operation, prefix) in [(barrier, "before"), (last, "inside")] {
      let names = "'\(prefix)-0', '\(prefix)-1', '\(prefix)-2', '\(prefix)-3' and 4996 more"
      var pauses = 0
      let search = operation.searchReasons { pauses += 1 }
      #expect(search.longestPieceTaken <= WaitSearch.longestPiece)
      #expect(pauses >= 9)
      let reason = try #require(
        operation.waitReasons().first { $0.text.contains(names) }, "\(operation.displayName)")
      #expect(reason.subject.count == 4)
      let finding = try #require(search.found.first { $0.subject.members != nil })
      var members = try #require(finding.subject.members)
      var pieces = 1
      while bench.engine.guardedState({ !members.readPiece(in: $0) }) { pieces += 1 }
      #expect(pieces == 5 && members.count == 5000)
    }
    queue.cancelAllOperations()
    queue.isSuspended = false
    group.innerQueue.isSuspended = false
    drain(queue)
    drain(other)
  }

  @Test("A search in small steps finds a cycle among other operations", arguments: [false, true])
  func cycle(isBusy: Bool) throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(width: 1), bench.queue("other", width: 1))
    let bystander = bench.held("bystander")
    // A group that holds the only slot waits for what waits for that slot.
    let group = GroupOperation(name: "group", engine: bench.engine)
    let (inside, behind) = (bench.quick("inside"), bench.quick("behind"))
    try inside.depend(on: behind)
    try group.addOperation(inside)
    let chain = (0..<3000).map { bench.quick("chain-\($0)") }
    for (operation, next) in zip(chain.dropFirst(), chain) { try operation.depend(on: next) }
    try chain[0].depend(on: group)
    try queue.addOperations([group, behind], waitUntilFinished: false)
    try other.addOperations(chain, waitUntilFinished: false)
    // It is there, whatever else happens on the log.
    var pauses = 0
    let search = chain[2999].searchReasons {
      pauses += 1
      if isBusy { bystander.name = "bystander-\(pauses)" }
    }
    #expect(pauses > 0)
    #expect(search.found.contains { $0.key.code == .deadlock })
    #expect(chain[2999].waitReasons().contains { $0.code == .deadlock })
    group.cancel()
    drain(queue)
    drain(other)
  }

  @Test("A cycle that disappears during a search is not reported")
  func goneCycle() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(width: 1), bench.queue("other", paused: true))
    let group = GroupOperation(name: "group", engine: bench.engine)
    let (inside, behind) = (bench.quick("inside"), bench.quick("behind"))
    let wide = (0..<3000).map { bench.quick("wide-\($0)") }
    for operation in [behind] + wide { try inside.depend(on: operation) }
    try group.addOperation(inside)
    try queue.addOperations([group, behind], waitUntilFinished: false)
    try other.addOperations(wide, waitUntilFinished: false)
    #expect(eventually { inside.waitReasons().contains { $0.code == .deadlock } })
    var search = CycleSearch()
    #expect(search.cycle(from: inside) { _ = try? inside.removeDependency(on: behind) } == nil)
    other.isSuspended = false
    drain(other)
    drain(queue)
  }
}
