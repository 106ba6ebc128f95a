import Foundation
import Locking
import Support
import Testing

@testable import Operations

/// The log tells everything that decides what runs.
@Suite(.timeLimit(.minutes(15))) struct LogReplayTests {
  @Test("The state of every queue at any moment follows from the log, and so does every start")
  func replay() throws {
    var (looks, starts) = (0, 0)
    // Kinds of change without which no replay has gone wrong yet.
    var needless: Set<String> = [
      "width", "suspended", "pace", "step", "priority", "dependency", "barrier", "exclusiveNames",
      "startDelay", "delayEnded",
    ]
    let rounds = StressLevel.rounds(40, long: 1_000)
    for seed in 1...UInt64(rounds) {
      var run = SteeredRun(seed: seed)
      try run.go()
      let (problems, starting) = run.check()
      #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(5))")
      guard problems.isEmpty else { return }
      looks += run.looks.withLock { $0.count }
      starts += starting
      needless = needless.filter { run.check(without: $0).problems.isEmpty }
    }
    // Otherwise nothing was looked at, or the replay does not depend on what the log tells.
    #expect(looks > rounds * 10 && starts > rounds * 5, "\(looks) looks, \(starts) starts")
    #expect(needless.isEmpty)
  }

  @Test("Changes are kept in order, with the values they had, as many as entries")
  func store() throws {
    let bench = Bench()
    let queue = bench.queue("q", width: 2)
    let (first, second) = (bench.held("a"), bench.held("b"))
    try second.depend(on: first, policy: .skip)
    second.queuePriority = .veryHigh
    second.queuePriority = .veryLow
    try second.removeDependency(on: first)
    second.exclusiveNames = ["x"]
    queue.pace = .seconds(2)
    let (changes, next) = bench.engine.log.changes(from: 0, limit: .max)
    #expect(
      changes.map(\.event) == [
        .width(old: nil, new: 2), .dependency(first.id, old: nil, new: .skip),
        .priority(old: .normal, new: .veryHigh), .priority(old: .veryHigh, new: .veryLow),
        .dependency(first.id, old: .skip, new: nil), .exclusiveNames(old: [], new: ["x"]),
        .pace(old: .zero, new: .seconds(2)),
      ])
    #expect(changes.map(\.sequence) == Array(0..<7) && next == 7)
    #expect(
      changes.map(\.subject) == [.queue(queue.id)]
        + Array(repeating: .operation(second.id), count: 5) + [.queue(queue.id)])
    #expect(bench.engine.log.changes(from: 5, limit: 1).changes.map(\.sequence) == [5])
    bench.engine.log.setCapacity(0)
    for width in 0..<20_000 { try queue.setWidth(3 + width) }
    let kept = bench.engine.log.changes(from: 0, limit: .max).changes
    #expect(bench.engine.log.changeCount == 20_007 && kept.last?.sequence == 20_006)
    #expect(kept.count < 10_000 && kept.last?.event == .width(old: 20_001, new: 20_002))
  }
}

/// One look at all queues, at a place in the log.
private struct Look {
  struct Member: Equatable {
    let id: Int
    let state: OperationState
    let isCancelled: Bool
    let priority: Operation.QueuePriority
    let unmet: Int
    let names: [String]
    let isBarrier: Bool
  }

  struct Queue: Equatable {
    let width: Int
    let isSuspended: Bool
    let pace: Duration
    /// How many are pending, ready, executing, and finished.
    let counts: [Int]
    let members: [Member]
  }

  let entries: Int
  let changes: Int
  let queues: [Int: Queue]
}

/// Random steering of a few queues, while another thread looks at them.
private struct SteeredRun {
  /// Ends when the run says so.
  private final class Open: ConcurrentOperation<Int>, @unchecked Sendable {
    // @unchecked because the superclass is, and this class adds nothing.
    override func execute() {}
  }

  let looks = Locked<[Look]>([])
  private let bench = Bench()
  private let queues: [InspectableQueue]
  private var random: RandomSource
  private var operations: [ConcurrentOperation<Int>] = []

  init(seed: UInt64) {
    random = RandomSource(seed: seed)
    queues = ["one", "two", "three"].map { [bench] in bench.queue($0) }
  }

  mutating func go() throws {
    let isOver = Locked(false)
    let group = DispatchGroup()
    let look = lookTaker()
    group.enter()
    Thread {
      while !isOver.withLock({ $0 }) { look() }
      group.leave()
    }.start()
    for _ in 0..<120 {
      try act()
      look()
    }
    for queue in queues {
      queue.isSuspended = false
      queue.pace = .zero
      try queue.setWidth(-1)
    }
    for operation in operations { operation.cancel() }
    for queue in queues { drain(queue) }
    look()
    isOver.withLock { $0 = true }
    #expect(group.wait(timeout: .now() + 30) == .success)
  }

  private func lookTaker() -> @Sendable () -> Void {
    { [looks, queues, engine = bench.engine] in
      let look = engine.state.withLock { state in
        Look(
          entries: state.entries.count, changes: state.steering.count,
          queues: Dictionary(uniqueKeysWithValues: queues.map { ($0.id, Self.look(at: $0.core)) }))
      }
      looks.withLock { looks in
        if let last = looks.last, (last.entries, last.changes) >= (look.entries, look.changes) {
          return
        }
        looks.append(look)
      }
    }
  }

  private static func look(at core: QueueCore) -> Look.Queue {
    Look.Queue(
      width: core.width, isSuspended: core.isSuspended, pace: .nanoseconds(core.pace),
      counts: [core.pending, core.readyCount, core.executing, core.finished],
      members: core.operations.map {
        Look.Member(
          id: $0.id, state: $0.core.state, isCancelled: $0.core.isCancelled,
          priority: $0.core.priority, unmet: Int($0.core.unmet),
          names: $0.core.extras?.exclusiveNames ?? [],
          isBarrier: $0.core.extras?.isBarrier == true)
      })
  }

  // MARK: Steering

  private mutating func act() throws {
    let queue = queues[random.below(queues.count)]
    let known = operations.isEmpty ? nil : operations[random.below(operations.count)]
    switch random.below(20) {
    case 0..<6: try add(to: queue)
    case 6, 7: known?.queuePriority = GraphScript.levels[random.below(5)]
    case 8, 9:
      let other = operations.isEmpty ? nil : operations[random.below(operations.count)]
      if let known, let other { try? known.depend(on: other, policy: policy()) }
    case 10:
      if let known, let other = known.upstream.first?.operation {
        _ = try? known.removeDependency(on: other)
      }
    case 11: try queue.setWidth([0, 1, 2, 3, -1][random.below(5)])
    case 12: queue.isSuspended.toggle()
    case 13: _ = try? queue.step(1 + random.below(2))
    case 14: queue.pace = .microseconds([0, 200, 1_000][random.below(3)])
    case 15: known?.exclusiveNames = names()
    case 16: known?.cancel()
    default:
      let executing = operations.filter { $0.state == .executing }
      guard !executing.isEmpty else { return }
      let ended = executing[random.below(executing.count)]
      ended.finish(random.below(3) == 0 ? .failure(TestError()) : .success(1))
    }
  }

  private mutating func add(to queue: InspectableQueue) throws {
    let operation: ConcurrentOperation<Int> =
      random.below(4) == 0 ? Quick(engine: bench.engine) : Open(engine: bench.engine)
    operation.queuePriority = GraphScript.levels[random.below(5)]
    if random.below(3) == 0 { operation.exclusiveNames = names() }
    if random.below(5) == 0 { operation.startDelay = .microseconds(random.below(2_000)) }
    for _ in 0..<random.below(3) where !operations.isEmpty {
      try operation.depend(on: operations[random.below(operations.count)], policy: policy())
    }
    operations.append(operation)
    // Some are added later, or never.
    if random.below(10) == 0 { return }
    if random.below(8) == 0 {
      try queue.addBarrier(operation)
    } else {
      try queue.addOperation(operation)
    }
  }

  private mutating func policy() -> FailurePolicy { FailurePolicy.allCases[random.below(3)] }

  private mutating func names() -> [String] {
    ["a", "b"].filter { _ in random.below(2) == 0 }
  }

  // MARK: Checking

  /// Replays the log up to each look, and compares.
  ///
  /// - Parameter kind: The name of a kind of change that is left out.
  /// - Returns: What is wrong, and how many starts were judged.
  func check(without kind: String? = nil) -> (problems: [String], starts: Int) {
    let log = bench.engine.log
    let entries = log.entries(from: 0, limit: .max).entries
    let changes = log.changes(from: 0, limit: .max).changes
    var replay = LogReplay()
    var (nextEntry, nextChange) = (0, 0)
    for look in looks.withLock({ $0 }) {
      while nextEntry < look.entries || nextChange < look.changes {
        if nextChange < look.changes, changes[nextChange].position <= nextEntry {
          let change = changes[nextChange]
          if kind.map({ "\(change.event)".hasPrefix($0) }) != true { replay.apply(change) }
          nextChange += 1
        } else {
          replay.apply(entries[nextEntry])
          nextEntry += 1
        }
      }
      for (id, queue) in look.queues where Self.look(at: id, in: replay) != queue {
        return (replay.problems + ["queue \(id) differs before entry \(look.entries)"], 0)
      }
    }
    return (replay.problems, replay.starts)
  }

  private static func look(at id: Int, in replay: LogReplay) -> Look.Queue? {
    guard let queue = replay.queues[id] else { return nil }
    let members = queue.members.compactMap { member in replay.lives[member].map { (member, $0) } }
    func count(_ state: OperationState) -> Int { members.count { $0.1.state == state } }
    return Look.Queue(
      width: queue.width, isSuspended: queue.isSuspended, pace: queue.pace,
      counts: [count(.pending), count(.ready), count(.executing), queue.finished],
      members: members.map { id, life in
        Look.Member(
          id: id, state: life.state, isCancelled: life.isCancelled, priority: life.priority,
          unmet: replay.unmet(life), names: life.names, isBarrier: life.isBarrier)
      })
  }
}
