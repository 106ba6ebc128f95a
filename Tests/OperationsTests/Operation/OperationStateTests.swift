import Operations
import Testing

@Suite struct OperationStateTests {
  private static let legal: Set<String> = [
    "created-pending", "pending-ready", "ready-executing", "executing-finished",
    "ready-finished", "pending-finished", "ready-pending", "created-ready",
  ]

  @Test(
    "The state table allows exactly eight transitions",
    arguments: OperationState.allCases, OperationState.allCases)
  func table(from: OperationState, to: OperationState) {
    let isLegal = Self.legal.contains("\(from.rawValue)-\(to.rawValue)")
    #expect(from.canBecome(to) == isLegal)
  }

  @Test("Every operation passes all states, also one without dependencies")
  func wholeLife() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = bench.quick("a")
    try queue.addOperation(operation)
    drain(queue)
    #expect(
      bench.life("a") == [
        "created-pending", "pending-ready", "ready-executing", "executing-finished",
      ])
    #expect(
      bench.reasons("a").prefix(3) == [
        "added to network", "no dependencies", "slot 1 of 2 on network",
      ])
    #expect(operation.outcome == .succeeded)
    #expect(operation.queue === queue)
    #expect(operation.attempts == 1)
    #expect(operation.resultValue as? Int == operation.id)
    let times = operation.timestamps
    let path = [times.created, times.pending, times.ready, times.executing, times.finished]
    #expect(path.compactMap { $0 }.count == 5)
    #expect(path.compactMap { $0 } == path.compactMap { $0 }.sorted())
    #expect(times.cancelled == nil)
  }

  @Test("A default name is the last word of the kind and a number")
  func names() {
    let engine = OperationEngine()
    let first = Held(kind: "fetch questions", engine: engine)
    let second = Held(name: "mine", kind: "fetch questions", engine: engine)
    #expect(first.displayName == "questions-1")
    #expect(first.name == "questions-1")
    #expect(second.name == "mine")
    second.name = nil
    #expect(second.name == "questions-2")
    #expect((first.id, second.id) == (1, 2))
  }

  @Test("A further attempt is recorded only while executing")
  func attempts() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = bench.held("a")
    operation.noteAttempt(reason: "too early")
    #expect(operation.attempts == 0)
    try queue.addOperation(operation)
    operation.noteAttempt(reason: "attempt 2 after timed-out")
    #expect(operation.attempts == 2)
    operation.finish(.success(1))
    drain(queue)
    operation.noteAttempt(reason: "too late")
    #expect(operation.attempts == 2)
    let attempts = bench.entries.filter { $0.event == .attempt }
    #expect(attempts.map(\.reason) == ["attempt 2 after timed-out"])
    #expect(attempts.first?.from == .executing && attempts.first?.to == .executing)
  }

  @Test("A failure has a code and a message")
  func failure() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = bench.held("a")
    try queue.addOperation(operation)
    operation.finish(.failure(TestError()))
    drain(queue)
    #expect(operation.outcome == .failed(OperationFailure(TestError())))
    #expect(bench.reasons("a").last == "broken: it broke")
    #expect(OperationFailure(CancellationError()).code == "cancelled")
    #expect(OperationFailure(OperationFailure(code: "x", message: "y")).code == "x")
  }
}
