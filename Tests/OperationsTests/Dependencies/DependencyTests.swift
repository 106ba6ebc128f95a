import Foundation
import Operations
import Testing

@Suite struct DependencyTests {
  @Test("A dependent waits for its dependency, across queues too")
  func acrossQueues() throws {
    let bench = Bench()
    let (one, two) = (bench.queue("one"), bench.queue("two"))
    let first = bench.held("first")
    let second = bench.quick("second")
    try second.depend(on: first)
    try two.addOperation(second)
    #expect(second.state == .pending)
    #expect(!second.isReady)
    try one.addOperation(first)
    #expect(first.waitUntilBegun())
    #expect(second.state == .pending)
    first.finish(.success(1))
    // Seen as finished means: what depends on it is ready.
    #expect(second.state != .pending)
    drain(two)
    #expect(bench.reasons("second")[1] == "dependencies met: first")
    #expect(second.upstream.map(\.operation) == [first])
    #expect(first.downstream == [second])
  }

  @Test("A cycle is refused with its path, and nothing changes")
  func cycle() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (a, b, c) = (bench.quick("a"), bench.quick("b"), bench.quick("c"))
    try queue.addOperations([a, b, c], waitUntilFinished: false)
    try b.depend(on: a)
    try c.depend(on: b)
    #expect(throws: DependencyError.cycle(path: ["a", "c", "b", "a"])) { try a.depend(on: c) }
    #expect(throws: DependencyError.cycle(path: ["a", "b", "a"])) { try a.depend(on: b) }
    #expect(throws: DependencyError.selfDependency(name: "a")) { try a.depend(on: a) }
    a.addDependency(c)
    #expect(a.upstream.isEmpty)
    #expect(c.downstream.isEmpty)
    #expect(DependencyError.cycle(path: ["a", "b", "a"]).message.contains("a → b → a"))
    queue.isSuspended = false
    drain(queue)
    #expect(bench.started == ["a", "b", "c"])
  }

  @Test("Opposite dependencies from two threads: one is refused, no thread hangs")
  func oppositeEdges() throws {
    for _ in 0..<300 {
      let bench = Bench()
      let (a, b) = (bench.quick("a"), bench.quick("b"))
      let refused = Gathered<DependencyError>()
      race([
        { do throws(DependencyError) { try a.depend(on: b) } catch { refused.add(error) } },
        { do throws(DependencyError) { try b.depend(on: a) } catch { refused.add(error) } },
      ])
      #expect(refused.all.count == 1)
    }
  }

  @Test("An executing or finished operation refuses new dependencies")
  func tooLate() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (running, other) = (bench.held("running"), bench.held("other"))
    try queue.addOperation(running)
    #expect(throws: DependencyError.tooLate(name: "running", state: .executing)) {
      try running.depend(on: other)
    }
    running.finish(.success(1))
    drain(queue)
    #expect(throws: DependencyError.tooLate(name: "running", state: .finished)) {
      try running.removeDependency(on: other)
    }
    #expect(throws: DependencyError.self) {
      try running.depend(on: Quick(engine: OperationEngine()))
    }
  }

  @Test(
    "An operation on no queue that will be skipped is not ready, whenever its dependency failed",
    arguments: [true, false])
  func unreadyToBeSkipped(isFailedBefore: Bool) throws {
    let bench = Bench()
    let (failed, operation) = (bench.held("failed"), bench.held("a"))
    try failed.startManually()
    if isFailedBefore { failed.finish(.failure(TestError())) }
    try operation.depend(on: failed, policy: .skip)
    if !isFailedBefore { failed.finish(.failure(TestError())) }
    #expect(!operation.isReady && operation.state == .created)
    let queue = bench.queue()
    try queue.addOperation(operation)
    #expect(operation.outcome == .skipped)
    drain(queue)
  }

  @Test("Removing the last dependency makes an operation ready; adding it again makes it wait")
  func removing() throws {
    let bench = Bench()
    let queue = bench.queue()
    let gate = bench.held("gate")
    let waiting = bench.held("waiting")
    try waiting.depend(on: gate)
    try queue.addOperation(waiting)
    try waiting.removeDependency(on: gate)
    #expect(waiting.state == .executing)
    #expect(gate.downstream.isEmpty)
    let again = bench.held("again")
    try again.depend(on: gate)
    #expect(try again.removeDependency(on: gate))
    #expect(try !again.removeDependency(on: gate))
    try again.depend(on: gate)
    try queue.addOperation(again)
    #expect(again.state == .pending)
    try queue.addOperation(gate)
    waiting.finish(.success(1))
    gate.finish(.success(1))
    #expect(again.state == .executing)
    again.finish(.success(1))
    drain(queue)
  }

  @Test("A cancelled operation with a finished dependency counts its dependencies and finishes")
  func cancelledThenRemoved() throws {
    let bench = Bench()
    let queue = bench.queue()
    let upstream = bench.quick("upstream")
    let waiting = bench.quick("waiting")
    try waiting.depend(on: upstream)
    waiting.cancel()
    try queue.addOperations([upstream], waitUntilFinished: true)
    try waiting.removeDependency(on: upstream)
    try queue.addOperation(waiting)
    drain(queue)
    #expect(waiting.outcome == .cancelled)
  }

  @Test(
    "The failure policy decides what a cancelled or failed dependency does",
    arguments: FailurePolicy.allCases)
  func policies(policy: FailurePolicy) throws {
    let bench = Bench()
    let queue = bench.queue()
    let upstream = bench.held("upstream")
    let dependent = bench.quick("dependent")
    let last = bench.quick("last")
    try dependent.depend(on: upstream, policy: policy)
    try last.depend(on: dependent, policy: .skip)
    try queue.addOperations([upstream, dependent, last], waitUntilFinished: false)
    upstream.finish(.failure(TestError()))
    drain(queue)
    switch policy {
    case .run:
      #expect(dependent.outcome == .succeeded)
      #expect(last.outcome == .succeeded)
    case .skip:
      #expect(dependent.outcome == .skipped)
      #expect(last.outcome == .skipped)
      #expect(bench.life("last") == ["created-pending", "pending-finished"])
    case .fail:
      #expect(dependent.outcome?.failure?.code == "dependency-failed")
      #expect(last.outcome == .skipped)
    }
  }

  @Test("A policy also applies to a dependency that failed before it was added")
  func policyOnFinished() throws {
    let bench = Bench()
    let queue = bench.queue()
    let upstream = bench.held("upstream")
    try queue.addOperation(upstream)
    upstream.cancel()
    drain(queue)
    let results = Gathered<String>()
    let dependent = Held(name: "dependent", engine: bench.engine) { result in
      if case .failure(let error) = result { results.add(OperationFailure(error).code) }
    }
    try dependent.depend(on: upstream, policy: .skip)
    #expect(dependent.state == .created)
    try queue.addOperation(dependent)
    drain(queue)
    #expect(dependent.outcome == .skipped)
    #expect(results.all == ["skipped"])
    #expect(dependent.executions == 0)
    let forgiven = bench.quick("forgiven")
    try forgiven.depend(on: upstream, policy: .fail)
    try forgiven.depend(on: upstream, policy: .run)
    try queue.addOperation(forgiven)
    drain(queue)
    #expect(forgiven.outcome == .succeeded)
    #expect(forgiven.upstream.map(\.policy) == [.run])
  }

  @Test(
    "A failure that no longer decides lets an operation on no queue run", arguments: [true, false])
  func forgivenBeforeAdding(removes: Bool) throws {
    let bench = Bench()
    let queue = bench.queue()
    let (upstream, dependent) = (bench.held("upstream"), bench.quick("dependent"))
    try dependent.depend(on: upstream, policy: .skip)
    try queue.addOperation(upstream)
    #expect(upstream.waitUntilBegun())
    upstream.finish(.failure(TestError()))
    drain(queue)
    #expect(!dependent.isReady)
    if removes {
      dependent.removeDependency(upstream)
    } else {
      try dependent.depend(on: upstream, policy: .run)
    }
    try #require(dependent.isReady)
    try queue.addOperation(dependent)
    finish(dependent)
    #expect(dependent.outcome == .succeeded)
  }

  @Test("After one failed dependency is removed, another one still decides")
  func anotherFailed() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (first, second) = (bench.held("first"), bench.held("second"))
    try queue.addOperations([first, second], waitUntilFinished: false)
    queue.cancelAllOperations()
    drain(queue)
    let dependent = bench.quick("dependent")
    try dependent.depend(on: first, policy: .skip)
    try dependent.depend(on: second, policy: .fail)
    dependent.removeDependency(first)
    try queue.addOperation(dependent)
    drain(queue)
    #expect(dependent.outcome?.failure?.code == "dependency-failed")
    #expect(bench.started.contains("dependent") == false)
  }

  @Test("A cancelled operation on a paused queue ends as cancelled, although a dependency fails")
  func cancelledBeforeFailure() throws {
    let bench = Bench()
    let (queue, paused) = (bench.queue(), bench.queue("paused", paused: true))
    let (upstream, dependent) = (bench.held("upstream"), bench.quick("dependent"))
    try dependent.depend(on: upstream, policy: .skip)
    try paused.addOperation(dependent)
    try queue.addOperation(upstream)
    #expect(upstream.waitUntilBegun())
    dependent.cancel()
    upstream.finish(.failure(TestError()))
    drain(queue)
    #expect(dependent.state == .ready)
    paused.isSuspended = false
    drain(paused)
    #expect(dependent.outcome == .cancelled)
  }

  @Test("A dependent of a cancelled operation runs, as on Foundation's queue")
  func dependentOfCancelled() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (first, second) = (bench.held("first"), bench.quick("second"))
    try second.depend(on: first)
    try queue.addOperations([first, second], waitUntilFinished: false)
    first.cancel()
    drain(queue)
    #expect(first.outcome == .cancelled)
    #expect(second.outcome == .succeeded)
  }

  @Test("Foundation's API works: dependencies, addDependency, removeDependency")
  func foundationSpelling() {
    let bench = Bench()
    let (a, b) = (bench.quick("a"), bench.quick("b"))
    let foreign = BlockOperation()
    a.addDependency(b)
    a.addDependency(foreign)
    #expect(a.dependencies == [b, foreign])
    #expect(!a.isReady)
    a.removeDependency(foreign)
    a.removeDependency(b)
    #expect(a.dependencies.isEmpty)
    #expect(a.isReady)
    foreign.start()
  }
}
