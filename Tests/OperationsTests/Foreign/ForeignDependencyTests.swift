import Foundation
import Operations
import TestSupport
import Testing

/// Dependencies between our operations and Foundation's.
@Suite(.timeLimit(.minutes(15))) struct ForeignDependencyTests {
  @Test("An operation waits for a dependency on a Foundation queue")
  func onFoundationsQueue() throws {
    let bench = Bench()
    let (queue, foundation) = (bench.queue(), OperationQueue())
    let (work, after) = (ForeignWork(), bench.quick("after"))
    foundation.addOperation(work)
    try after.depend(on: work)
    try queue.addOperation(after)
    #expect(after.dependencies == [work])
    #expect(after.state == .pending)
    #expect(after.waitCodes == ["dependency ForeignWork"])
    #expect(
      after.waitReasons().first?.text == "waits for 'ForeignWork', a Foundation operation")
    #expect(work.waitUntilBegun())
    work.end()
    drain(queue)
    #expect(after.outcome == .succeeded)
    #expect(bench.reasons("after").contains("dependencies met: ForeignWork"))
  }

  @Test("An unstarted Foundation dependency is a wait reason; starting it releases the dependent")
  func neverStarted() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (work, after, last) = (BlockOperation(), bench.quick("after"), bench.quick("last"))
    work.name = "work"
    try after.depend(on: work)
    try last.depend(on: after)
    try queue.addOperations([after, last], waitUntilFinished: false)
    #expect(after.waitCodes == ["dependency work", "not-on-queue work"])
    #expect(last.waitCodes == ["dependency after", "dependency work", "not-on-queue work"])
    #expect(last.waitReasons().map(\.depth) == [0, 1, 2])
    #expect(last.waitReasons().last?.text == "'work' is on no queue, so nothing will start it")
    work.start()
    drain(queue)
  }

  @Test("A finished Foundation dependency is satisfied; the policy decides about a cancelled one")
  func policies() throws {
    let bench = Bench()
    let queue = bench.queue(width: 8)
    let (done, cancelled) = (BlockOperation(), BlockOperation())
    done.start()
    cancelled.cancel()
    var dependents: [Quick] = []
    for policy in FailurePolicy.allCases {
      for other in [done, cancelled] {
        let dependent = bench.quick("\(policy.rawValue)")
        try dependent.depend(on: other, policy: policy)
        dependents.append(dependent)
      }
    }
    try queue.addOperations(dependents, waitUntilFinished: false)
    cancelled.start()
    drain(queue)
    #expect(
      dependents.map { $0.outcome?.name } == [
        "succeeded", "succeeded", "succeeded", "skipped", "succeeded", "failed",
      ])
  }

  @Test("Thousands of dependents of one Foundation operation take one thread")
  func manyDependents() throws {
    let bench = Bench()
    let (queue, foundation) = (bench.queue(), OperationQueue())
    let work = ForeignWork()
    foundation.addOperation(work)
    let before = ThreadCount.now
    let dependents = try (0..<2_000).map { _ in
      let dependent = Quick(engine: bench.engine)
      try dependent.depend(on: work)
      return dependent
    }
    try queue.addOperations(dependents, waitUntilFinished: false)
    // Other tests run beside this one.
    #expect(ThreadCount.now - before < 500)
    work.end()
    drain(queue)
    #expect(dependents.allSatisfy { $0.outcome == .succeeded })
  }

  @Test("A Foundation operation on our queue appears as its wrapper, with that queue's reasons")
  func wrappedOnOurQueue() throws {
    let bench = Bench()
    let (queue, paused) = (bench.queue(), bench.queue("paused", paused: true))
    let (work, after) = (BlockOperation(), bench.quick("after"))
    let wrapper = try paused.addOperation(work, name: "work")
    try after.depend(on: work)
    try queue.addOperation(after)
    #expect(after.upstream.first?.operation === wrapper)
    #expect(after.waitCodes == ["dependency work", "queue-paused paused"])
    #expect(throws: DependencyError.self) { try wrapper.depend(on: after) }
    paused.isSuspended = false
    drain(queue)
    #expect(bench.finished == ["work", "after"])
  }

  @Test("Foundation's addDependency has the same effect")
  func spelling() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (one, two, after) = (BlockOperation(), BlockOperation(), bench.quick("after"))
    after.addDependency(one)
    after.addDependency(two)
    after.addDependency(one)
    #expect(after.dependencies == [one, two])
    after.removeDependency(one)
    #expect(after.dependencies == [two])
    try queue.addOperation(after)
    #expect(after.state == .pending)
    two.start()
    drain(queue)
    one.start()
  }

  @Test("Foundation operations wait for ours, on Foundation's queues and on ours")
  func oursAsDependency() throws {
    let bench = Bench()
    let (queue, foundation) = (bench.queue(width: 4), OperationQueue())
    let own = bench.held("own")
    let ran = Gathered<String>()
    let (there, here) = (BlockOperation { ran.add("there") }, BlockOperation { ran.add("here") })
    there.addDependency(own)
    here.addDependency(own)
    foundation.addOperation(there)
    let wrapper = try queue.addOperation(here, name: "here")
    try queue.addOperation(own)
    #expect(own.waitUntilBegun())
    #expect(!there.isReady && wrapper.state == .pending)
    own.finish(.success(1))
    drain(queue)
    foundation.waitUntilAllOperationsAreFinished()
    #expect(ran.all.sorted() == ["here", "there"])
  }

  @Test("Foundation operations wait for ours however it ends: cancelled, skipped, by hand")
  func oursEndingEarly() throws {
    let bench = Bench()
    let (queue, foundation) = (bench.queue(), OperationQueue())
    let (cancelled, skipped, byHand) = (
      bench.held("cancelled"), bench.quick("skipped"), bench.quick("hand")
    )
    let group = bench.group()
    try skipped.depend(on: cancelled, policy: .skip)
    let waiting = [cancelled, skipped, byHand, group].map { own in
      let operation = BlockOperation()
      operation.addDependency(own)
      return operation
    }
    foundation.addOperations(waiting, waitUntilFinished: false)
    try queue.addOperations([cancelled, skipped, group], waitUntilFinished: false)
    cancelled.cancel()
    byHand.start()
    drain(queue)
    #expect(eventually { waiting.allSatisfy(\.isFinished) })
  }

  @Test("Dependencies on a Foundation operation that is just finishing are never missed")
  func finishingMeanwhile() throws {
    for _ in 0..<TestScale.count(150) {
      let bench = Bench()
      let queue = bench.queue()
      let (work, one, two) = (BlockOperation(), bench.quick("one"), bench.quick("two"))
      race([
        { work.start() },
        { try? one.depend(on: work) },
        { try? two.depend(on: work) },
      ])
      try queue.addOperations([one, two], waitUntilFinished: false)
      drain(queue)
      #expect(work.isFinished)
    }
  }

  @Test("A finished Foundation dependency is released")
  func release() throws {
    let bench = Bench()
    let queue = bench.queue()
    let census = Census()
    do {
      for _ in 0..<10 {
        let resident = census.resident()
        let work = BlockOperation { withExtendedLifetime(resident) {} }
        for _ in 0..<3 {
          let dependent = Keeping(census, engine: bench.engine)
          dependent.finish(.success(1))
          try dependent.depend(on: work)
          try queue.addOperation(dependent)
        }
        work.start()
      }
      drain(queue)
    }
    #expect(eventually { census.count == 0 }, "\(census.count)")
  }

  @Test("Observers of dependencies see the Foundation operation, not its internal watcher")
  func observed() throws {
    let bench = Bench()
    let after = bench.quick("after")
    let (work, own) = (ForeignWork(), bench.quick("own"))
    let seen = Gathered<[[Operation]?]>()
    let token = after.observe(\.dependencies, options: [.initial, .prior, .old, .new]) {
      _, change in
      seen.add([change.oldValue, change.newValue])
    }
    try after.depend(on: work)
    try after.depend(on: own)
    after.removeDependency(work)
    let all: [[Operation]] = [[], [work], [work, own], [own]]
    var expected: [[[Operation]?]] = [[nil, all[0]]]
    for (old, new) in zip(all, all.dropFirst()) { expected += [[old, nil], [old, new]] }
    #expect(seen.all == expected)
    token.invalidate()
    work.start()
    work.end()
  }
}
