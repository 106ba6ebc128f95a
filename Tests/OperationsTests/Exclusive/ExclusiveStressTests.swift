import Foundation
import OpshLocking
import Operations
import OpshSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ExclusiveStressTests {
  /// Who is inside of each name at the moment.
  private final class Watch: Sendable {
    private let inside = Locked<[String: Int]>([:])
    private let clashes = Locked(0)

    func enter(_ names: [String]) {
      let isClash = inside.withLock { inside in
        for name in names { inside[name, default: 0] += 1 }
        return names.contains { inside[$0] != 1 }
      }
      if isClash { clashes.withLock { $0 += 1 } }
    }

    func leave(_ names: [String]) {
      inside.withLock { inside in
        for name in names { inside[name, default: 0] -= 1 }
      }
    }

    var clashCount: Int { clashes.withLock { $0 } }
  }

  @Test("A name never has two holders, whatever queues, cancels, pauses, priorities and failures")
  func neverTwo() throws {
    for round in 0..<TestScale.count(4) {
      let bench = Bench()
      let watch = Watch()
      let queues = (0..<3).map { bench.queue("q-\($0)", width: [1, 3, -1][$0]) }
      var random = RandomSource(seed: UInt64(round) &+ 99)
      let all = ["a", "b", "c", "d"]
      let operations = (0..<300).map { index -> ObservableOperation in
        let names = all.filter { _ in random.below(3) == 0 }
        let body: @Sendable () throws -> Void = {
          watch.enter(names)
          if index.isMultiple(of: 8) { sched_yield() }
          watch.leave(names)
          if index.isMultiple(of: 5) { throw TestError() }
        }
        let operation: ObservableOperation
        if index.isMultiple(of: 3) {
          operation = BlockingOperation(name: "op-\(index)", engine: bench.engine) { _ in
            try body()
            return nil
          }
        } else {
          operation = Plain(name: "op-\(index)", engine: bench.engine) { try? body() }
        }
        operation.exclusiveNames = names
        if index.isMultiple(of: 13) { operation.startDelay = .microseconds(index) }
        return operation
      }
      for index in operations.indices.dropFirst() where random.below(6) == 0 {
        try operations[index].depend(
          on: operations[random.below(index)], policy: random.below(2) == 0 ? .run : .skip)
      }
      let picks = (0..<200).map { _ in (random.below(operations.count), random.below(3)) }
      race([
        {
          for (index, operation) in operations.enumerated() {
            switch index % 60 {
            case 7, 25, 41: try? queues[index % 3].addBarrier(operation)
            case 2, 20, 53:
              // On the queue without a limit a group takes no slot from what it waits for.
              let group = bench.group("group-\(index)")
              try? group.addOperation(operation)
              try? queues[2].addOperation(group)
            default: try? queues[index % 3].addOperation(operation)
            }
          }
        },
        {
          // What has failed already stops those that wait for a name, others are stopped later.
          for (index, level) in picks where index > 0 {
            try? operations[index].depend(
              on: operations[index * (level + 1) / 4], policy: [.skip, .fail, .run][level])
          }
        },
        { for (index, _) in picks.prefix(40) { operations[index].cancel() } },
        {
          for (index, level) in picks {
            operations[index].queuePriority = [.low, .normal, .high][level]
          }
        },
        {
          for (index, level) in picks {
            queues[level].isSuspended.toggle()
            _ = operations[index].waitReasons()
          }
          for queue in queues { queue.isSuspended = false }
        },
      ])
      for queue in queues { drain(queue) }
      #expect(watch.clashCount == 0)
      #expect(operations.allSatisfy { $0.state == .finished })
    }
  }

  @Test("All operations finish while their exclusive names change")
  func changingNames() throws {
    let bench = Bench()
    let queues = (0..<2).map { bench.queue("q-\($0)", width: 3) }
    let operations = (0..<TestScale.count(400)).map { bench.quick("op-\($0)") }
    for (index, operation) in operations.enumerated() {
      operation.exclusiveNames = index.isMultiple(of: 2) ? ["a"] : ["a", "b"]
    }
    race([
      {
        for (index, operation) in operations.enumerated() {
          try? queues[index % 2].addOperation(operation)
        }
      },
      { for operation in operations { operation.exclusiveNames = ["b"] } },
      { for operation in operations.reversed() { operation.exclusiveNames = ["a", "c"] } },
    ])
    for queue in queues { drain(queue) }
    #expect(operations.allSatisfy { $0.outcome == .succeeded })
  }

  @Test("Thousands of operations with one name, on one or many queues, drain in linear time")
  func scale() throws {
    var times: [String] = []
    for (count, queueCount) in [(1_000, 1), (10_000, 1), (1_000, 1_000), (5_000, 5_000)] {
      let bench = Bench()
      let (scaled, width) = (TestScale.count(count), queueCount == 1 ? 4 : 1)
      let queues = (0..<TestScale.count(queueCount)).map { bench.queue("q-\($0)", width: width) }
      let clock = ContinuousClock()
      let time = try clock.measure {
        for index in 0..<scaled {
          let operation = Quick(engine: bench.engine)
          operation.exclusiveNames = ["x"]
          try queues[index % queues.count].addOperation(operation)
        }
        for queue in queues { drain(queue) }
      }
      times.append("\(scaled) on \(queues.count): \(time)")
      #expect(queues.reduce(0) { $0 + $1.snapshot.finished } == scaled)
    }
    print("exclusive names:", times.joined(separator: ", "))
  }

  @Test("Thousands of operations that need two names cost no more than others")
  func twoNames() throws {
    func time(_ count: Int) throws -> Duration {
      let bench = Bench()
      let queue = bench.queue(width: -1)
      let holders = ["x", "y"].map { name in
        (0..<count).map { index in
          let holder = bench.held("\(name)-\(index)")
          holder.exclusiveNames = [name]
          return holder
        }
      }
      for index in 0..<count {
        try queue.addOperation(holders[0][index])
        try queue.addOperation(holders[1][index])
      }
      let waiting = (0..<count).map { _ in Quick(engine: bench.engine) }
      for operation in waiting {
        operation.exclusiveNames = ["x", "y"]
        operation.queuePriority = .high
        try queue.addOperation(operation)
      }
      let clock = ContinuousClock()
      let time = clock.measure {
        // One name is always taken when the other one comes free.
        for index in 0..<count {
          for holder in holders.map({ $0[index] }) {
            #expect(holder.waitUntilBegun())
            holder.finish(.success(1))
          }
        }
      }
      drain(queue)
      #expect(waiting.filter { $0.outcome == .succeeded }.count == count)
      return time
    }
    // Measured again if the machine was busy with something else.
    var measured: [String] = []
    let isFast = try (1...3).contains { _ in
      let (few, many) = try (time(200), time(2_000))
      measured.append("\(few) and \(many)")
      // Moving each of them each time would take a hundred times as long.
      return many < few * 40 + .milliseconds(500)
    }
    #expect(isFast, "\(measured)")
  }

  @Test("Many changes of priority while waiting for a name leave no stale entries")
  func manyPriorities() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let census = Census()
    let holder = bench.held("holder")
    holder.exclusiveNames = ["x"]
    try queue.addOperation(holder)
    do {
      let waiting = Keeping(census, engine: bench.engine)
      waiting.exclusiveNames = ["x"]
      try queue.addOperation(waiting)
      for round in 0..<TestScale.count(5_000) {
        waiting.queuePriority = round.isMultiple(of: 2) ? .high : .low
      }
      waiting.cancel()
      finish(waiting)
    }
    holder.finish(.success(1))
    drain(queue)
    #expect(eventually { census.count == 0 })
  }
}
