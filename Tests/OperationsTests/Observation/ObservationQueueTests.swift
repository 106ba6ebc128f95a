import Foundation
import Operations
import TestSupport
import Testing

/// Every property of a queue that can be observed, with every set of options.
@Suite(.timeLimit(.minutes(15))) struct ObservationQueueTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let property: String
    let what: String
    let old: ObservedValue
    let new: ObservedValue
    /// Puts on the queue what the change needs to be there.
    let prepare: @Sendable (Bench, InspectableQueue) throws -> Void
    /// Makes the change; the observer has been called when it returns, or soon after.
    let act: @Sendable (Bench, InspectableQueue) throws -> Void
    var testDescription: String { "\(property): \(what)" }

    init(
      _ property: String, _ what: String, from old: ObservedValue, to new: ObservedValue,
      prepare: @escaping @Sendable (Bench, InspectableQueue) throws -> Void = { _, _ in },
      act: @escaping @Sendable (Bench, InspectableQueue) throws -> Void
    ) {
      self.property = property
      self.what = what
      self.old = old
      self.new = new
      self.prepare = prepare
      self.act = act
    }
  }

  /// Changes of what is on the queue, which change both properties.
  private static func membership(
    _ what: String, from old: [String], to new: [String],
    prepare: @escaping @Sendable (Bench, InspectableQueue) throws -> Void,
    act: @escaping @Sendable (Bench, InspectableQueue) throws -> Void
  ) -> [Case] {
    [
      Case(
        "operations", what, from: .names(old), to: .names(new), prepare: prepare, act: act),
      Case(
        "operationCount", what, from: .integer(old.count), to: .integer(new.count),
        prepare: prepare, act: act),
    ]
  }

  private static let paused: @Sendable (Bench, InspectableQueue) throws -> Void = { bench, queue in
    queue.isSuspended = true
    try queue.addOperation(bench.held("a"))
  }

  static let cases: [Case] =
    membership(
      "one is added", from: ["a"], to: ["a", "b"], prepare: paused,
      act: { bench, queue in try queue.addOperation(bench.held("b")) })
    + membership(
      "several are added at once", from: ["a"], to: ["a", "b", "c", "d"], prepare: paused,
      act: { bench, queue in
        try queue.addOperations(["b", "c", "d"].map(bench.held), waitUntilFinished: false)
      })
    + membership(
      "one finishes", from: ["a", "b"], to: ["b"],
      prepare: { bench, queue in
        try queue.addOperations(["a", "b"].map(bench.held), waitUntilFinished: false)
      },
      act: { _, queue in (queue.operations.first as? Held)?.finish(.success(1)) })
    + membership(
      "one is cancelled that executes", from: ["a", "b"], to: ["a"],
      prepare: { bench, queue in
        try queue.addOperations(["a", "b"].map(bench.held), waitUntilFinished: false)
      },
      act: { _, queue in queue.operations.last?.cancel() })
    + membership(
      "one is skipped", from: ["a", "b"], to: ["a"],
      prepare: { bench, queue in
        let (first, second, other) = (bench.held("first"), bench.held("b"), bench.held("a"))
        try second.depend(on: first, policy: .skip)
        try queue.addOperations([other, second], waitUntilFinished: false)
        try first.startManually()
      },
      act: { _, queue in
        (queue.operations.last?.upstream.first?.operation as? Held)?.finish(.failure(TestError()))
      })
    + [
      Case(
        "isSuspended", "is suspended", from: .boolean(false), to: .boolean(true),
        act: { _, queue in queue.isSuspended = true }),
      Case(
        "isSuspended", "goes on", from: .boolean(true), to: .boolean(false), prepare: paused,
        act: { _, queue in queue.isSuspended = false }),
      Case(
        "maxConcurrentOperationCount", "is widened", from: .integer(2), to: .integer(-1),
        prepare: paused, act: { _, queue in queue.maxConcurrentOperationCount = -1 }),
      Case(
        "maxConcurrentOperationCount", "is closed", from: .integer(2), to: .integer(0),
        act: { _, queue in try queue.setWidth(0) }),
      Case(
        "name", "is renamed", from: .text("network"), to: .text("other"),
        act: { _, queue in queue.name = "other" }),
    ]

  @Test("Each property calls its observers as each set of options says", arguments: cases)
  func calls(_ example: Case) throws {
    for options in ObservationOptions.combinations {
      let bench = Bench()
      let queue = bench.queue()
      try example.prepare(bench, queue)
      let calls = ObservedCalls()
      let token = try #require(
        queue.observe(named: example.property, options: options) { queue, change in
          calls.add(change, present: queue.present(example.property))
        })
      #expect(calls.all.count == (options.contains(.initial) ? 1 : 0))
      try example.act(bench, queue)
      let expected = ObservedCalls.expected(for: options, from: example.old, to: example.new)
      _ = eventually { calls.all.count >= expected.count }
      #expect(calls.all == expected, "options \(options.rawValue)")
      token.invalidate()
      queue.maxConcurrentOperationCount = 2
      queue.cancelAllOperations()
      queue.isSuspended = false
      drain(queue)
    }
  }

  @Test("Every observable property of queues is among the cases")
  func allProperties() {
    #expect(Set(Self.cases.map(\.property)) == Set(ObservableKeyPath.queueNames))
  }

  @Test("Setting the same value, a wrong value or a refused add calls no observer")
  func redundant() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let operation = bench.held("a")
    try queue.addOperation(operation)
    let told = Gathered<String>()
    let tokens = ObservableKeyPath.queueNames.compactMap { name in
      queue.observe(named: name, options: [.prior, .old, .new]) { _, _ in told.add(name) }
    }
    queue.isSuspended = true
    queue.maxConcurrentOperationCount = 2
    queue.maxConcurrentOperationCount = -7
    #expect(throws: QueueError.self) { try queue.addOperation(operation) }
    #expect(throws: QueueError.self) {
      try queue.addOperations([bench.held("b"), operation], waitUntilFinished: false)
    }
    try queue.addOperations([], waitUntilFinished: false)
    operation.queuePriority = .high
    #expect(told.all == [])
    for token in tokens { token.invalidate() }
    queue.isSuspended = false
    operation.finish(.success(1))
    drain(queue)
  }

  @Test("Values arrive in the type that the property has")
  func typedValues() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (first, second) = (bench.held("a"), bench.held("b"))
    try queue.addOperation(first)
    let told = Gathered<Bool>()
    let both: ObservationOptions = [.old, .new]
    let tokens = [
      queue.observe(\.operations, options: both) { _, change in
        told.add(change.oldValue == [first] && change.newValue == [first, second])
      },
      queue.observe(\.operationCount, options: both) { _, change in
        told.add(change.oldValue == 1 && change.newValue == 2)
      },
      queue.observe(\.maxConcurrentOperationCount, options: both) { _, change in
        told.add(change.oldValue == 2 && change.newValue == 7)
      },
      queue.observe(\.isSuspended, options: both) { _, change in
        told.add(change.oldValue == true && change.newValue == false)
      },
    ]
    try queue.addOperation(second)
    queue.maxConcurrentOperationCount = 7
    queue.isSuspended = false
    #expect(told.all == [true, true, true, true])
    for token in tokens { token.invalidate() }
    queue.cancelAllOperations()
    drain(queue)
  }

  @Test("Each reported count follows from the previous one, whichever threads add and finish")
  func countsAreAChain() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let told = Gathered<(Int?, Int?)>()
    let token = queue.observe(\.operationCount, options: [.old, .new]) { _, change in
      told.add((change.oldValue, change.newValue))
    }
    let operations = (0..<TestScale.count(400)).map { bench.quick("op-\($0)") }
    race(
      (0..<4).map { part in
        {
          for index in stride(from: part, to: operations.count, by: 4) {
            try? queue.addOperation(operations[index])
          }
        }
      })
    drain(queue)
    #expect(eventually { !bench.engine.isDelivering })
    let counts = told.all
    #expect(counts.count == 2 * operations.count)
    #expect(counts.first?.0 == 0)
    #expect(counts.last?.1 == 0)
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0.1 == $1.0 })
    token.invalidate()
  }
}
