import Dispatch
import Foundation
import Operations
import TestSupport
import Testing

/// What others do with the threads that all of Foundation's queues share.
@Suite(.timeLimit(.minutes(15)), .serialized) struct SharedThreadsTests {
  /// Blocks those threads while `body` runs.
  private func whileBlocked(_ body: () throws -> Void) rethrows {
    let (door, blocked) = (Door(), DispatchGroup())
    // One thread more comes in a second; these are enough for the time of the test.
    for _ in 0..<64 { DispatchQueue.global().async(group: blocked) { door.pass(within: 60) } }
    defer {
      door.open()
      #expect(blocked.wait(timeout: .now() + 100) == .success)
    }
    try body()
  }

  @Test("Blocks on the global queue do not delay blocking bodies, delays or groups")
  func globalQueue() throws {
    let bench = Bench()
    let queue = bench.queue(width: 8)
    try whileBlocked {
      let start = ContinuousClock.now
      let group = bench.group()
      try group.addOperations([
        DelayOperation(duration: .milliseconds(1), engine: bench.engine),
        BlockingOperation(engine: bench.engine) { _ in nil },
      ])
      try queue.addOperations(
        [
          BlockingOperation(engine: bench.engine) { _ in nil },
          DelayOperation(duration: .milliseconds(1), engine: bench.engine), group,
          bench.group("empty"),
        ], waitUntilFinished: false)
      try drainOrStop(queue)
      #expect(ContinuousClock.now - start < .seconds(20))
    }
  }

  @Test("Sleeping operations do not hold up a delay on another queue")
  func sleepingMain() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue("sleeping", width: 32), bench.queue("other"))
    let door = Door()
    let sleeping = (0..<32).map { _ in Plain(engine: bench.engine) { door.pass(within: 60) } }
    try queue.addOperations(sleeping, waitUntilFinished: false)
    let start = ContinuousClock.now
    try other.addOperation(DelayOperation(duration: .milliseconds(1), engine: bench.engine))
    try drainOrStop(other)
    #expect(ContinuousClock.now - start < .seconds(20))
    door.open()
    try drainOrStop(queue)
  }

  @Test("A long series of groups begins without recursion", arguments: [1, 3])
  func manyGroups(width: Int) throws {
    let bench = Bench()
    let queue = bench.queue(width: width)
    let groups = (0..<TestScale.count(20_000)).map { bench.group("group-\($0)") }
    try queue.addOperations(groups, waitUntilFinished: false)
    try drainOrStop(queue)
    #expect(groups.allSatisfy { $0.outcome == .succeeded })
  }
}
