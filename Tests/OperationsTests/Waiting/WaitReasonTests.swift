import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite struct WaitReasonTests {
  private func codes(_ operation: ObservableOperation) -> [String] {
    operation.waitReasons().map { "\($0.code.rawValue) \($0.subject.joined(separator: ","))" }
  }

  @Test("The codes of causes are words with hyphens")
  func spelling() {
    #expect(Cause.allCases.allSatisfy { $0.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil })
  }

  @Test("The wait reasons name a pause and an unmet dependency, the root last")
  func pauseAndDependency() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (questions, answers) = (bench.held("questions-1"), bench.held("answers-1"))
    try answers.depend(on: questions)
    #expect(
      codes(answers) == [
        "dependency questions-1", "not-on-queue answers-1", "not-on-queue questions-1",
      ])
    try queue.addOperations([questions, answers], waitUntilFinished: false)
    #expect(codes(answers) == ["dependency questions-1", "queue-paused network"])
    #expect(codes(questions) == ["queue-paused network"])
    let texts = answers.waitReasons().map(\.text)
    #expect(texts == ["waits for 'questions-1', which is ready", "queue 'network' is paused"])
    queue.isSuspended = false
    #expect(codes(questions).isEmpty)
    #expect(codes(answers) == ["dependency questions-1"])
    queue.cancelAllOperations()
    drain(queue)
    #expect(codes(answers).isEmpty)
  }

  @Test("The wait reasons of a full queue name the slot holders and the next operations")
  func full() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let operations = ["a", "b", "c", "d"].map { bench.held($0) }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(codes(operations[2]) == ["queue-full a,b"])
    #expect(codes(operations[3]) == ["higher-priority c", "queue-full a,b"])
    operations[3].queuePriority = .high
    #expect(codes(operations[3]) == ["queue-full a,b"])
    #expect(codes(operations[2]) == ["higher-priority d", "queue-full a,b"])
    #expect(
      operations[2].waitReasons().last?.text
        == "queue 'network' is full: 'a' and 'b' hold its 2 slots")
    #expect(codes(operations[0]).isEmpty)
    // Resuming it would not be enough.
    queue.isSuspended = true
    #expect(codes(operations[2]) == ["queue-paused network", "queue-full a,b"])
    queue.isSuspended = false
    queue.cancelAllOperations()
    drain(queue)
  }

  @Test("Of several barriers the nearest one is the first wait reason")
  func severalBarriers() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (first, last) = (bench.held("first"), bench.held("last"))
    try queue.addOperation(first)
    try queue.addBarrier(bench.quick("one"))
    try queue.addBarrier(bench.quick("two"))
    try queue.addOperation(last)
    #expect(codes(last).first == "barrier two")
    queue.cancelAllOperations()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("Wait reasons lead to the root, across queues")
  func acrossQueues() throws {
    let bench = Bench()
    let (open, closed) = (bench.queue("open"), bench.queue("closed", width: 0))
    let (root, middle, leaf) = (bench.held("root"), bench.held("middle"), bench.held("leaf"))
    try middle.depend(on: root)
    try leaf.depend(on: middle)
    try closed.addOperation(root)
    try open.addOperations([middle, leaf], waitUntilFinished: false)
    #expect(codes(leaf) == ["dependency middle", "dependency root", "width-zero closed"])
    #expect(leaf.waitReasons().map(\.depth) == [0, 1, 2])
    root.cancel()
    try closed.setWidth(1)
    for operation in [middle, leaf] {
      #expect(operation.waitUntilBegun())
      operation.finish(.success(1))
    }
    drain(open)
    drain(closed)
  }

  @Test("The wait reasons of a long chain are a short list that ends with the root")
  func longChain() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    var chain = [bench.held("op-0")]
    for index in 1..<20_000 {
      let next = bench.held("op-\(index)")
      try next.depend(on: chain[index - 1])
      chain.append(next)
    }
    try queue.addOperations(chain, waitUntilFinished: false)
    let reasons = try #require(chain.last).waitReasons()
    #expect(reasons.count <= 64)
    #expect(reasons.first?.subject == ["op-19998"])
    #expect(reasons.suffix(2).map(\.code) == [.dependency, .queuePaused])
    #expect(reasons.dropLast().last?.subject == ["op-0"])
    queue.cancelAllOperations()
    queue.isSuspended = false
    drain(queue)
  }

  @Test("A deadlock of other operations is the root reason of an operation that waits for them")
  func cycleAhead() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (first, barrier, last) = (bench.quick("a"), bench.quick("b"), bench.quick("c"))
    try barrier.depend(on: first)
    try queue.addBarrier(barrier)
    try queue.addOperation(first)
    try queue.addOperation(last)
    queue.isSuspended = false
    #expect(codes(last) == ["barrier b", "dependency a", "deadlock a"])
    #expect(
      last.waitReasons().last?.text == "'a' waits for 'b', so neither will ever finish")
    #expect(codes(first).last == "deadlock b")
    queue.cancelAllOperations()
    drain(queue)
  }

  @Test("An operation's own dependencies come first among its wait reasons")
  func nearestFirst() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let operations = ["a", "b", "c"].map { bench.quick($0) }
    try operations[1].depend(on: operations[0])
    try operations[2].depend(on: operations[1])
    try operations[2].depend(on: operations[0])
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(
      codes(operations[2]) == ["dependency b", "dependency a", "queue-paused network"])
    #expect(
      tree(operations[2]) == ["dependency b", "dependency a", "  queue-paused network"])
    queue.isSuspended = false
    drain(queue)
  }

  @Test("No wait reason is listed twice, and the root is the last one")
  func eachOnce() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let group = bench.group("g")
    let (a, b, c) = (bench.held("a"), bench.held("b"), bench.held("c"))
    try b.depend(on: a)
    try c.depend(on: a)
    try c.depend(on: b)
    for operation in [a, b, c] { try group.addOperation(operation) }
    try queue.addOperation(group)
    #expect(codes(b) == ["dependency a", "group g", "queue-paused network"])
    queue.isSuspended = false
    try #require(a.waitUntilBegun())
    // 'a' is the root, and also what 'c' itself depends on.
    #expect(codes(c) == ["dependency b", "dependency a"])
    a.finish(.success(1))
    for operation in [b, c] {
      try #require(operation.waitUntilBegun())
      operation.finish(.success(1))
    }
    drain(queue)
  }

  @Test("A deadlock names each step of its cycle once")
  func deadlockSteps() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (group, child, after) = (bench.group("g"), bench.held("child"), bench.held("after"))
    try child.depend(on: after)
    try group.addOperation(child)
    try queue.addOperations([group, after], waitUntilFinished: false)
    #expect(codes(after) == ["queue-full g", "members child", "deadlock child"])
    #expect(codes(child) == ["dependency after", "queue-full g", "deadlock g"])
    #expect(tree(after).count == 3)
    queue.cancelAllOperations()
    drain(queue)
  }

  /// The reasons as a tree: each behind the one that led to it, further in.
  private func tree(_ operation: ObservableOperation) -> [String] {
    operation.waitReasonTree().map {
      String(repeating: "  ", count: $0.depth) + "\($0.code.rawValue) "
        + $0.subject.joined(separator: ",")
    }
  }

  @Test("Each wait reason is followed by its causes, and none is repeated")
  func branches() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(), bench.queue("other", paused: true))
    let (z, y, n) = (bench.held("z"), bench.held("y"), bench.held("n"))
    try n.depend(on: z)
    try n.depend(on: y)
    try other.addOperation(z)
    try queue.addOperations([y, n], waitUntilFinished: false)
    #expect(tree(n) == ["dependency z", "  queue-paused other", "dependency y"])
    other.isSuspended = false
    for operation in [z, y, n] { operation.cancel() }
    drain(queue)
    drain(other)
  }

  @Test("The reasons of a full queue include its holders' if none of the holders is working")
  func heldUpHolders() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let groups = ["g", "h"].map { bench.group($0) }
    for group in groups {
      try group.addOperation(bench.held("in-\(group.displayName)"))
      group.innerQueue.isSuspended = true
    }
    let last = bench.held("n")
    try queue.addOperations(groups + [last], waitUntilFinished: false)
    #expect(eventually { groups.allSatisfy { $0.state == .executing } })
    #expect(
      tree(last) == [
        "queue-full g,h", "  members in-g", "    queue-paused g", "  members in-h",
        "    queue-paused h",
      ])
    // One that works ends by itself.
    groups[1].innerQueue.isSuspended = false
    #expect(tree(last) == ["queue-full g,h"])
    groups[0].innerQueue.isSuspended = false
    queue.cancelAllOperations()
    drain(queue)
  }

  @Test("The reasons of a full queue include those of a group cancelled before it began")
  func heldUpBeforeItBegan() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let (group, last) = (bench.group("g"), bench.held("n"))
    try group.addOperation(bench.held("inside"))
    group.innerQueue.isSuspended = true
    try queue.addOperations([group, last], waitUntilFinished: false)
    group.cancel()
    queue.isSuspended = false
    #expect(
      eventually { tree(last) == ["queue-full g", "  members inside", "    queue-paused g"] },
      "\(tree(last))")
    group.innerQueue.isSuspended = false
    last.cancel()
    drain(queue)
  }

  @Test("A cycle through one of several slots is not a deadlock")
  func oneOfTheSlots() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let (circular, paused) = (bench.group("g"), bench.group("h"))
    let (last, inside) = (bench.held("n"), bench.held("inside"))
    try inside.depend(on: last)
    try circular.addOperation(inside)
    try paused.addOperation(bench.held("in-h"))
    paused.innerQueue.isSuspended = true
    try queue.addOperations([circular, paused, last], waitUntilFinished: false)
    #expect(eventually { circular.state == .executing && paused.state == .executing })
    #expect(
      tree(last) == [
        "queue-full g,h", "  members inside", "    dependency n", "  members in-h",
        "    queue-paused h",
      ])
    paused.innerQueue.isSuspended = false
    queue.cancelAllOperations()
    drain(queue)
  }

  @Test("A pause between two attempts is a wait reason of the dependents")
  func betweenAttempts() throws {
    let bench = Bench()
    let queue = bench.queue()
    let failing = BlockingOperation(name: "r", engine: bench.engine) { _ in throw TestError() }
    failing.retryPolicy = RetryPolicy(limit: 2, backoff: .seconds(3_600), jitter: 0)
    let next = bench.held("n")
    try next.depend(on: failing)
    try queue.addOperations([failing, next], waitUntilFinished: false)
    #expect(eventually { failing.attemptPause != nil })
    #expect(tree(next) == ["dependency r", "  backoff r"])
    let text = try #require(next.waitReasons().last?.text)
    #expect(text.hasPrefix("'r' pauses: broken, attempt 2 of 3 follows in "))
    queue.cancelAllOperations()
    drain(queue)
  }

  @Test("A pause between attempts is the root reason also for an operation in a group")
  func betweenAttemptsInGroup() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group("g")
    let failing = BlockingOperation(name: "r", engine: bench.engine) { _ in throw TestError() }
    failing.retryPolicy = RetryPolicy(limit: 2, backoff: .seconds(3_600), jitter: 0)
    try group.addOperation(failing)
    let next = bench.held("n")
    try next.depend(on: group)
    try queue.addOperations([group, next], waitUntilFinished: false)
    #expect(eventually { failing.attemptPause != nil })
    #expect(tree(next) == ["dependency g", "  members r", "    backoff r"])
    queue.cancelAllOperations()
    drain(queue)
  }
}
