import Dispatch
import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ObservationTests {
  /// What an observer of a flag was told, in one word each.
  private static func word(_ change: ObservedChange<Bool>) -> String {
    let kind = change.isInitial ? "initial" : change.isPrior ? "prior" : "change"
    let old = change.oldValue.map { "\($0)" } ?? "-"
    let new = change.newValue.map { "\($0)" } ?? "-"
    return "\(kind) \(old) \(new)"
  }

  private static let optionCases: [(ObservationOptions, [String])] = {
    var cases: [(ObservationOptions, [String])] = []
    cases.append(([], ["change - -"]))
    cases.append(([.new], ["change - true"]))
    cases.append(([.old], ["change false -"]))
    cases.append(([.old, .new], ["change false true"]))
    cases.append(([.initial], ["initial - -", "change - -"]))
    cases.append(([.initial, .new], ["initial - false", "change - true"]))
    cases.append(([.prior], ["prior - -", "change - -"]))
    cases.append(([.prior, .old, .new], ["prior false -", "change false true"]))
    let all: ObservationOptions = [.initial, .prior, .old, .new]
    cases.append((all, ["initial - false", "prior false -", "change false true"]))
    return cases
  }()

  @Test(
    "The options decide the calls and the values",
    arguments: optionCases)
  func options(options: ObservationOptions, expected: [String]) throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = bench.held("a")
    let told = Gathered<String>()
    let token = operation.observe(\.isFinished, options: options) { _, change in
      told.add(Self.word(change))
    }
    try queue.addOperation(operation)
    operation.finish(.success(1))
    drain(queue)
    #expect(told.all == expected)
    token.invalidate()
  }

  @Test("A prior call comes before the change, for each flag that the engine sets")
  func priorIsBefore() throws {
    let bench = Bench()
    let queue = bench.queue()
    let gate = bench.held("gate")
    let operation = bench.held("a")
    try operation.depend(on: gate)
    let told = Gathered<String>()
    let options: ObservationOptions = [.prior]
    let tokens = [
      operation.observe(\.isReady, options: options) { operation, change in
        told.add("isReady \(change.isPrior) \(operation.isReady) \(operation.state)")
      },
      operation.observe(\.isExecuting, options: options) { operation, change in
        told.add("isExecuting \(change.isPrior) \(operation.isExecuting)")
      },
      operation.observe(\.isFinished, options: options) { operation, change in
        told.add("isFinished \(change.isPrior) \(operation.isFinished)")
      },
    ]
    try queue.addOperations([gate, operation], waitUntilFinished: false)
    gate.finish(.success(1))
    #expect(operation.waitUntilBegun())
    operation.finish(.success(1))
    drain(queue)
    #expect(
      told.all == [
        "isReady true false pending", "isReady false true ready",
        "isExecuting true false", "isExecuting false true",
        "isExecuting true true", "isFinished true false",
        "isExecuting false false", "isFinished false true",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("Readiness is reported if the last dependency finishes while another one is removed")
  func lastDependencyGoes() throws {
    let bench = Bench()
    let (one, two, operation) = (bench.held("one"), bench.held("two"), bench.quick("a"))
    try operation.depend(on: one)
    try operation.depend(on: two)
    let (seen, removals) = (Gathered<String>(), Gathered<Bool>())
    let tokens = [
      operation.observe(\.dependencies, options: [.prior]) { operation, change in
        guard change.isPrior, removals.all.isEmpty else { return }
        removals.add(true)
        _ = try? operation.removeDependency(on: two)
      },
      operation.observe(\.isReady, options: [.prior]) { operation, change in
        seen.add("\(change.isPrior ? "before" : "after"): \(operation.isReady)")
      },
    ]
    try operation.removeDependency(on: one)
    #expect(eventually { operation.isReady })
    #expect(eventually { seen.all == ["before: false", "after: true"] }, "\(seen.all)")
    withExtendedLifetime(tokens) {}
  }

  @Test("Setting a property to its current value reports no change")
  func redundant() {
    let operation = Held(name: "a", engine: OperationEngine())
    let told = Gathered<String>()
    let tokens = ObservableKeyPath.operationNames.compactMap { name in
      operation.observe(named: name, options: [.prior, .old, .new]) { _, change in
        told.add("\(name) \(change.isPrior) \(String(describing: change.newValue))")
      }
    }
    #expect(tokens.count == ObservableKeyPath.operationNames.count)
    operation.queuePriority = .normal
    operation.qualityOfService = .default
    operation.progress = nil
    operation.name = "a"
    operation.completionBlock = nil
    #expect(told.all.isEmpty)
    operation.queuePriority = .high
    operation.queuePriority = .high
    operation.progress = 2
    operation.progress = 1
    operation.name = "b"
    operation.cancel()
    operation.cancel()
    #expect(
      told.all == [
        "queuePriority true nil",
        "queuePriority false Optional(Operations.ObservedValue.text(\"high\"))",
        "progress true nil", "progress false Optional(Operations.ObservedValue.real(1.0))",
        "name true nil", "name false Optional(Operations.ObservedValue.text(\"b\"))",
        "isCancelled true nil",
        "isCancelled false Optional(Operations.ObservedValue.boolean(true))",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("Typed values arrive for every kind of property")
  func typedValues() throws {
    let engine = OperationEngine()
    let (operation, other) = (Held(name: "a", engine: engine), Held(name: "b", engine: engine))
    let told = Gathered<String>()
    let both: ObservationOptions = [.old, .new]
    let tokens = [
      operation.observe(\.queuePriority, options: both) { _, change in
        told.add("\(change.oldValue == .normal) \(change.newValue == .low)")
      },
      operation.observe(\.qualityOfService, options: both) { _, change in
        told.add("\(change.oldValue == .default) \(change.newValue == .utility)")
      },
      operation.observe(\.name, options: both) { _, change in
        told.add("\(change.oldValue == "a") \(change.newValue == "c")")
      },
      operation.observe(\.progress, options: both) { _, change in
        told.add("\(change.oldValue == .some(nil)) \(change.newValue == 0.5)")
      },
      operation.observe(\.dependencies, options: both) { _, change in
        told.add("\(change.oldValue == []) \(change.newValue == [other])")
      },
    ]
    operation.queuePriority = .low
    operation.qualityOfService = .utility
    operation.name = "c"
    operation.progress = 0.5
    try operation.depend(on: other)
    #expect(told.all == Array(repeating: "true true", count: 5))
    for token in tokens { token.invalidate() }
  }

  @Test(
    "isFinished becomes true only after the completion handler has run", arguments: [true, false])
  func afterCompletion(onQueue: Bool) throws {
    final class Late: ConcurrentOperation<Int>, @unchecked Sendable {
      // @unchecked because the superclass is, and this class adds nothing.
      override func execute() { finish(.success(1)) }
    }
    let bench = Bench()
    let queue = bench.queue()
    let told = Gathered<String>()
    let box = Locked<Late?>(nil)
    let operation = Late(
      name: "a", engine: bench.engine,
      callbackQueue: onQueue ? DispatchQueue(label: "completion") : nil
    ) { _ in
      told.add("completion \(box.withLock { $0 }?.isFinished ?? true)")
    }
    box.withLock { $0 = operation }
    let token = operation.observe(\.isFinished) { _, _ in told.add("finished") }
    try queue.addOperation(operation)
    drain(queue)
    #expect(operation.waitUntilFinished(timeout: .seconds(60)))
    // Observers are called after the change.
    #expect(eventually { told.all.count == 2 })
    #expect(told.all == ["completion false", "finished"])
    token.invalidate()
    box.withLock { $0 = nil }
  }

  @Test("A refused or skipped start, or readiness that never comes, calls no prior observer")
  func nothingAnnounced() throws {
    let bench = Bench()
    let announced = Gathered<String>()
    func observe(_ operation: ObservableOperation) -> [ObservationToken] {
      [
        operation.observe(\.isExecuting, options: [.prior]) { operation, change in
          if change.isPrior { announced.add("\(operation.displayName) executing") }
        },
        operation.observe(\.isReady, options: [.prior]) { operation, change in
          if change.isPrior { announced.add("\(operation.displayName) ready") }
        },
      ]
    }
    let (cancelled, open) = (bench.quick("cancelled"), bench.quick("open"))
    cancelled.cancel()
    try bench.queue().addOperations([cancelled], waitUntilFinished: true)

    let skipped = bench.quick("skipped")
    try skipped.depend(on: cancelled, policy: .skip)
    var tokens = observe(skipped)
    try skipped.startManually()
    #expect(skipped.outcome == .skipped)

    let (holder, excluded) = (bench.held("holder"), bench.quick("excluded"))
    for operation in [holder, excluded] as [ObservableOperation] {
      operation.exclusiveNames = ["n"]
    }
    try holder.startManually()
    tokens += observe(excluded)
    #expect(throws: OperationError.self) { try excluded.startManually() }

    let stopped = bench.quick("stopped")
    try stopped.depend(on: open)
    try stopped.depend(on: cancelled, policy: .skip)
    tokens += observe(stopped)
    try stopped.removeDependency(on: open)
    #expect(announced.all == [])

    holder.finish(.success(1))
    try excluded.startManually()
    // That it begins, and that it ends.
    #expect(announced.all == ["excluded executing", "excluded executing"])
    withExtendedLifetime(tokens) {}
  }
}
