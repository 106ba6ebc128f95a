import Foundation
import Operations
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct GroupTests {
  @Test("A group executes while its operations do, and finishes last")
  func finishesLast() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (group, one, two) = (bench.group(), bench.held("one"), bench.held("two"))
    try group.addOperations([one, two])
    #expect(one.state == .ready && group.state == .created)
    try queue.addOperation(group)
    #expect(one.waitUntilBegun() && two.waitUntilBegun())
    #expect(group.state == .executing)
    #expect(queue.snapshot.slotHolders.map(\.operation.name) == ["group"])
    #expect(group.operations.map(\.displayName) == ["one", "two"])
    #expect(one.group === group && one.queue === group.innerQueue)
    two.finish(.success(2))
    #expect(group.state == .executing)
    #expect(group.summary.finished == 1)
    one.finish(.success(1))
    drain(queue)
    #expect(group.outcome == .succeeded)
    #expect(bench.finished == ["two", "one", "group"])
    #expect(bench.reasons("group").last == "2 succeeded")
    #expect(bench.reasons("one").first == "added to group")
  }

  @Test("A group without operations ends at once")
  func empty() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group()
    try queue.addOperation(group)
    drain(queue)
    #expect(group.outcome == .succeeded)
    #expect(bench.reasons("group").last == "nothing to do")
    #expect(bench.life("group").count == 4)
  }

  @Test("No operation of a group starts before the group; the wait reasons say so")
  func held() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (outer, inner, child) = (bench.group("outer"), bench.group("inner"), bench.held("child"))
    try inner.addOperation(child)
    #expect(child.waitCodes == ["group inner", "not-on-queue inner"])
    try outer.addOperation(inner)
    #expect(child.waitCodes == ["group inner", "group outer", "not-on-queue outer"])
    try queue.addOperation(outer)
    #expect(child.waitCodes == ["group inner", "group outer", "queue-paused network"])
    #expect(child.waitReasons().first?.text == "group 'inner' has not begun")
    #expect(child.waitReasons().map(\.depth) == [0, 1, 2])
    queue.isSuspended = false
    #expect(child.waitUntilBegun())
    #expect(child.waitCodes.isEmpty)
    child.finish(.success(1))
    drain(queue)
    #expect(bench.finished == ["child", "inner", "outer"])
  }

  @Test("A group collects and names the failures of its operations")
  func failures() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group()
    let children = (0..<40).map { bench.held("op-\($0)") }
    for (index, child) in children.enumerated() {
      child.finish(index < 3 ? .success(1) : .failure(TestError()))
    }
    try group.addOperations(children)
    // One after the other, so that their order is certain.
    try group.innerQueue.setWidth(1)
    try queue.addOperation(group)
    drain(queue)
    let summary = group.summary
    #expect((summary.succeeded, summary.failed, summary.finished) == (3, 37, 40))
    #expect(summary.failures.count == 16)
    #expect(summary.failures.first?.operation.name == "op-3")
    #expect(summary.failures.first?.failure.code == "broken")
    #expect(group.outcome?.failure?.code == "group-failed")
    #expect(
      group.outcome?.failure?.message
        == "37 of 40 failed: 'op-3' (broken), 'op-4' (broken), 'op-5' (broken), "
        + "'op-6' (broken) and 33 more")
    #expect(bench.reasons("group").last == "3 succeeded, 37 failed")
  }

  @Test("Cancelled and skipped operations are counted, and the group is cancelled")
  func cancelledAndSkipped() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group()
    let (good, gone) = (bench.held("good"), bench.held("gone"))
    let skipped = bench.quick("skipped")
    try skipped.depend(on: gone, policy: .skip)
    try group.addOperations([good, gone, skipped])
    try queue.addOperation(group)
    #expect(good.waitUntilBegun() && gone.waitUntilBegun())
    gone.cancel()
    #expect(skipped.outcome == .skipped)
    good.finish(.success(1))
    drain(queue)
    #expect(group.outcome == .cancelled && !group.isCancelled)
    #expect(bench.reasons("group").last == "1 succeeded, 1 cancelled, 1 skipped")
  }

  @Test("An operation skipped before its group begins is counted, and the group ends")
  func skippedBefore() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (group, gone, child) = (bench.group(), bench.held("gone"), bench.quick("child"))
    gone.finish(.failure(TestError()))
    try queue.addOperations([gone], waitUntilFinished: true)
    try child.depend(on: gone, policy: .skip)
    try group.addOperation(child)
    finish(child)
    #expect(group.state == .created)
    try queue.addOperation(group)
    drain(queue)
    #expect(group.outcome == .skipped)
    #expect(bench.reasons("group").last == "1 skipped")
  }

  @Test("The width of a group applies only to its own operations", arguments: [1, 2, 5])
  func width(_ width: Int) throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let group = bench.group(width: width)
    let children = (0..<6).map { bench.held("op-\($0)") }
    try group.addOperations(children)
    try queue.addOperation(group)
    for (index, child) in children.enumerated() {
      #expect(child.waitUntilBegun())
      #expect(group.innerQueue.snapshot.executing == min(width, children.count - index))
      child.finish(.success(1))
    }
    drain(queue)
    #expect(bench.started == ["group"] + children.map(\.displayName))
  }

  @Test("A finished group refuses operations, which can then be added elsewhere")
  func closed() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group("g")
    try queue.addOperations([group], waitUntilFinished: true)
    let late = bench.quick("late")
    #expect(throws: QueueError.groupFinished(name: "g")) { try group.addOperation(late) }
    #expect(throws: QueueError.groupFinished(name: "g")) {
      try group.addOperations([late, bench.quick("b")])
    }
    #expect(throws: QueueError.groupFinished(name: "g")) {
      try group.innerQueue.addBarrier(late)
    }
    #expect(!late.isBarrier)
    group.innerQueue.addBarrierBlock {}
    #expect(QueueError.groupFinished(name: "g").code == "group-finished")
    #expect(late.state == .created)
    try queue.addOperations([late], waitUntilFinished: true)
    #expect(late.outcome == .succeeded)
  }

  @Test("Renaming a group also changes its name in the entries of its operations")
  func renamed() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (group, child) = (bench.group("old"), bench.quick("child"))
    group.name = "new"
    try group.addOperation(child)
    try queue.addOperations([group], waitUntilFinished: true)
    #expect(bench.reasons("child").first == "added to new")
    #expect(throws: QueueError.groupFinished(name: "new")) {
      try group.addOperation(bench.quick("late"))
    }
  }

  @Test("A dependent of a group waits for all its operations, on any queue")
  func dependents() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(), bench.queue("other"))
    let (group, child, after) = (bench.group(), bench.held("child"), bench.quick("after"))
    try after.depend(on: group, policy: .skip)
    try group.addOperation(child)
    try queue.addOperation(group)
    try other.addOperation(after)
    #expect(child.waitUntilBegun())
    #expect(after.waitCodes.first == "dependency group")
    child.finish(.success(1))
    drain(other)
    #expect(after.outcome == .succeeded)
  }

  @Test("A group ignores its retry policy")
  func retryPolicy() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (group, child) = (bench.group(), bench.held("child"))
    group.retryPolicy = RetryPolicy(limit: 5, backoff: .zero)
    child.finish(.failure(TestError()))
    try group.addOperation(child)
    try queue.addOperations([group], waitUntilFinished: true)
    #expect(group.attempts == 1)
    #expect(group.outcome?.failure?.code == "group-failed")
  }

  @Test("A retrying operation keeps its group executing")
  func retriedChild() throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group()
    let tries = Gathered<Int>()
    let child = BlockingOperation(name: "child", engine: bench.engine) { operation in
      tries.add(operation.attempts)
      guard operation.attempts == 3 else { throw TestError() }
      return nil
    }
    child.retryPolicy = RetryPolicy(limit: 5, backoff: .zero)
    try group.addOperation(child)
    try queue.addOperations([group], waitUntilFinished: true)
    #expect(tries.all == [1, 2, 3])
    #expect(group.outcome == .succeeded)
  }

  @Test("A group that exceeds its time limit is stopped, fails and still finishes last")
  func timeLimit() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (group, child) = (bench.group(), bench.held("child"))
    let (asked, goOn) = (Gate(), Gate())
    let body = BlockingOperation(name: "body", engine: bench.engine) { operation in
      let isAsked = eventually { operation.isCancelled }
      if isAsked { asked.open() }
      goOn.pass()
      return nil
    }
    group.timeLimit = .seconds(5)
    try group.addOperations([child, body])
    try queue.addOperation(group)
    #expect(asked.pass())
    // All are marked as cancelled first, and each ends after that.
    #expect(eventually { child.outcome == .cancelled })
    #expect(group.state == .executing)
    goOn.open()
    drain(queue)
    #expect(group.outcome?.failure?.code == "timed-out")
    let reason = try #require(bench.reasons("group").last)
    #expect(reason.hasPrefix("timed-out: ") && reason.hasSuffix("; 2 cancelled"), "\(reason)")
    #expect(bench.finished == ["child", "body", "group"])
  }

  @Test("A group has a start delay and exclusive names like any operation")
  func otherFeatures() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let (one, two) = (bench.group("one"), bench.group("two"))
    let (child, late) = (bench.held("child"), bench.quick("late"))
    one.exclusiveNames = ["disk"]
    two.exclusiveNames = ["disk"]
    try one.addOperation(child)
    try two.addOperation(late)
    one.startDelay = .milliseconds(10)
    try queue.addOperation(one)
    #expect(child.waitUntilBegun())
    let times = one.timestamps
    #expect(try #require(times.ready) - (try #require(times.pending)) >= .milliseconds(10))
    try queue.addOperation(two)
    #expect(late.waitCodes == ["group two", "exclusive one"])
    child.finish(.success(1))
    drain(queue)
    #expect(bench.finished == ["child", "one", "late", "two"])
  }
}
