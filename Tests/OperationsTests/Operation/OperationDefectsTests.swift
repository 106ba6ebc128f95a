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

  @Test("Defects can be set before the operation is added only")
  func tooLate() throws {
    let operation = bench.quick("q")
    try bench.queue().addOperation(operation)
    finish(operation)
    operation.defects = .ownReadiness
    #expect(operation.defects == [])
  }
}
