import Foundation
import Operations
import Testing

/// A ready operation that gets an unfinished dependency before it starts is pending again.
@Suite(.timeLimit(.minutes(15))) struct ReadyToPendingTests {
  /// What follows the entry of adding, in the log of an operation.
  private func story(_ name: String, _ bench: Bench) -> [String] {
    bench.entries.filter { $0.operation.name == name }.dropFirst().map {
      "\($0.from)-\($0.to) \($0.reason)"
    }
  }

  @Test(
    "A ready operation waits for a new dependency, on a suspended and on a full queue",
    arguments: [true, false])
  func goesBack(isSuspended: Bool) throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (first, other, operation) = (bench.held("first"), bench.held("other"), bench.held("a"))
    try queue.addOperations([first, operation], waitUntilFinished: false)
    queue.isSuspended = isSuspended
    let before = operation.timestamps
    #expect(operation.state == .ready && before.ready != nil)
    try operation.depend(on: other)
    #expect(operation.state == .pending && !operation.isReady)
    #expect(operation.timestamps.ready == nil)
    #expect(operation.timestamps.pending == before.pending)
    #expect((queue.snapshot.pending, queue.snapshot.ready) == (1, 0))
    #expect(operation.waitCodes.first == "dependency other")
    queue.isSuspended = false
    first.finish(.success(1))
    // Its turn would have come.
    #expect(operation.state == .pending)
    try queue.addOperation(other)
    other.finish(.success(1))
    finish(operation, by: .success(1))
    #expect(
      story("a", bench).dropLast() == [
        "pending-ready no dependencies", "ready-pending now waits for other",
        "pending-ready dependencies met: other", "ready-executing slot 1 of 1 on network",
      ])
    let after = operation.timestamps
    #expect(try #require(after.ready) > (try #require(before.ready)))
    #expect(after.pending == before.pending)
    drain(queue)
  }

  /// Ends an operation that has been started, or will be.
  private func finish(_ operation: Held, by result: Result<Int, any Error>) {
    #expect(operation.waitUntilBegun())
    operation.finish(result)
    OperationsTests.finish(operation)
  }

  @Test("Observers are called before and after isReady turns false, and again when it turns true")
  func observed() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (other, operation) = (bench.held("other"), bench.quick("a"))
    try queue.addOperations([operation, other], waitUntilFinished: false)
    let told = Gathered<String>()
    let tokens = ["dependencies", "isReady"].map { name in
      operation.observe(named: name, options: [.prior, .old, .new]) { operation, change in
        let values = name == "isReady" ? " \(change.oldValue.text)-\(change.newValue.text)" : ""
        told.add(
          "\(change.isPrior ? "will" : "did") \(name)\(values), \(operation.state), "
            + "\(operation.upstream.count)")
      }
    }
    try operation.depend(on: other)
    #expect(
      told.all == [
        "will dependencies, ready, 0", "will isReady true-none, ready, 0",
        "did dependencies, pending, 1", "did isReady true-false, pending, 1",
      ])
    // The same edge again, and another one, change nothing of that.
    try operation.depend(on: other, policy: .skip)
    try operation.depend(on: bench.quick("further"))
    #expect(
      told.all.dropFirst(4) == [
        "will dependencies, pending, 1", "did dependencies, pending, 2",
      ])
    try operation.removeDependency(on: operation.upstream[1].operation)
    try operation.removeDependency(on: other)
    #expect(
      told.all.dropFirst(8) == [
        "will dependencies, pending, 1", "will isReady false-none, pending, 1",
        "did dependencies, ready, 0", "did isReady false-true, ready, 0",
      ])
    withExtendedLifetime(tokens) {}
    queue.cancelAllOperations()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("An operation that starts while its observers are told keeps its state")
  func startsMeanwhile() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (other, operation) = (bench.held("other"), bench.held("a"))
    try queue.addOperation(operation)
    let token = operation.observe(\.isReady, options: [.prior]) { _, change in
      if change.isPrior { queue.isSuspended = false }
    }
    #expect(throws: DependencyError.tooLate(name: "a", state: .executing)) {
      try operation.depend(on: other)
    }
    withExtendedLifetime(token) {}
    #expect(operation.state == .executing && operation.isReady && operation.upstream.isEmpty)
    finish(operation, by: .success(1))
    drain(queue)
  }

  @Test("An operation that was given its slot refuses to go back")
  func alreadyStarting() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (other, old, operation) = (bench.held("other"), bench.quick("old"), bench.quick("a"))
    try operation.depend(on: old)
    let refused = Gathered<DependencyError>()
    let token = operation.observe(\.isExecuting, options: [.prior]) { operation, change in
      guard change.isPrior, !operation.isExecuting else { return }
      #expect(operation.state == .ready)
      do throws(DependencyError) { try operation.depend(on: other) } catch { refused.add(error) }
      do throws(DependencyError) {
        try operation.removeDependency(on: old)
      } catch {
        refused.add(error)
      }
    }
    try queue.addOperations([old, operation], waitUntilFinished: false)
    drain(queue)
    withExtendedLifetime(token) {}
    let error = DependencyError.alreadyStarting(name: "a")
    #expect(refused.all == [error, error])
    #expect(error.code == "already-starting")
    #expect(
      error.message == "'a' is already starting, so what it depends on can no longer change")
    #expect(bench.life("a").count == 4)
  }

  @Test("A finished dependency, or one of a cancelled or a created operation, moves nothing")
  func staysAsItIs() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (done, other) = (bench.quick("done"), bench.held("other"))
    try bench.queue("open").addOperations([done], waitUntilFinished: true)
    let (ready, gone, created) = (bench.held("a"), bench.held("b"), bench.held("c"))
    try queue.addOperations([ready, gone], waitUntilFinished: false)
    gone.cancel()
    try ready.depend(on: done)
    try gone.depend(on: other)
    try created.depend(on: other)
    #expect(ready.state == .ready && ready.isReady)
    #expect(gone.state == .ready && gone.isReady)
    #expect(created.state == .created && !created.isReady)
    #expect(bench.life("a").count == 2 && bench.life("b").count == 2)
    queue.isSuspended = false
    finish(ready, by: .success(1))
    drain(queue)
    #expect(bench.life("b").last == "ready-finished")
  }

  @Test("An operation goes back as often as it gets an unfinished dependency, and keeps its place")
  func twice() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let others = ["x", "y"].map { bench.held($0) }
    let (operation, later) = (bench.quick("a"), bench.quick("later"))
    try queue.addOperations([operation, later], waitUntilFinished: false)
    for other in others {
      try operation.depend(on: other)
      #expect(operation.state == .pending)
      try other.startManually()
      other.finish(.success(1))
      #expect(operation.state == .ready)
    }
    queue.isSuspended = false
    drain(queue)
    #expect(
      story("a", bench).prefix(5) == [
        "pending-ready no dependencies", "ready-pending now waits for x",
        "pending-ready dependencies met: x", "ready-pending now waits for y",
        "pending-ready dependencies met: x, y",
      ])
    #expect(bench.started.suffix(2) == ["a", "later"])
  }

  @Test("An operation that went back and is cancelled becomes ready at once")
  func cancelled() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (other, operation) = (bench.held("other"), bench.held("a"))
    try queue.addOperation(operation)
    try operation.depend(on: other)
    operation.cancel()
    #expect(operation.state == .ready && operation.isReady)
    try operation.depend(on: bench.held("further"))
    #expect(operation.state == .ready && operation.isReady)
    queue.isSuspended = false
    drain(queue)
    #expect(operation.outcome == .cancelled && operation.executions == 0)
    #expect(
      bench.life("a") == [
        "created-pending", "pending-ready", "ready-pending", "pending-ready", "ready-finished",
      ])
    #expect(story("a", bench).contains("pending-ready cancelled, it no longer waits"))
  }

  @Test("A late dependency with the policy skip ends a ready operation when it has failed")
  func skipped() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (bad, late) = (bench.held("bad"), bench.held("late"))
    for other in [bad, late] { try other.startManually() }
    bad.finish(.failure(TestError()))
    let (now, later) = (bench.held("now"), bench.held("later"))
    try queue.addOperations([now, later], waitUntilFinished: false)
    try now.depend(on: bad, policy: .skip)
    #expect(now.outcome == .skipped)
    #expect(bench.life("now") == ["created-pending", "pending-ready", "ready-finished"])
    try later.depend(on: late, policy: .fail)
    #expect(later.state == .pending)
    late.finish(.failure(TestError()))
    #expect(later.outcome?.failure?.code == "dependency-failed")
    #expect(bench.life("later").suffix(2) == ["ready-pending", "pending-finished"])
    drain(queue)
  }

  @Test("An operation that goes back lets others have its turn at an exclusive name")
  func names() throws {
    let bench = Bench()
    let queue = bench.queue(width: -1)
    let (holder, first, second) = (bench.held("holder"), bench.held("first"), bench.held("second"))
    let other = bench.held("other")
    for operation in [holder, first, second] { operation.exclusiveNames = ["x"] }
    try queue.addOperations([holder, first, second], waitUntilFinished: false)
    #expect(first.waitCodes == ["exclusive holder"])
    try first.depend(on: other)
    #expect(first.state == .pending)
    holder.finish(.success(1))
    #expect(second.state == .executing, "it is its turn")
    try queue.addOperation(other)
    other.finish(.success(1))
    #expect(first.state == .ready)
    #expect(first.waitCodes == ["exclusive second"])
    second.finish(.success(1))
    finish(first, by: .success(1))
    drain(queue)
  }

  @Test(
    "A barrier waits for an operation that goes back, and holds up others when it does so itself")
  func barrier() throws {
    let bench = Bench()
    let queue = bench.queue(width: -1, paused: true)
    let (other, last) = (bench.held("other"), bench.held("last"))
    let (before, barrier, after) = (bench.held("before"), bench.held("bar"), bench.held("after"))
    try queue.addOperation(before)
    try queue.addBarrier(barrier)
    try queue.addOperation(after)
    try before.depend(on: other)
    queue.isSuspended = false
    #expect([before, barrier, after].map(\.state) == [.pending, .ready, .ready])
    try barrier.depend(on: last)
    #expect(barrier.state == .pending)
    for operation in [other, last] { try operation.startManually() }
    other.finish(.success(1))
    finish(before, by: .success(1))
    #expect([barrier, after].map(\.state) == [.pending, .ready])
    #expect(after.waitCodes.first == "barrier bar")
    last.finish(.success(1))
    finish(barrier, by: .success(1))
    finish(after, by: .success(1))
    drain(queue)
  }

  @Test("A start delay that is over does not begin again")
  func delay() throws {
    let bench = Bench()
    let clock = bench.engine.virtualClock
    clock.begin()
    let queue = bench.queue(paused: true)
    let (other, operation) = (bench.held("other"), bench.held("a"))
    operation.startDelay = .seconds(10)
    try queue.addOperation(operation)
    while clock.runNext() || clock.passTime() {}
    #expect(operation.state == .ready)
    try operation.depend(on: other)
    #expect(operation.waitCodes.first == "dependency other")
    let now = bench.engine.now
    try other.startManually()
    other.finish(.success(1))
    #expect(operation.state == .ready)
    #expect(bench.engine.now - now < .milliseconds(1))
    operation.cancel()
    queue.isSuspended = false
    while clock.runNext() || clock.passTime() {}
    #expect(operation.state == .finished)
  }

  @Test("A group waits for a member that went back, also one that did before the group began")
  func member() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (group, child, other) = (bench.group("g"), bench.held("child"), bench.held("other"))
    try group.addOperation(child)
    #expect(child.state == .ready)
    try child.depend(on: other)
    #expect(child.state == .pending)
    try queue.addOperation(group)
    queue.isSuspended = false
    try other.startManually()
    #expect(group.state == .executing && child.state == .pending)
    group.innerQueue.isSuspended = true
    other.finish(.success(1))
    #expect(child.state == .ready)
    let further = bench.held("further")
    try child.depend(on: further)
    group.innerQueue.isSuspended = false
    #expect(group.state == .executing && child.state == .pending)
    try further.startManually()
    further.finish(.success(1))
    finish(child, by: .success(1))
    OperationsTests.finish(group)
    #expect(group.outcome == .succeeded)
    drain(queue)
  }
}

extension ObservedValue? {
  /// A flag as text.
  fileprivate var text: String {
    guard case .boolean(let flag)? = self else { return "none" }
    return "\(flag)"
  }
}
