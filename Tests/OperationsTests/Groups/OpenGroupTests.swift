import Operations
import TestSupport
import Testing

/// A group that is open waits for more operations, until it is closed.
@Suite(.timeLimit(.minutes(15))) struct OpenGroupTests {
  private let bench = Bench()

  private func open(_ name: String = "group") -> GroupOperation {
    let group = bench.group(name)
    group.isOpen = true
    return group
  }

  @Test("An open group goes on when nothing is left in it, takes more, and ends when it is closed")
  func closing() throws {
    let group = open()
    let (first, second) = (bench.held("first"), bench.held("second"))
    try group.addOperation(first)
    try bench.queue().addOperation(group)
    try #require(first.waitUntilBegun())
    #expect(group.finishWait == nil)
    first.finish(.success(1))
    #expect(eventually { group.finishWait == .close })
    #expect(group.state == .executing && !group.canFinish)
    #expect(group.waitReasons().map(\.text) == ["group 'group' is open, and nothing is left in it"])
    try group.addOperation(second)
    #expect(group.finishWait == nil && group.canFinish)
    try #require(second.waitUntilBegun())
    group.isOpen = false
    #expect(group.state == .executing && !group.isOpen)
    second.finish(.success(1))
    #expect(group.waitUntilFinished(timeout: .seconds(60)))
    #expect(group.outcome == .succeeded && group.summary.succeeded == 2)
    #expect(throws: QueueError.groupFinished(name: "group")) {
      try group.addOperation(bench.held("late"))
    }
  }

  @Test(
    "Closing a group in which nothing is left ends it at once; before its start, with its members")
  func early() throws {
    let (empty, early) = (open("empty"), open("early"))
    let queue = bench.queue(paused: true)
    let member = bench.held("member")
    try early.addOperation(member)
    try queue.addOperations([empty, early], waitUntilFinished: false)
    early.isOpen = false
    queue.isSuspended = false
    #expect(eventually { empty.finishWait == .close })
    empty.isOpen = false
    #expect(empty.waitUntilFinished(timeout: .seconds(60)))
    #expect(early.state == .executing)
    try #require(member.waitUntilBegun())
    member.finish(.success(1))
    #expect(early.waitUntilFinished(timeout: .seconds(60)))
  }

  @Test("An open group ends when it is cancelled, when its time is over, and when it is skipped")
  func stopped() throws {
    let (cancelled, limited, skipped) = (open("cancelled"), open("limited"), open("skipped"))
    limited.timeLimit = .milliseconds(20)
    let failing = bench.held("failing")
    try skipped.depend(on: failing, policy: .skip)
    let queue = bench.queue(width: -1)
    try queue.addOperations([cancelled, limited, failing, skipped], waitUntilFinished: false)
    #expect(eventually { cancelled.finishWait == .close })
    cancelled.cancel()
    try #require(failing.waitUntilBegun())
    failing.finish(.failure(TestError()))
    drain(queue)
    #expect(cancelled.outcome == .cancelled && skipped.outcome == .skipped)
    #expect(limited.outcome?.failure?.code == "timed-out")
  }
}
