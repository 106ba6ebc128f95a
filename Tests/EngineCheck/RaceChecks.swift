import Foundation
import Operations

/// What threads do to operations at the same moment.
enum RaceChecks {
  static let all = [
    Check("cancel-against-finish") { try cancelAgainstFinish() },
    Check("three-finishes") { try threeFinishes() },
    Check("add-against-finish") { try addAgainstFinish() },
    Check("depend-against-finish") { try dependAgainstFinish() },
    Check("suspend-and-width-against-add") { try suspendAgainstAdd() },
    Check("exclusive-names") { try exclusiveNames() },
    Check("observers-come-and-go") { try observers() },
    Check("wait-against-finish") { try waiters() },
    Check("group-against-cancel") { try groups() },
    Check("last-reference-of-a-queue") { try lastReference() },
  ]

  private static let rounds = 3_000

  private struct Round {
    /// What each thread does.
    let bodies: [Crew.Body]
    /// Waits for the end of the round, and judges it.
    let end: () throws -> Void

    init(_ bodies: [Crew.Body], _ end: @escaping () throws -> Void) {
      self.bodies = bodies
      self.end = end
    }
  }

  /// Runs rounds of a race.
  private static func race(
    _ members: Int, _ make: (Int) throws -> Round
  ) throws {
    let crew = Crew(size: members)
    for number in 0..<rounds {
      let round = try make(number)
      crew.run(round.bodies)
      do { try round.end() } catch { throw Check.Failure("round \(number): \(error)") }
    }
  }

  private static func drain(_ queues: InspectableQueue...) throws {
    for queue in queues {
      try expect(
        queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)),
        "'\(queue.name)' does not drain: \(queue.operations.map { "\($0.displayName) \($0.state)" })"
      )
      let left = queue.snapshot
      try expect(
        left.slotHolders.isEmpty && left.executing == 0 && left.ready == 0 && left.pending == 0,
        "wrong counts: \(left)")
    }
  }

  private static func makeQueue(_ name: String = "q", width: Int, engine: OperationEngine)
    -> InspectableQueue
  {
    InspectableQueue(name: name, maxConcurrentOperationCount: width, engine: engine)
  }

  private static func cancelAgainstFinish() throws {
    try race(3) { number -> Round in
      let engine = OperationEngine(logCapacity: 0)
      let queue = makeQueue(width: 1, engine: engine)
      let isAdded = number.isMultiple(of: 2)
      let calls = Shared<[Bool]>([])
      let operation = Open(engine: engine) { result in
        calls.change { $0.append((try? result.get()) != nil) }
      }
      let next = Empty(LeakCounter(), engine: engine)
      try next.depend(on: operation)
      if isAdded { try queue.addOperation(operation) }
      try queue.addOperation(next)
      let won = Shared(false)
      let start: Crew.Body = {
        if isAdded { queue.isSuspended.toggle() } else { try? queue.addOperation(operation) }
      }
      return Round(
        [start, { operation.cancel() }, { if operation.finish(.success(1)) { won.set(true) } }],
        {
          queue.isSuspended = false
          try drain(queue)
          try expect(calls.value == [won.value], "\(calls.value) and won \(won.value)")
          try expect(
            operation.outcome == (won.value ? .succeeded : .cancelled),
            "\(String(describing: operation.outcome)) and won \(won.value)")
        }
      )
    }
  }

  private static func threeFinishes() throws {
    try race(3) { number -> Round in
      let engine = OperationEngine(logCapacity: 0)
      let queue = makeQueue(width: 1, engine: engine)
      let operation = Open(engine: engine)
      if number.isMultiple(of: 2) { try queue.addOperation(operation) }
      let winners = Shared<[Int]>([])
      return Round(
        (0..<3).map { index in
          { if operation.finish(.success(index)) { winners.change { $0.append(index) } } }
        },
        {
          if !number.isMultiple(of: 2) { try queue.addOperation(operation) }
          try drain(queue)
          try expect(winners.value.count == 1, "\(winners.value) won")
          try expect(try operation.result?.get() == winners.value[0], "another one's result")
        }
      )
    }
  }

  /// The dependency finishes while its dependent is added: no wake-up is lost.
  private static func addAgainstFinish() throws {
    try race(2) { number -> Round in
      let engine = OperationEngine(logCapacity: 0)
      let (first, second) = (
        makeQueue("a", width: 1, engine: engine), makeQueue("b", width: 2, engine: engine)
      )
      let upstream = Open(engine: engine)
      let dependents = (0..<3).map { _ in Empty(LeakCounter(), engine: engine) }
      for dependent in dependents { try dependent.depend(on: upstream) }
      try first.addOperation(upstream)
      return Round(
        [
          { for dependent in dependents { try? second.addOperation(dependent) } },
          { upstream.finish(.success(number)) },
        ], { try drain(first, second) }
      )
    }
  }

  /// Edges are added and removed while the dependency finishes.
  private static func dependAgainstFinish() throws {
    try race(3) { number -> Round in
      let engine = OperationEngine(logCapacity: 0)
      let queue = makeQueue(width: 2, engine: engine)
      let (upstream, other) = (Open(engine: engine), Open(engine: engine))
      let dependent = Empty(LeakCounter(), engine: engine)
      try dependent.depend(on: other)
      try queue.addOperations([upstream, other, dependent], waitUntilFinished: false)
      return Round(
        [
          { try? dependent.depend(on: upstream) },
          { upstream.finish(.success(number)) },
          { _ = try? dependent.removeDependency(on: other) },
        ],
        {
          other.finish(.success(number))
          try drain(queue)
        }
      )
    }
  }

  private static func suspendAgainstAdd() throws {
    try race(3) { number -> Round in
      let engine = OperationEngine(logCapacity: 0)
      let queue = makeQueue(width: 1 + number % 3, engine: engine)
      let operations = (0..<4).map { _ in Empty(LeakCounter(), engine: engine) }
      return Round(
        [
          {
            for _ in 0..<3 {
              queue.isSuspended = true
              queue.isSuspended = false
            }
          },
          { for width in [0, -1, 2, 0, 1] { queue.maxConcurrentOperationCount = width } },
          { for operation in operations { try? queue.addOperation(operation) } },
        ], { try drain(queue) }
      )
    }
  }

  /// Of all operations that need a name one executes at a time, on whichever queues.
  private static func exclusiveNames() throws {
    let engine = OperationEngine(logCapacity: 0)
    let (present, wrong, ran) = (Shared(0), Shared(0), Shared(0))
    try race(3) { number -> Round in
      let queues = [
        makeQueue("a", width: 2, engine: engine), makeQueue("b", width: -1, engine: engine),
      ]
      let operations = (0..<6).map { index in
        let operation = BlockingOperation(engine: engine) { _ in
          if present.change({ present in
            present += 1
            return present
          }) > 1 {
            wrong.change { $0 += 1 }
          }
          ran.change { $0 += 1 }
          present.change { $0 -= 1 }
          return nil
        }
        operation.exclusiveNames = index.isMultiple(of: 2) ? ["x"] : ["x", "y"]
        return operation
      }
      return Round(
        (0..<3).map { member in
          {
            for index in [member, member + 3] {
              try? queues[(number + index) % 2].addOperation(operations[index])
            }
          }
        },
        {
          try drain(queues[0], queues[1])
          try expect(wrong.value == 0, "\(wrong.value) executed beside another one")
          try expect(ran.value == (number + 1) * 6, "\(ran.value) ran")
        }
      )
    }
  }

  /// Observers are invalidated while they are called; the last reference to each may go anywhere.
  private static func observers() throws {
    let counter = LeakCounter()
    try race(3) { number -> Round in
      let engine = OperationEngine(logCapacity: 0)
      let queue = makeQueue(width: 1, engine: engine)
      let upstream = Open(engine: engine)
      let operation = Empty(counter, engine: engine)
      try operation.depend(on: upstream)
      let heard = Shared<[Bool]>([])
      let faithful = operation.observe(\.isFinished, options: [.new, .prior]) { _, change in
        heard.change { $0.append(change.isPrior) }
      }
      try queue.addOperations([operation, upstream], waitUntilFinished: false)
      return Round(
        [
          { upstream.finish(.success(number)) },
          {
            for _ in 0..<4 {
              operation.observe(\.isReady, options: [.initial, .prior]) { _, _ in }.invalidate()
            }
          },
          {
            let tokens = (0..<4).map { _ in operation.observe(\.isFinished) { _, _ in } }
            for token in tokens { token.invalidate() }
          },
        ],
        {
          try drain(queue)
          eventually { !engine.isDelivering }
          try expect(heard.value == [true, false], "heard \(heard.value)")
          faithful.invalidate()
        }
      )
    }
    eventually { counter.alive == 0 }
  }

  private static func waiters() throws {
    try race(3) { number -> Round in
      let engine = OperationEngine(logCapacity: 0)
      let queue = makeQueue(width: 1, engine: engine)
      let operation = Open(engine: engine)
      try queue.addOperation(operation)
      let ended = Shared(0)
      return Round(
        [
          { operation.finish(.success(number)) },
          { if operation.waitUntilFinished(timeout: .seconds(20)) { ended.change { $0 += 1 } } },
          {
            if queue.waitUntilAllOperationsAreFinished(timeout: .seconds(20)) {
              ended.change { $0 += 1 }
            }
          },
        ],
        {
          try drain(queue)
          try expect(ended.value == 2, "\(ended.value) of 2 came back")
        }
      )
    }
  }

  private static func groups() throws {
    let counter = LeakCounter()
    try race(3) { number -> Round in
      let engine = OperationEngine(logCapacity: 0)
      let queue = makeQueue(width: 1, engine: engine)
      let group = GroupOperation(engine: engine)
      let members = (0..<4).map { _ in Empty(counter, engine: engine) }
      try group.addOperations(Array(members.prefix(2)))
      return Round(
        [
          { try? queue.addOperation(group) },
          { for member in members.suffix(2) { try? group.addOperation(member) } },
          { if number.isMultiple(of: 2) { group.cancel() } },
        ],
        {
          try drain(queue)
          try expect(group.outcome != nil && group.operations.isEmpty, "the group has not ended")
        }
      )
    }
    eventually { counter.alive == 0 }
  }

  /// A queue that nothing else keeps runs what is on it, and then goes, on whichever thread.
  private static func lastReference() throws {
    try race(2) { number -> Round in
      let engine = OperationEngine(logCapacity: 0)
      let gate = Open(engine: engine)
      let operations = (0..<2).map { _ in Empty(LeakCounter(), engine: engine) }
      let holder = Shared<InspectableQueue?>(makeQueue(width: 1 + number % 2, engine: engine))
      for operation in [gate] + operations { try holder.value?.addOperation(operation) }
      let gone = Weak(holder.value)
      return Round(
        [{ holder.set(nil) }, { gate.finish(.success(number)) }],
        {
          for operation in operations {
            try expect(operation.waitUntilFinished(timeout: .seconds(20)), "does not finish")
          }
          // The finished operations are still here, and do not keep it.
          eventually { gone.object == nil }
          withExtendedLifetime((operations, gate)) {}
        }
      )
    }
  }
}

/// A weak reference.
private struct Weak {
  private(set) weak var object: InspectableQueue?

  init(_ object: InspectableQueue?) { self.object = object }
}
