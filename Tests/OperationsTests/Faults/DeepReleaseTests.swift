import Foundation
import Operations
import TestSupport
import Testing

/// A chain of some ten thousand operations that is released link by link, each from inside the
/// `deinit` of the next, overflows the stack.
@Suite(.serialized, .timeLimit(.minutes(15))) struct DeepReleaseTests {
  /// How long the chains are: 100,000 and 300,000 in the long run.
  ///
  /// The stack below is as much smaller as the others are shorter.
  private static let lengths = [TestScale.count(10_000), TestScale.count(30_000)]
  private static let smallStack = 128 * 1024

  /// The last link of a chain, which keeps all others.
  private static func chain(of length: Int, engine: OperationEngine) throws -> Quick {
    var last = Quick(engine: engine)
    for _ in 1..<length {
      let next = Quick(engine: engine)
      try next.depend(on: last)
      last = next
    }
    return last
  }

  /// Builds a chain, runs it if asked to, lets go of it, and reports whether it went.
  private static func release(_ length: Int, finished: Bool, told: Gathered<String>) {
    do {
      let bench = Bench()
      weak var first: ObservableOperation?
      do {
        let last = try chain(of: length, engine: bench.engine)
        var (links, link): ([ObservableOperation], ObservableOperation?) = ([], last)
        while let operation = link {
          links.append(operation)
          link = operation.upstream.first?.operation
        }
        first = links.last
        if finished {
          let queue = bench.queue(width: 2)
          try queue.addOperations(links.reversed(), waitUntilFinished: false)
          if !queue.waitUntilAllOperationsAreFinished(timeout: .seconds(120)) { told.add("stuck") }
        }
        // The last link alone keeps them now.
        links = []
        if first == nil { told.add("gone too early") }
        withExtendedLifetime(last) {}
      }
      // Another thread may be the one that lets go.
      if !eventually(timeout: .seconds(60), { first == nil }) { told.add("never gone") }
    } catch {
      told.add("\(error)")
    }
  }

  @Test(
    "A long chain is released on a thread with a small stack", arguments: lengths, [true, false])
  func onThread(length: Int, finished: Bool) {
    let told = Gathered<String>()
    let isBack = comesBack(within: 240, stackSize: Self.smallStack) {
      Self.release(length, finished: finished, told: told)
    }
    #expect(isBack)
    #expect(told.all == [])
  }

  // The real main thread is out of reach: the test runner gives it up. Its stack has this size.
  @Test("A chain too long for the main thread's stack is released")
  func mainStack() {
    let told = Gathered<String>()
    let isBack = comesBack(within: 240, stackSize: 8 * 1024 * 1024) {
      Self.release(max(60_000, min(300_000, TestScale.count(100_000))), finished: false, told: told)
    }
    #expect(isBack)
    #expect(told.all == [])
  }

  @Test("A body that holds the last reference to a chain releases it on its own thread")
  func inBody() throws {
    let bench = Bench()
    let queue = bench.queue()
    let told = Gathered<String>()
    let operation = Plain(engine: bench.engine) {
      Self.release(Self.lengths[0], finished: false, told: told)
    }
    try queue.addOperation(operation)
    try drainOrStop(queue)
    #expect(told.all == [])
    #expect(operation.outcome == .succeeded)
  }

  @Test("A chain with side branches and a ladder of two chains are released")
  func branching() throws {
    let engine = OperationEngine()
    let told = Gathered<String>()
    let isBack = comesBack(within: 120, stackSize: Self.smallStack) {
      weak var first: Quick?
      weak var tooth: Quick?
      do {
        var (left, right) = (Quick(engine: engine), Quick(engine: engine))
        first = left
        for step in 0..<Self.lengths[0] / 2 {
          let (nextLeft, nextRight, spur) = (
            Quick(engine: engine), Quick(engine: engine), Quick(engine: engine)
          )
          if step == 3 { tooth = spur }
          for (operation, other) in [
            (nextLeft, left), (nextLeft, right), (nextRight, left), (nextRight, right),
            (nextLeft, spur),
          ] {
            do { try operation.depend(on: other) } catch { told.add("\(error)") }
          }
          (left, right) = (nextLeft, nextRight)
        }
        if first == nil || tooth == nil { told.add("gone too early") }
        withExtendedLifetime((left, right)) {}
      }
      if !eventually(timeout: .seconds(60), { first == nil && tooth == nil }) {
        told.add("never gone")
      }
    }
    #expect(isBack)
    #expect(told.all == [])
  }
}
