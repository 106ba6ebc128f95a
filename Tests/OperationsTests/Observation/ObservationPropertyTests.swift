import Foundation
import Operations
import TestSupport
import Testing

/// Every property of an operation that can be observed, with every set of options.
@Suite(.timeLimit(.minutes(15))) struct ObservationPropertyTests {
  /// An operation that is about to change in one property, once.
  struct Scene {
    let operation: ObservableOperation
    let old: ObservedValue
    let new: ObservedValue
    /// Makes the change; the observer has been called when it returns, or soon after.
    let act: () throws -> Void
    /// Brings everything to its end.
    var end: () -> Void = {}
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let property: String
    let what: String
    let scene: @Sendable (Bench) throws -> Scene
    var testDescription: String { "\(property): \(what)" }

    init(
      _ property: String, _ what: String, scene: @escaping @Sendable (Bench) throws -> Scene
    ) {
      self.property = property
      self.what = what
      self.scene = scene
    }
  }

  /// A flag that takes a value.
  private static func flag(
    _ operation: ObservableOperation, becomes value: Bool, end: @escaping () -> Void = {},
    act: @escaping () throws -> Void
  ) -> Scene {
    Scene(
      operation: operation, old: .boolean(!value), new: .boolean(value), act: act, end: end)
  }

  /// An operation that waits for another one.
  private static func pair(_ bench: Bench) throws -> (first: Held, second: Held) {
    let (first, second) = (bench.held("first"), bench.held("second"))
    try second.depend(on: first)
    return (first, second)
  }

  private static let readiness: [Case] = [
    Case("isReady", "an operation is to wait for another") { bench in
      let (first, second) = (bench.held("first"), bench.held("second"))
      return flag(second, becomes: false) { try second.depend(on: first) }
    },
    Case("isReady", "a dependency that has failed already decides how it ends") { bench in
      let (failed, operation) = (bench.held("failed"), bench.held("a"))
      try failed.startManually()
      failed.finish(.failure(TestError()))
      return flag(operation, becomes: false) { try operation.depend(on: failed, policy: .skip) }
    },
    Case("isReady", "what it waited for has finished") { bench in
      let (first, second) = try pair(bench)
      return flag(second, becomes: true) {
        try first.startManually()
        first.finish(.success(1))
      }
    },
    Case("isReady", "what it waited for on a queue has finished") { bench in
      let queue = bench.queue(width: 1)
      let (first, second) = try pair(bench)
      try queue.addOperations([second, first], waitUntilFinished: false)
      return flag(
        second, becomes: true,
        end: {
          second.finish(.success(2))
          drain(queue)
        }, act: { first.finish(.success(1)) })
    },
    Case("isReady", "it no longer depends on the other") { bench in
      let (first, second) = try pair(bench)
      return flag(second, becomes: true) { try second.removeDependency(on: first) }
    },
    Case("isReady", "it was cancelled while it waited") { bench in
      let (first, second) = try pair(bench)
      return flag(second, becomes: true) { withExtendedLifetime(first) { second.cancel() } }
    },
    Case("isReady", "it is added to a queue, and may only start later") { bench in
      let queue = bench.queue()
      let operation = bench.held("a")
      operation.startDelay = .seconds(3_600)
      return flag(
        operation, becomes: false,
        end: {
          operation.cancel()
          drain(queue)
        }, act: { try queue.addOperation(operation) })
    },
    Case("isReady", "what failed stops it no more, by another policy") { bench in
      let (failed, operation) = try stopped(bench)
      return flag(operation, becomes: true) { try operation.depend(on: failed, policy: .run) }
    },
    Case("isReady", "what failed stops it no more, because it does not depend on that") { bench in
      let (failed, operation) = try stopped(bench)
      return flag(operation, becomes: true) { try operation.removeDependency(on: failed) }
    },
  ]

  /// An operation that is on no queue and is to be skipped, and what stopped it.
  private static func stopped(_ bench: Bench) throws -> (failed: Held, operation: Held) {
    let (first, operation) = try pair(bench)
    let failed = bench.held("failed")
    try failed.startManually()
    failed.finish(.failure(TestError()))
    try operation.depend(on: failed, policy: .skip)
    try first.startManually()
    first.finish(.success(1))
    return (failed, operation)
  }

  private static let execution: [Case] = [
    Case("isExecuting", "a queue starts it") { bench in
      let queue = bench.queue()
      let operation = bench.held("a")
      return flag(
        operation, becomes: true,
        end: {
          operation.finish(.success(1))
          drain(queue)
        }, act: { try queue.addOperation(operation) })
    },
    Case("isExecuting", "it is started by hand") { bench in
      let operation = bench.held("a")
      return flag(operation, becomes: true) { try operation.startManually() }
    },
    Case("isExecuting", "it ends") { bench in
      let operation = bench.held("a")
      try operation.startManually()
      return flag(operation, becomes: false) { operation.finish(.success(1)) }
    },
    Case("isExecuting", "its main function returns") { bench in
      let queue = bench.queue()
      let gate = bench.held("gate")
      let operation = Plain(name: "a", engine: bench.engine) { gate.waitUntilFinished() }
      try queue.addOperation(operation)
      return flag(operation, becomes: false, end: { drain(queue) }) {
        try gate.startManually()
        gate.finish(.success(1))
      }
    },
  ]

  private static let ends: [Case] = [
    Case("isFinished", "it succeeds") { bench in
      let operation = bench.held("a")
      try operation.startManually()
      return flag(operation, becomes: true) { operation.finish(.success(1)) }
    },
    Case("isFinished", "it fails") { bench in
      let operation = bench.held("a")
      try operation.startManually()
      return flag(operation, becomes: true) { operation.finish(.failure(TestError())) }
    },
    Case("isFinished", "it is cancelled while it executes") { bench in
      let operation = bench.held("a")
      try operation.startManually()
      return flag(operation, becomes: true) { operation.cancel() }
    },
    Case("isFinished", "it was cancelled before the queue could start it") { bench in
      let queue = bench.queue(paused: true)
      let operation = bench.held("a")
      try queue.addOperation(operation)
      operation.cancel()
      return flag(operation, becomes: true, end: { drain(queue) }) { queue.isSuspended = false }
    },
    Case("isFinished", "it is skipped") { bench in
      let queue = bench.queue()
      let (first, second) = (bench.held("first"), bench.held("second"))
      try second.depend(on: first, policy: .skip)
      try queue.addOperations([first, second], waitUntilFinished: false)
      return flag(second, becomes: true, end: { drain(queue) }) {
        first.finish(.failure(TestError()))
      }
    },
    Case("isFinished", "its main function returns") { bench in
      let queue = bench.queue()
      let operation = Plain(name: "a", engine: bench.engine)
      return flag(operation, becomes: true, end: { drain(queue) }) {
        try queue.addOperation(operation)
      }
    },
    Case("isCancelled", "before it is on a queue") { bench in
      let operation = bench.held("a")
      return flag(operation, becomes: true) { operation.cancel() }
    },
    Case("isCancelled", "while it executes") { bench in
      let operation = bench.held("a")
      try operation.startManually()
      return flag(operation, becomes: true) { operation.cancel() }
    },
    Case("isCancelled", "with the group to which it is added") { bench in
      let (group, operation) = (bench.group(), bench.held("a"))
      group.cancel()
      return flag(operation, becomes: true) { try group.addOperation(operation) }
    },
    Case("isCancelled", "with all of its queue") { bench in
      let queue = bench.queue(paused: true)
      let operation = bench.held("a")
      try queue.addOperation(operation)
      return flag(
        operation, becomes: true,
        end: {
          queue.isSuspended = false
          drain(queue)
        }, act: { queue.cancelAllOperations() })
    },
  ]

  private static let values: [Case] = [
    Case("queuePriority", "is raised") { bench in
      let operation = bench.held("a")
      return Scene(operation: operation, old: .text("normal"), new: .text("veryHigh")) {
        operation.queuePriority = .veryHigh
      }
    },
    Case("qualityOfService", "is set") { bench in
      let operation = bench.held("a")
      return Scene(operation: operation, old: .text("default"), new: .text("utility")) {
        operation.qualityOfService = .utility
      }
    },
    Case("dependencies", "one is added") { bench in
      let (first, second) = try pair(bench)
      let third = bench.held("third")
      return Scene(operation: second, old: .names(["first"]), new: .names(["first", "third"])) {
        withExtendedLifetime(first) { second.addDependency(third) }
      }
    },
    Case("dependencies", "one is removed") { bench in
      let (first, second) = try pair(bench)
      return Scene(operation: second, old: .names(["first"]), new: .names([])) {
        second.removeDependency(first as ObservableOperation)
      }
    },
    Case("name", "is given") { bench in
      let operation = bench.held("a")
      return Scene(operation: operation, old: .text("a"), new: .text("b")) { operation.name = "b" }
    },
    Case("name", "is taken away") { bench in
      let operation = bench.held("a")
      let other = "operation-\(operation.id)"
      return Scene(operation: operation, old: .text("a"), new: .text(other)) {
        operation.name = nil
      }
    },
    Case("progress", "is known for the first time") { bench in
      let operation = bench.held("a")
      return Scene(operation: operation, old: .none, new: .real(0.5)) { operation.progress = 0.5 }
    },
    Case("progress", "goes on, but not beyond the end") { bench in
      let operation = bench.held("a")
      operation.progress = 0.5
      return Scene(operation: operation, old: .real(0.5), new: .real(1)) { operation.progress = 7 }
    },
    Case("progress", "is unknown again") { bench in
      let operation = bench.held("a")
      operation.progress = 0.5
      return Scene(operation: operation, old: .real(0.5), new: .none) { operation.progress = .nan }
    },
  ]

  private static let blocks: [Case] = [
    Case("completionBlock", "is set") { bench in
      let operation = bench.held("a")
      return Scene(operation: operation, old: .none, new: .text("a block")) {
        operation.completionBlock = {}
      }
    },
    Case("completionBlock", "is removed") { bench in
      let operation = bench.held("a")
      operation.completionBlock = {}
      return Scene(operation: operation, old: .text("a block"), new: .none) {
        operation.completionBlock = nil
      }
    },
  ]

  static let cases: [Case] = readiness + execution + ends + values + blocks

  @Test("Each property calls its observers as each set of options says", arguments: cases)
  func calls(_ example: Case) throws {
    for options in ObservationOptions.combinations {
      let scene = try example.scene(Bench())
      let calls = ObservedCalls()
      let token = try #require(
        scene.operation.observe(named: example.property, options: options) { operation, change in
          calls.add(change, present: operation.present(example.property))
        })
      // The initial call is made before `observe` returns.
      #expect(calls.all.count == (options.contains(.initial) ? 1 : 0))
      try scene.act()
      let expected = ObservedCalls.expected(for: options, from: scene.old, to: scene.new)
      _ = eventually { calls.all.count >= expected.count }
      scene.end()
      #expect(calls.all.prefix(expected.count) == expected[...], "options \(options.rawValue)")
      // What follows when it comes to its end are other changes.
      if scene.operation.present(example.property) == scene.new {
        #expect(calls.all.count == expected.count, "options \(options.rawValue)")
      }
      token.invalidate()
    }
  }

  @Test("Every observable property of operations is among the cases")
  func allProperties() {
    // This one never changes.
    let changing = Set(ObservableKeyPath.operationNames).subtracting(["isAsynchronous"])
    #expect(Set(Self.cases.map(\.property)) == changing)
  }
}
