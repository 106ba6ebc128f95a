import Foundation
import Operations
import TestSupport
import Testing

/// Operations of Foundation that are waited for before they come to a queue of ours.
@Suite(.timeLimit(.minutes(15))) struct ForeignCycleTests {
  private func named(_ name: String) -> BlockOperation {
    let operation = BlockOperation {}
    operation.name = name
    return operation
  }

  @Test("A dependency on a Foundation operation moves to its wrapper when it is added")
  func addedLater() throws {
    let bench = Bench()
    let (queue, paused) = (bench.queue(), bench.queue("paused", paused: true))
    let (work, first, second) = (named("f"), bench.quick("first"), bench.quick("second"))
    let other = bench.held("other")
    try first.depend(on: work)
    try second.depend(on: work, policy: .skip)
    try second.depend(on: other)
    try queue.addOperations([first, second, other], waitUntilFinished: false)
    #expect(first.waitCodes == ["dependency f", "not-on-queue f"])
    let changes = Gathered<String>()
    let token = second.observe(\.dependencies, options: [.old, .new]) { _, change in
      changes.add("\(change.oldValue?.count ?? 0) \(change.newValue?.count ?? 0)")
    }
    let wrapper = try paused.addOperation(work as Operation)
    #expect(first.waitCodes == ["dependency f", "queue-paused paused"])
    #expect(first.upstream.map(\.operation) == [wrapper])
    #expect(second.upstream.map(\.operation) == [other, wrapper])
    #expect(second.upstream.map(\.policy) == [.run, .skip])
    #expect(wrapper.downstream == [first, second])
    #expect(changes.all == ["2 2"])
    paused.isSuspended = false
    finish(first)
    try #require(other.waitUntilBegun())
    #expect(second.state == .pending)
    other.finish(.success(1))
    drain(queue)
    #expect([first, second].allSatisfy { $0.outcome == .succeeded })
    withExtendedLifetime(token) {}
  }

  @Test("A dependency that closes a cycle through a Foundation operation is refused with its path")
  func refusedDependency() throws {
    let bench = Bench()
    let (work, between, own) = (named("f"), named("g"), bench.held("a"))
    work.addDependency(between)
    between.addDependency(own)
    #expect(throws: DependencyError.cycle(path: ["a", "f", "g", "a"])) {
      try own.depend(on: work as Operation)
    }
    #expect(own.dependencies.isEmpty && own.isReady)
  }

  @Test("A queue refuses a cycle that was closed through Foundation, with its path")
  func refusedOperation() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (work, own) = (named("f"), bench.quick("a"))
    try own.depend(on: work as Operation)
    work.addDependency(own)
    try queue.addOperation(own)
    #expect(throws: QueueError.cycle(path: ["f", "a", "f"])) {
      try queue.addOperation(work as Operation)
    }
    // A cancelled one waits for nothing and ends when it is started.
    work.cancel()
    work.start()
    drain(queue)
  }

  @Test("A cycle of two Foundation operations is refused when the second is added")
  func refusedPair() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (one, two) = (named("f"), named("h"))
    one.addDependency(two)
    try queue.addOperation(one as Operation)
    two.addDependency(one)
    #expect(throws: QueueError.cycle(path: ["h", "f", "h"])) {
      try queue.addOperation(two as Operation)
    }
    queue.isSuspended = false
    two.cancel()
    two.start()
    drain(queue)
  }

  @Test("A refused dependency on a Foundation operation leaves nothing behind")
  func refusedIsLetGo() throws {
    let bench = Bench()
    let census = Census()
    let own = bench.held("a")
    try own.startManually()
    for _ in 0..<10 {
      let resident = census.resident()
      let work = BlockOperation { withExtendedLifetime(resident) {} }
      #expect(throws: DependencyError.self) { try own.depend(on: work as Operation) }
    }
    #expect(eventually { census.count == 0 })
    own.finish(.success(1))
  }
}
