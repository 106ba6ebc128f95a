import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct GroupCancelTests {
  @Test("Cancelling an executing group cancels its operations, and the group finishes last")
  func executing() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group(width: 2)
    let gate = Gate()
    let (held, waiting) = (bench.held("held"), bench.held("waiting"))
    let body = bench.gated("body", at: gate)
    try group.addOperations([held, body, waiting])
    try queue.addOperation(group)
    #expect(held.waitUntilBegun())
    group.cancel()
    #expect(held.outcome == .cancelled)
    #expect(body.isCancelled && waiting.isCancelled)
    #expect(group.state == .executing)
    gate.open()
    drain(queue)
    #expect(group.outcome == .cancelled)
    #expect(waiting.outcome == .cancelled && waiting.executions == 0)
    #expect(bench.finished.last == "group")
    #expect(group.summary.cancelled == 3 && group.summary.finished == 3)
    #expect(bench.reasons("group").last == "3 cancelled")
  }

  @Test("A cancelled group changes by itself until its operations are cancelled too")
  func cancellationOnItsWay() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group()
    group.innerQueue.isSuspended = true
    let (first, second) = (bench.quick("first"), bench.quick("second"))
    try group.addOperations([first, second])
    try queue.addOperation(group)
    #expect(eventually { group.state == .executing })
    #expect(!group.changesByItself)
    let seen = Locked<[Bool]>([])
    let observation = first.observe(\.isCancelled, options: .prior) { _, _ in
      let (isGroup, isMember) = (group.isCancelled, second.isCancelled)
      seen.withLock { $0 += [isGroup, isMember, group.changesByItself] }
    }
    group.cancel()
    #expect(seen.withLock { $0 } == [true, false, true, true, true, false])
    observation.invalidate()
    group.innerQueue.isSuspended = false
    drain(queue)
  }

  @Test("Cancelling a pending or ready group cancels its operations at once")
  func beforeStart() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(), bench.queue("other", paused: true))
    let never = bench.held("never")
    // With one slot, in which those that were cancelled end one after the other; with more they do so
    // on threads of their own, in whichever order.
    let (pending, ready) = (bench.group("pending"), bench.group("ready", width: 1))
    let (one, two) = (bench.held("one"), bench.held("two"))
    try pending.addOperation(one)
    try ready.addOperation(two)
    try pending.depend(on: never)
    try queue.addOperation(pending)
    try other.addOperation(ready)
    pending.cancel()
    drain(queue)
    #expect(pending.outcome == .cancelled && one.outcome == .cancelled)
    #expect(bench.finished == ["one", "pending"])
    ready.cancel()
    #expect(two.isCancelled)
    #expect(two.state == .ready && ready.state == .ready)
    let late = bench.quick("late")
    try ready.addOperation(late)
    #expect(late.isCancelled)
    other.isSuspended = false
    drain(other)
    #expect(bench.finished == ["one", "pending", "two", "late", "ready"])
    #expect(bench.started.isEmpty)
    #expect(bench.life("ready") == ["created-pending", "pending-ready", "ready-finished"])
    #expect(bench.reasons("ready").last == "cancelled before it ran")
  }

  @Test("A group cancelled on no queue cancels its operations and those added later")
  func created() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group()
    let (one, two) = (bench.held("one"), bench.held("two"))
    try group.addOperation(one)
    group.cancel()
    #expect(one.isCancelled && one.state == .ready)
    try group.addOperation(two)
    #expect(two.isCancelled)
    try queue.addOperation(group)
    drain(queue)
    // Both have a slot, and end on a thread each.
    #expect(bench.finished.dropLast().sorted() == ["one", "two"])
    #expect(bench.finished.last == "group")
    #expect(group.outcome == .cancelled)
  }

  @Test("Cancelling a group again changes nothing")
  func again() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (group, gate) = (bench.group(), Gate())
    let began = Gate()
    let body = BlockingOperation(name: "body", engine: bench.engine) { _ in
      began.open()
      gate.pass()
      return nil
    }
    try group.addOperation(body)
    try queue.addOperation(group)
    #expect(began.pass())
    for _ in 0..<5 { group.cancel() }
    gate.open()
    drain(queue)
    group.cancel()
    let asked = bench.entries.filter { $0.event == .cancelling }.map(\.operation.name)
    #expect(asked.sorted() == ["body", "group"])
    #expect(bench.finished == ["body", "group"])
  }

  @Test("Operations added to a cancelled group end as cancelled, also from its own bodies")
  func addedLater() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group()
    let (began, goOn) = (Gate(), Gate())
    let body = BlockingOperation(name: "body", engine: bench.engine) { [unowned group] _ in
      began.open()
      goOn.pass()
      try group.addOperation(Held(name: "late", engine: group.engine))
      return nil
    }
    try group.addOperation(body)
    try queue.addOperation(group)
    #expect(began.pass())
    group.cancel()
    goOn.open()
    drain(queue)
    #expect(bench.finished.last == "group")
    #expect(bench.life("late").last == "ready-finished")
    #expect(group.summary.cancelled == 2 && group.summary.finished == 2)
  }

  @Test("Cancelling a group while adding to it: all operations end, none starts when cancelled")
  func cancelAgainstAdd() throws {
    for round in 0..<TestScale.count(150) {
      let bench = Bench()
      let queue = bench.queue(paused: round.isMultiple(of: 3))
      let (group, guardian) = (bench.group(width: 1 + round % 3), bench.held("guardian"))
      try group.addOperation(guardian)
      try queue.addOperation(group)
      let refused = Locked(0)
      race([
        { group.cancel() },
        { queue.isSuspended = false },
        {
          for index in 0..<20 {
            do { try group.addOperation(bench.quick("a-\(index)")) } catch {
              refused.withLock { $0 += 1 }
            }
          }
        },
        {
          for index in 0..<20 {
            do { try group.addOperation(bench.quick("b-\(index)")) } catch {
              refused.withLock { $0 += 1 }
            }
          }
        },
      ])
      drain(queue)
      #expect(group.outcome == .cancelled)
      #expect(bench.finished.last == "group")
      #expect(group.summary.finished + refused.withLock { $0 } == 41)
      #expect(group.operations.isEmpty)
    }
  }

  @Test("Cancelling a group while its operations finish ends it once")
  func cancelAgainstEnd() throws {
    for _ in 0..<TestScale.count(300) {
      let bench = Bench()
      let queue = bench.queue()
      let group = bench.group()
      let children = (0..<3).map { bench.held("op-\($0)") }
      try group.addOperations(children)
      try queue.addOperation(group)
      race(
        children.map { child in { child.finish(.success(1)) } } + [{ group.cancel() }])
      drain(queue)
      #expect(bench.finished.count == 4)
      #expect(bench.finished.last == "group")
      #expect(group.outcome == (group.isCancelled ? .cancelled : .succeeded))
    }
  }

  @Test("Starting, cancelling and skipping a group from several threads ends it exactly once")
  func manyWays() throws {
    for _ in 0..<TestScale.count(200) {
      let bench = Bench()
      let queue = bench.queue(width: 1, paused: true)
      let gone = bench.held("gone")
      try bench.queue("other").addOperation(gone)
      let (group, child) = (bench.group(), bench.quick("child"))
      let stray = bench.quick("stray")
      try stray.depend(on: gone, policy: .skip)
      try group.depend(on: gone, policy: .skip)
      try group.addOperations([child, stray])
      try queue.addOperation(group)
      race([
        { group.cancel() },
        { gone.finish(.failure(TestError())) },
        { queue.isSuspended = false },
        { child.cancel() },
      ])
      drain(queue)
      finish(group)
      #expect(group.operations.isEmpty)
      #expect(bench.finished.filter { $0 == "group" }.count == 1)
      #expect(bench.finished.filter { $0 != "gone" }.last == "group")
      #expect(group.summary.finished == 2)
    }
  }

  @Test("Cancelling all of a queue reaches the operations of its groups")
  func cancelAll() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (one, two) = (bench.group("one"), bench.group("two"))
    let (running, waiting) = (bench.held("running"), bench.held("waiting"))
    try one.addOperation(running)
    try two.addOperation(waiting)
    try queue.addOperations([one, two], waitUntilFinished: false)
    #expect(running.waitUntilBegun())
    queue.cancelAllOperations()
    drain(queue)
    #expect(bench.started == ["one", "running"])
    #expect(bench.finished == ["running", "one", "waiting", "two"])
  }

  @Test("A group stopped by a failure policy cancels its operations and finishes last")
  func stoppedByPolicy() throws {
    for (policy, word) in [(FailurePolicy.skip, "skipped"), (.fail, "failed")] {
      let bench = Bench()
      let queue = bench.queue()
      let gone = bench.held("gone")
      let (group, child, after) = (bench.group(), bench.held("child"), bench.quick("after"))
      try group.depend(on: gone, policy: policy)
      try after.depend(on: group, policy: .skip)
      try group.addOperation(child)
      try queue.addOperations([gone, group, after], waitUntilFinished: false)
      #expect(gone.waitUntilBegun())
      gone.finish(.failure(TestError()))
      drain(queue)
      #expect(group.outcome?.name == word)
      #expect(child.outcome == .cancelled && child.executions == 0)
      #expect(after.outcome == .skipped)
      #expect(bench.finished == ["gone", "child", "group", "after"])
      #expect(bench.life("group").last == "pending-finished")
    }
  }
}
