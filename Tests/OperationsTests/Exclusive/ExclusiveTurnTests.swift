import Foundation
import OpshSupport
import TestSupport
import Testing

@testable import Operations

/// Exclusive names go by turn: the first of those that wait reserves all of its names.
@Suite(.timeLimit(.minutes(15))) struct ExclusiveTurnTests {
  private func held(_ bench: Bench, _ name: String, needs names: [String]) -> Held {
    let operation = bench.held(name)
    operation.exclusiveNames = names
    return operation
  }

  private func finish(_ operations: [Held]) {
    for operation in operations {
      #expect(operation.waitUntilBegun())
      operation.finish(.success(1))
    }
  }

  @Test(
    "An operation that needs two names is not starved by streams that need one", arguments: 2...4)
  func streams(width: Int) throws {
    let bench = Bench()
    let queue = bench.queue(width: width)
    let first = [held(bench, "a-0", needs: ["a"]), held(bench, "b-0", needs: ["b"])]
    let both = held(bench, "both", needs: ["a", "b"])
    let later = (1...4).flatMap { number in
      ["a", "b"].map { held(bench, "\($0)-\(number)", needs: [$0]) }
    }
    try queue.addOperations(first + [both] + later, waitUntilFinished: false)
    finish([first[0]])
    #expect(later.allSatisfy { $0.state == .ready })
    finish([first[1], both] + later)
    drain(queue)
    #expect(bench.started.prefix(3) == ["a-0", "b-0", "both"])
  }

  @Test("An operation runs on names that no earlier turn needs")
  func others() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let (first, both) = (held(bench, "a", needs: ["a"]), held(bench, "both", needs: ["a", "b"]))
    let (other, free) = (held(bench, "c", needs: ["c"]), bench.held("free"))
    let reserved = held(bench, "b", needs: ["b"])
    try queue.addOperations([first, both, reserved, other, free], waitUntilFinished: false)
    #expect(bench.started == ["a", "c", "free"])
    #expect(
      reserved.waitReasons().map(\.text) == [
        "'b' is reserved for 'both', whose turn is first", "'a' is held by 'a'",
      ])
    #expect(reserved.waitCodes == ["exclusive both", "exclusive a"])
    #expect(reserved.canFinish)
    finish([first, both, reserved, other, free])
    drain(queue)
  }

  @Test("A higher priority takes a reserved name first; a reservation ends with its operation")
  func priority() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let (first, both) = (held(bench, "a", needs: ["a"]), held(bench, "both", needs: ["a", "b"]))
    let (high, low) = (held(bench, "high", needs: ["b"]), held(bench, "low", needs: ["b"]))
    high.queuePriority = .high
    try queue.addOperations([first, both], waitUntilFinished: false)
    try queue.addOperations([low, high], waitUntilFinished: false)
    #expect(bench.started == ["a", "high"])
    finish([high])
    #expect(low.state == .ready)
    both.cancel()
    finish([low])
    #expect(both.waitUntilFinished(timeout: .seconds(60)) && both.executions == 0)
    finish([first])
    drain(queue)
  }

  @Test("An operation on a paused queue reserves nothing, and reserves again when that goes on")
  func paused() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue("one", width: 3), bench.queue("two", width: 3))
    let (first, both) = (held(bench, "a", needs: ["a"]), held(bench, "both", needs: ["a", "b"]))
    let later = (1...3).map { held(bench, "b-\($0)", needs: ["b"]) }
    try queue.addOperations([first, both], waitUntilFinished: false)
    try other.addOperations(later, waitUntilFinished: false)
    #expect(bench.started == ["a"])
    queue.isSuspended = true
    #expect(bench.started == ["a", "b-1"])
    queue.isSuspended = false
    finish([later[0]])
    #expect(bench.started == ["a", "b-1"])
    finish([first, both, later[1], later[2]])
    drain(other)
  }

  @Test("A name that only a full queue can use stays reserved while its slots will be free")
  func full() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue("one", width: 2), bench.queue("two", width: 1))
    let holder = held(bench, "holder", needs: ["a"])
    let (waiting, passing) = (held(bench, "waiting", needs: ["a"]), bench.held("passing"))
    let (more, later) = (bench.held("more"), held(bench, "later", needs: ["a"]))
    try other.addOperation(holder)
    try queue.addOperations([waiting, passing, more], waitUntilFinished: false)
    try other.addOperation(later)
    finish([holder])
    #expect(later.state == .ready && waiting.state == .ready)
    finish([passing, waiting, more, later])
    drain(other)
    #expect(
      bench.started == ["passing", "more", "holder", "waiting", "later"]
        || bench.started == ["holder", "passing", "more", "waiting", "later"])
  }

  @Test(
    "What a holder of a name waits for is not kept from a reserved name",
    arguments: [
      "group", "body", "slot",
    ])
  func deadlock(way: String) throws {
    let bench = Bench()
    let (queue, other) = (bench.queue("one"), bench.queue("two", width: 1))
    let first = held(bench, "first", needs: ["a"])
    let both = held(bench, "both", needs: way == "slot" ? ["a"] : ["a", "b"])
    let member = held(bench, "member", needs: ["a"])
    try queue.addOperation(first)
    switch way {
    case "group":
      let group = bench.group("group")
      group.exclusiveNames = ["b"]
      try group.addOperation(member)
      try other.addOperation(group)
      try queue.addOperation(both)
    case "body":
      let body = held(bench, "body", needs: ["b"])
      try queue.addOperation(body)
      try queue.setWidth(4)
      try queue.addOperations([both, member], waitUntilFinished: false)
      body.setAwaited([member])
      finish([first, member])
      body.setAwaited([])
      finish([body, both])
      return drain(queue)
    default:
      // The group takes the slot that the operation with an earlier turn needs.
      try other.addOperation(both)
      let group = bench.group("group")
      try group.addOperation(member)
      try other.addOperation(group)
    }
    finish([first, member, both])
    drain(queue)
    drain(other)
    #expect(bench.started.last == "both")
  }

  @Test("Many operations with a common name and one of their own run by turn, in linear time")
  func distinctNames() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    queue.isSuspended = true
    let operations = (0..<3_000).map { number in
      let operation = BlockingOperation(name: "op-\(number)", engine: bench.engine) { _ in nil }
      operation.exclusiveNames = ["x", "y-\(number)"]
      return operation
    }
    try queue.addOperations(operations, waitUntilFinished: false)
    queue.isSuspended = false
    drain(queue)
    for (one, next) in zip(operations, operations.dropFirst()) {
      let end = try #require(one.timestamps.finished)
      let start = try #require(next.timestamps.executing)
      try #require(end <= start)
    }
  }

  @Test("Those that wait for what a body with an expectation holds reserve nothing meanwhile")
  func expecting() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let (body, both) = (held(bench, "body", needs: ["a"]), held(bench, "both", needs: ["a", "b"]))
    let later = held(bench, "later", needs: ["b"])
    try queue.addOperations([body, both, later], waitUntilFinished: false)
    #expect(bench.started == ["body"])
    body.setExpecting(true)
    #expect(bench.started == ["body", "later"])
    body.setExpecting(false)
    finish([later, body, both])
    drain(queue)
  }

  // MARK: Random sets of names

  @Test(
    "On one queue what starts is what the order of turns allows, and all of it", arguments: 0..<20)
  func model(seed: Int) throws {
    var random = RandomSource(seed: UInt64(seed) &+ 7)
    let bench = Bench()
    let width = [1, 2, 3, 5, -1][random.below(5)]
    let queue = bench.queue(width: width)
    let all = ["a", "b", "c", "d"].prefix(2 + random.below(3))
    let operations = (0..<60).map { number in
      let operation = held(bench, "op-\(number)", needs: all.filter { _ in random.below(3) == 0 })
      operation.queuePriority = [.low, .normal, .normal, .high][random.below(4)]
      return operation
    }
    var (added, executing): ([Held], [Held]) = ([], [])
    while added.count < operations.count || !executing.isEmpty {
      if added.count < operations.count, executing.isEmpty || random.below(2) == 0 {
        added.append(operations[added.count])
        try queue.addOperation(added[added.count - 1])
      } else {
        finish([executing.remove(at: random.below(executing.count))])
      }
      // The reference: in the order of turns, whatever needs no name of those ahead, as slots last.
      var taken = Set(executing.flatMap(\.exclusiveNames))
      let waiting = added.enumerated()
        .filter { place, one in !executing.contains { $0 === one } && one.outcome == nil }
        .sorted { one, other in
          (-one.element.queuePriority.rawValue, one.offset)
            < (-other.element.queuePriority.rawValue, other.offset)
        }
      for (_, operation) in waiting where width < 0 || executing.count < width {
        if taken.isDisjoint(with: operation.exclusiveNames) { executing.append(operation) }
        taken.formUnion(operation.exclusiveNames)
      }
      let started = Set(added.filter { $0.state == .executing }.map(\.displayName))
      try #require(started == Set(executing.map(\.displayName)), "seed \(seed)")
    }
    #expect(operations.allSatisfy { $0.outcome == .succeeded })
  }

  @Test(
    "No turn is overtaken, no name has two holders, and nothing is idle without a reason",
    arguments: 0..<30)
  func manyQueues(seed: Int) throws {
    var scene = RandomScene(seed: seed)
    for _ in 0..<300 { try scene.act() }
    try scene.end()
  }

  /// Several queues with random operations, steered at random and judged after each action.
  private struct RandomScene {
    private let bench = Bench()
    private let queues: [InspectableQueue]
    private var operations: [Held] = []
    private var random: RandomSource
    private let seed: Int

    init(seed: Int) {
      (self.seed, random) = (seed, RandomSource(seed: UInt64(seed) &+ 1_000))
      let bench = bench
      queues = (0..<3).map { bench.queue("q-\($0)", width: [1, 2, 4][$0]) }
    }

    mutating func act() throws {
      let aside = operations.filter { $0.core.isBlocked && reserves($0) }
      let turns = aside.map(ExclusiveNames.Turn.init)
      let waiting = operations.filter { $0.state == .ready }
      try steer()
      for operation in waiting where operation.state == .executing {
        for (first, turn) in zip(aside, turns)
        where first.core.isBlocked && first.core.extras?.turn == turn && reserves(first) {
          let isFree = Set(first.exclusiveNames).isDisjoint(with: operation.exclusiveNames)
          try #require(
            isFree || ExclusiveNames.Turn(of: operation) < turn,
            "seed \(seed): \(operation.displayName) overtook \(first.displayName)")
        }
      }
      try judge()
    }

    private mutating func steer() throws {
      let queue = queues[random.below(queues.count)]
      let known = operations.isEmpty ? nil : operations[random.below(operations.count)]
      switch random.below(12) {
      case 0..<5:
        let operation = bench.held("op-\(operations.count)")
        let chance = random.below(8)
        operation.exclusiveNames = ["a", "b", "c"].enumerated()
          .filter { chance >> $0.offset & 1 == 1 }.map(\.element)
        operation.queuePriority = [.low, .normal, .normal, .high][random.below(4)]
        operations.append(operation)
        try queue.addOperation(operation)
      case 5: queue.isSuspended.toggle()
      case 6: known?.cancel()
      case 7: known?.queuePriority = [.low, .normal, .high][random.below(3)]
      case 8: try queue.setWidth([0, 1, 2, 4][random.below(4)])
      default:
        let executing = operations.filter { $0.state == .executing && !$0.isCancelled }
        guard !executing.isEmpty else { return }
        let ended = executing[random.below(executing.count)]
        try #require(ended.waitUntilBegun())
        ended.finish(.success(1))
      }
    }

    private func reserves(_ operation: Held) -> Bool {
      guard let queue = operation.queue, !operation.isCancelled else { return false }
      return !queue.isSuspended && queue.maxConcurrentOperationCount != 0
    }

    private func judge() throws {
      var holders: [String: Held] = [:]
      for operation in operations where operation.state == .executing {
        for name in operation.exclusiveNames {
          try #require(holders.updateValue(operation, forKey: name) == nil, "seed \(seed): \(name)")
        }
      }
      // A cancelled one holds a slot until Foundation's queue has ended it, on another thread.
      try #require(eventually { idle.isEmpty }, "seed \(seed): \(idle) idle")
    }

    /// Those that have a slot and whose names are neither held nor reserved, but that do not execute.
    private var idle: [String] {
      let taken = Set(operations.filter { $0.state == .executing }.flatMap(\.exclusiveNames))
      let aside = operations.filter { $0.core.isBlocked && reserves($0) }
      return operations.filter { operation in
        guard operation.state == .ready, !operation.isCancelled, let queue = operation.queue,
          !queue.isSuspended, queue.read({ $0.hasRoom })
        else { return false }
        return taken.isDisjoint(with: operation.exclusiveNames)
          && !aside.contains {
            !Set($0.exclusiveNames).isDisjoint(with: operation.exclusiveNames)
              && ExclusiveNames.Turn(of: $0) < ExclusiveNames.Turn(of: operation)
          }
      }.map(\.displayName)
    }

    mutating func end() throws {
      for queue in queues {
        try queue.setWidth(2)
        queue.isSuspended = false
      }
      while let next = operations.first(where: { $0.state != .finished }) {
        let executing = operations.first { $0.state == .executing && !$0.isCancelled } ?? next
        if executing.isCancelled {
          try #require(executing.waitUntilFinished(timeout: .seconds(60)), "seed \(seed)")
        } else {
          try #require(executing.waitUntilBegun(), "seed \(seed): \(executing.waitCodes)")
          executing.finish(.success(1))
          try judge()
        }
      }
      let ended = operations.filter { !$0.isCancelled }
      #expect(ended.allSatisfy { $0.outcome == .succeeded })
    }
  }
}
