import Foundation
import Operations
import Support
import TestSupport
import Testing

/// Random schedules with barriers, run on the engine and worked out the slow way.
@Suite(.timeLimit(.minutes(15))) struct BarrierModelTests {
  @Test("At width 1 random schedules with barriers start in the specified order")
  func orderAtWidthOne() throws {
    for seed in 0..<TestScale.count(400) {
      var schedule = Schedule(seed: seed)
      let bench = Bench()
      let queue = bench.queue(width: 1, paused: true)
      let operations = try schedule.build(on: queue, bench)
      let expected = schedule.run()
      queue.isSuspended = false
      try settle(queue, operations, expects: expected, seed: seed)
      #expect(bench.started == expected.started.map { "op-\($0)" }, "seed \(seed)")
      let outcomes = operations.map { $0.outcome?.name ?? "none" }
      #expect(outcomes == expected.outcomes, "seed \(seed)")
    }
  }

  @Test("At any width a barrier starts after all before it, and before all after it")
  func orderAtAnyWidth() throws {
    for seed in 0..<TestScale.count(200) {
      var schedule = Schedule(seed: seed &+ 50_000)
      let bench = Bench()
      let queue = bench.queue(width: [2, 3, -1][seed % 3], paused: true)
      let operations = try schedule.build(on: queue, bench)
      let expected = schedule.run()
      queue.isSuspended = false
      try settle(queue, operations, expects: expected, seed: seed)
      for (index, item) in schedule.items.enumerated() where item.isBarrier {
        guard let start = bench.place("op-\(index)", .executing),
          let end = bench.place("op-\(index)", .finished)
        else { continue }
        for other in schedule.items.indices where other != index {
          let name = "op-\(other)"
          if other < index {
            #expect(try #require(bench.place(name, .finished)) < start, "seed \(seed): \(name)")
          } else if let began = bench.place(name, .executing) {
            #expect(end < began, "seed \(seed): \(name)")
          }
        }
      }
    }
  }

  /// Waits for the end that the model foresees, also if that is a standstill.
  private func settle(
    _ queue: InspectableQueue, _ operations: [ObservableOperation], expects expected: Outcome,
    seed: Int
  ) throws {
    guard expected.left > 0 else {
      drain(queue)
      return
    }
    #expect(eventually { queue.operationCount == expected.left }, "seed \(seed)")
    // The remaining operations contain a cycle, which their wait reasons report.
    #expect(
      queue.operations.contains { $0.waitReasons().contains { $0.code == .deadlock } },
      "seed \(seed)")
    queue.cancelAllOperations()
    drain(queue)
  }

  private struct Outcome {
    var started: [Int] = []
    var outcomes: [String]
    /// How many a standstill leaves over.
    var left = 0
  }

  private struct Item {
    var isBarrier = false
    var level = 0
    var rank = 0
    var upstream: [(index: Int, isSkipping: Bool)] = []
    var fails = false
    var isCancelled = false
  }

  /// A schedule: what is added, and what is changed before the queue goes on.
  private struct Schedule {
    private var random: RandomSource
    private(set) var items: [Item] = []
    private static let levels: [Operation.QueuePriority] = [
      .veryLow, .low, .normal, .high, .veryHigh,
    ]

    init(seed: Int) {
      random = RandomSource(seed: UInt64(seed) &* 104_729 &+ 17)
      let count = 3 + random.below(14)
      for index in 0..<count {
        var item = Item()
        item.isBarrier = random.below(4) == 0
        item.level = random.below(5)
        item.rank = index
        item.fails = random.below(6) == 0
        items.append(item)
      }
      // An edge backwards may lead into a standstill; few schedules have one.
      let mayBeStuck = random.below(10) == 0
      for index in 1..<count {
        for _ in 0..<random.below(3) {
          let (low, high) = (random.below(index), index)
          let isBackwards = mayBeStuck && random.below(2) == 0
          let (from, to) = isBackwards ? (high, low) : (low, high)
          guard !reaches(from, to), !items[to].upstream.contains(where: { $0.index == from })
          else { continue }
          items[to].upstream.append((from, random.below(3) == 0))
        }
      }
    }

    /// Whether `start` waits for `end`, however far away.
    private func reaches(_ start: Int, _ end: Int) -> Bool {
      start == end || items[start].upstream.contains { reaches($0.index, end) }
    }

    mutating func build(on queue: InspectableQueue, _ bench: Bench) throws -> [Quickly] {
      let operations = items.enumerated().map { index, item in
        Quickly(name: "op-\(index)", fails: item.fails, engine: bench.engine)
      }
      for (index, item) in items.enumerated() {
        operations[index].queuePriority = Self.levels[item.level]
        for edge in item.upstream {
          try operations[index].depend(
            on: operations[edge.index], policy: edge.isSkipping ? .skip : .run)
        }
        if item.isBarrier {
          try queue.addBarrier(operations[index])
        } else {
          try queue.addOperation(operations[index])
        }
      }
      for change in 0..<random.below(6) {
        let (index, level) = (random.below(items.count), random.below(5))
        if items[index].level != level { items[index].rank = items.count + change }
        items[index].level = level
        operations[index].queuePriority = Self.levels[level]
      }
      for _ in 0..<random.below(3) {
        let index = random.below(items.count)
        items[index].isCancelled = true
        operations[index].cancel()
      }
      return operations
    }

    /// Works out what happens at width 1.
    func run() -> Outcome {
      var outcome = Outcome(outcomes: items.map { _ in "none" })
      var stopped: [Int] = []
      func isDone(_ index: Int) -> Bool { outcome.outcomes[index] != "none" }

      /// Ends one, and stops those that are skipped because of it.
      func end(_ index: Int, _ how: String) {
        outcome.outcomes[index] = how
        guard how != "succeeded" else { return }
        for (other, item) in items.enumerated()
        where !isDone(other) && !item.isCancelled && !stopped.contains(other) {
          if item.upstream.contains(where: { $0.index == index && $0.isSkipping }) {
            stopped.append(other)
          }
        }
      }

      func choose() -> Int? {
        let candidates = items.indices.filter { index in
          let item = items[index]
          guard !isDone(index), !stopped.contains(index) else { return false }
          guard item.isCancelled || item.upstream.allSatisfy({ isDone($0.index) }) else {
            return false
          }
          return items.indices.prefix(index).allSatisfy { earlier in
            isDone(earlier) || !(item.isBarrier || items[earlier].isBarrier)
          }
        }
        return candidates.min { left, right in
          (-items[left].level, items[left].rank) < (-items[right].level, items[right].rank)
        }
      }

      var next = choose()
      while let index = next {
        if items[index].isCancelled {
          end(index, "cancelled")
        } else {
          outcome.started.append(index)
          end(index, items[index].fails ? "failed" : "succeeded")
        }
        // The slot is given away when all of the skipped operations have ended.
        while let first = stopped.first {
          end(first, "skipped")
          stopped.removeFirst()
        }
        next = choose()
      }
      outcome.left = outcome.outcomes.count { $0 == "none" }
      // The test breaks a standstill by cancelling.
      outcome.outcomes = outcome.outcomes.map { $0 == "none" ? "cancelled" : $0 }
      return outcome
    }
  }

  /// Ends at once, well or not.
  private final class Quickly: ConcurrentOperation<Int>, @unchecked Sendable {
    // @unchecked because the superclass is; what this class adds is constant.
    private let fails: Bool

    init(name: String, fails: Bool, engine: OperationEngine) {
      self.fails = fails
      super.init(name: name, engine: engine)
    }

    override func execute() {
      finish(fails ? .failure(TestError()) : .success(1))
    }
  }
}
