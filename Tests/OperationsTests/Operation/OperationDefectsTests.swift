import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite("Imitated mistakes of operations", .timeLimit(.minutes(5)))
struct OperationDefectsTests {
  private let bench = Bench()

  /// The changes of three flags that observers see while an operation with defects runs.
  private func changes(
    with defects: OperationDefects, _ options: ObservationOptions = [.old, .new]
  ) throws -> [String] {
    let seen = Gathered<String>()
    let operation = bench.quick("q")
    operation.defects = defects
    let tokens = ["isReady", "isExecuting", "isFinished"].compactMap { name in
      operation.observe(named: name, options: options) { _, change in
        seen.add("\(name) \(change.isPrior ? "prior" : "\(change.newValue == .boolean(true))")")
      }
    }
    try bench.queue().addOperation(operation)
    finish(operation)
    // Observers are called after the change.
    #expect(eventually { !bench.engine.isDelivering })
    tokens.forEach { $0.invalidate() }
    return seen.all
  }

  @Test("A forgotten notification of isExecuting reaches no observer, and nothing else changes")
  func silent() throws {
    #expect(
      try changes(with: []) == ["isExecuting true", "isExecuting false", "isFinished true"])
    #expect(try changes(with: .silentExecuting) == ["isFinished true"])
    #expect(
      try changes(with: .silentExecuting, [.prior, .new]) == [
        "isFinished prior", "isFinished true",
      ]
    )
  }

  @Test("An operation with a readiness of its own turns it off when it executes")
  func ownReadiness() throws {
    #expect(
      try changes(with: .ownReadiness) == [
        "isReady false", "isExecuting true", "isExecuting false", "isFinished true",
      ])
    let queue = bench.queue()
    let operation = bench.held("h")
    operation.defects = .ownReadiness
    #expect(operation.isReady)
    try queue.addOperation(operation)
    #expect(operation.waitUntilBegun())
    #expect(!operation.isReady)
    operation.finish(.success(1))
    finish(operation)
    #expect(!operation.isReady)
  }

  @Test("A prior notification comes before a readiness of its own is turned off")
  func priorOfOwnReadiness() throws {
    #expect(
      try changes(with: .ownReadiness, [.prior, .new]) == [
        "isReady prior", "isExecuting prior", "isReady false", "isExecuting true",
        "isExecuting prior", "isFinished prior", "isExecuting false", "isFinished true",
      ])
  }

  @Test("Without a guard observers are notified of values that did not change")
  func unguarded() throws {
    #expect(
      try changes(with: .unguarded) == [
        "isFinished false", "isExecuting true", "isExecuting false", "isFinished true",
      ])
    let queue = bench.queue(paused: true)
    let seen = Gathered<String>()
    let operation = bench.quick("c")
    operation.defects = .unguarded
    let token = operation.observe(\.isExecuting, options: [.old, .new]) { _, change in
      seen.add("\(change.oldValue == true) \(change.newValue == true)")
    }
    try queue.addOperation(operation)
    operation.cancel()
    queue.isSuspended = false
    finish(operation)
    #expect(eventually { !bench.engine.isDelivering })
    token.invalidate()
    #expect(seen.all == ["false false"])
  }

  @Test("An operation that never says it is ready waits until it is cancelled")
  func neverReady() throws {
    for (defects, isReady) in [(OperationDefects.neverReady, false), (.silentReady, true)] {
      let (queue, first) = (bench.queue(), bench.held("f"))
      let operation = bench.quick("q")
      operation.defects = defects
      try operation.depend(on: first)
      for added in [first, operation] { try queue.addOperation(added) }
      #expect(!operation.isReady)
      #expect(operation.waitReasons().map(\.code) == [.dependency, .readiness])
      #expect(first.waitUntilBegun())
      first.finish(.success(1))
      finish(first)
      #expect(operation.isReady == isReady)
      #expect(operation.state == .pending && !operation.canFinish)
      #expect(operation.waitReasons().map(\.code) == [.readiness])
      operation.cancel()
      finish(operation)
      #expect(operation.outcome == .cancelled)
    }
  }

  @Test("A queue that looks again starts an operation that did not notify of its readiness")
  func noticed() throws {
    let operation = bench.quick("q")
    operation.defects = .silentReady
    try bench.queue().addOperation(operation)
    operation.noticeReadiness()
    finish(operation)
    #expect(operation.outcome == .succeeded)
  }

  @Test("Without a look at isCancelled an operation runs, and ends as cancelled")
  func cancelCheck() throws {
    let queue = bench.queue(paused: true)
    let operation = bench.held("h")
    operation.defects = .skipsCancelCheck
    try queue.addOperation(operation)
    operation.cancel()
    queue.isSuspended = false
    #expect(operation.waitUntilBegun())
    operation.finish(.success(1))
    finish(operation)
    #expect(operation.outcome == .cancelled)
  }

  @Test("Defects can be set before the operation is added only")
  func tooLate() throws {
    let operation = bench.quick("q")
    try bench.queue().addOperation(operation)
    finish(operation)
    operation.defects = .ownReadiness
    #expect(operation.defects == [])
  }
}
