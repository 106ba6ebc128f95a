import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite("Completion handlers", .timeLimit(.minutes(5)))
struct CompletionOrderTests {
  private let bench = Bench()

  @Test("Handlers are called before and after the change of isFinished", arguments: [true, false])
  func order(isBlocking: Bool) throws {
    let seen = Gathered<String>()
    let operation: ObservableOperation =
      isBlocking
      ? BlockingOperation(name: "b", engine: bench.engine) { _ in nil } : bench.quick("q")
    let token = operation.observe(\.isFinished, options: [.new]) { _, _ in seen.add("isFinished") }
    operation.addCompletion(.after) { [weak operation] in
      seen.add("after, \(operation?.state.rawValue ?? "gone")")
    }
    operation.addCompletion(.before) { [weak operation] in
      seen.add("before, \(operation?.state.rawValue ?? "gone")")
    }
    try bench.queue().addOperation(operation)
    finish(operation)
    #expect(eventually { seen.all.count == 3 })
    #expect(seen.all == ["before, executing", "isFinished", "after, finished"])
    token.invalidate()
  }

  @Test("The completion block is called once after the end, and removed as on Apple's systems")
  func block() throws {
    let seen = Gathered<String>()
    let operation = bench.quick("q")
    operation.completionBlock = { seen.add("earlier") }
    operation.addCompletion(.block) { seen.add("block") }
    let changes = Gathered<String>()
    let token = operation.observe(named: "completionBlock", options: [.initial, .new]) {
      _, change in changes.add("\(change.newValue ?? .none)")
    }
    try bench.queue().addOperation(operation)
    finish(operation)
    #expect(eventually { seen.all.count == 2 })
    #expect(seen.all == ["earlier", "block"])
    #expect(eventually { operation.completionBlock == nil })
    #expect(eventually { changes.all.count == 2 })
    #expect(changes.all == ["text(\"a block\")", "none"])
    token?.invalidate()
  }

  @Test("Cancelled and skipped operations call their handlers too, and finished ones at once")
  func otherEnds() throws {
    let seen = Gathered<String>()
    let queue = bench.queue(paused: true)
    let (failing, skipped, cancelled) = (
      bench.held("failing"), bench.quick("skipped"), bench.quick("cancelled")
    )
    try skipped.depend(on: failing, policy: .skip)
    for operation in [skipped, cancelled] {
      for order in [CompletionOrder.before, .after] {
        operation.addCompletion(order) { [name = operation.displayName] in
          seen.add("\(name) \(order.rawValue)")
        }
      }
    }
    try queue.addOperations([failing, skipped, cancelled], waitUntilFinished: false)
    cancelled.cancel()
    queue.isSuspended = false
    #expect(failing.waitUntilBegun())
    failing.finish(.failure(TestError()))
    for operation in [failing, skipped, cancelled] { finish(operation) }
    #expect(eventually { seen.all.count == 4 })
    #expect(
      Set(seen.all) == [
        "skipped before", "skipped after", "cancelled before", "cancelled after",
      ])
    skipped.addCompletion(.before) { seen.add("late before") }
    skipped.addCompletion(.after) { seen.add("late after") }
    #expect(seen.all.suffix(2) == ["late before", "late after"])
    skipped.addCompletion(.block) { seen.add("late block") }
    #expect(eventually { seen.all.last == "late block" })
  }

  @Test(
    "A handler that is added while the operation finishes is called once",
    arguments: [
      CompletionOrder.before, .after, .block,
    ])
  func race(order: CompletionOrder) throws {
    for _ in 0..<200 {
      let calls = Gathered<Int>()
      let operation = bench.held("racing")
      try bench.queue().addOperation(operation)
      #expect(operation.waitUntilBegun())
      OperationsTests.race([
        { operation.finish(.success(1)) }, { operation.addCompletion(order) { calls.add(1) } },
      ])
      finish(operation)
      try #require(eventually { calls.all.count == 1 })
    }
  }
}
