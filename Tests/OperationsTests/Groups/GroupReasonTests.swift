import Operations
import Testing

/// Why something waits for a group that executes.
@Suite(.timeLimit(.minutes(15))) struct GroupReasonTests {
  @Test("The wait reasons of a group's dependent include those of the group's operations")
  func throughGroup() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (group, child, after) = (bench.group("g"), bench.held("child"), bench.held("after"))
    let key = bench.held("key")
    try child.depend(on: key)
    try after.depend(on: group)
    try group.addOperation(child)
    try queue.addOperations([group, after], waitUntilFinished: false)
    #expect(
      after.waitCodes == [
        "dependency g", "members child", "dependency key", "not-on-queue key",
      ])
    #expect(after.waitReasons()[1].text == "group 'g' waits for 'child' in it")
    #expect(after.waitReasons().map(\.depth) == [0, 1, 2, 3])
    // A group that executes does not wait itself.
    #expect(group.waitCodes.isEmpty)
    group.innerQueue.isSuspended = true
    try queue.addOperation(key)
    try #require(key.waitUntilBegun())
    key.finish(.success(1))
    finish(key)
    #expect(after.waitCodes == ["dependency g", "members child", "queue-paused g"])
    group.innerQueue.isSuspended = false
    try #require(child.waitUntilBegun())
    #expect(after.waitCodes == ["dependency g"])
    child.finish(.success(1))
    try #require(after.waitUntilBegun())
    after.finish(.success(1))
    drain(queue)
  }

  @Test("Wait reasons lead through nested groups to the root")
  func nested() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (outer, inner, child) = (bench.group("outer"), bench.group("inner"), bench.held("child"))
    let after = bench.held("after")
    inner.innerQueue.isSuspended = true
    try after.depend(on: outer)
    try inner.addOperation(child)
    try outer.addOperation(inner)
    try queue.addOperations([outer, after], waitUntilFinished: false)
    #expect(
      after.waitCodes == [
        "dependency outer", "members inner", "members child", "queue-paused inner",
      ])
    queue.cancelAllOperations()
    inner.innerQueue.isSuspended = false
    drain(queue)
  }

  @Test("A group that holds the only slot and waits for an operation after it is a deadlock")
  func slotDeadlock() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (group, child, behind) = (bench.group("g"), bench.held("child"), bench.held("behind"))
    try child.depend(on: behind)
    try group.addOperation(child)
    try queue.addOperations([group, behind], waitUntilFinished: false)
    #expect(behind.waitCodes == ["queue-full g", "members child", "deadlock child"])
    #expect(child.waitCodes == ["dependency behind", "queue-full g", "deadlock g"])
    // A further slot ends it.
    try queue.setWidth(2)
    try #require(behind.waitUntilBegun())
    #expect(child.waitCodes == ["dependency behind"])
    behind.finish(.success(1))
    try #require(child.waitUntilBegun())
    child.finish(.success(1))
    drain(queue)
  }

  @Test("A group waiting for an operation after it is not a deadlock while another slot frees up")
  func noDeadlock() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let (group, child, behind) = (bench.group("g"), bench.held("child"), bench.held("behind"))
    let other = bench.held("other")
    try child.depend(on: behind)
    try group.addOperation(child)
    try queue.addOperations([group, other, behind], waitUntilFinished: false)
    #expect(child.waitCodes == ["dependency behind", "queue-full g,other"])
    other.finish(.success(1))
    try #require(behind.waitUntilBegun())
    behind.finish(.success(1))
    try #require(child.waitUntilBegun())
    child.finish(.success(1))
    drain(queue)
  }
}
