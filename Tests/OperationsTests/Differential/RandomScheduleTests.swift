import Foundation
import OpshLocking
import Operations
import OpshSupport
import Testing

/// Random graphs on queues of any width, steered while they run; judged by their log.
///
/// `OPSH_GRAPH=4:123` runs one graph at width 4 alone (the threads may still race differently).
@Suite(.timeLimit(.minutes(15))) struct RandomScheduleTests {
  @Test(
    "Every start in a random schedule on two queues obeys the order rule",
    arguments: [1, 2, 3, 4, 8, -1])
  func rule(width: Int) throws {
    try StressLevel.runSeeds(width: width, variable: "OPSH_GRAPH", 40, long: 4_000) { seed in
      var schedule = try RandomSchedule(width: width, seed: seed)
      return try schedule.run()
    }
  }
}

/// One random graph and what is done to it.
private struct RandomSchedule {
  let bench = Bench()
  let queues: [InspectableQueue]
  let recorder: ScheduleRecorder
  let operations: [ObservableOperation]
  /// What the bodies act on; emptied at the end, because the bodies belong to it.
  private let all = Locked<[ObservableOperation]>([])
  private var random: RandomSource

  init(width: Int, seed: UInt64) throws {
    var random = RandomSource(seed: seed &* 31 &+ UInt64(bitPattern: Int64(width)))
    let second = [1, 2, -1][random.below(3)]
    queues = [
      bench.queue("one", width: width, paused: true), bench.queue("two", width: second),
    ]
    let recorder = ScheduleRecorder(engine: bench.engine, widths: ["one": width, "two": second])
    self.recorder = recorder
    let count = 5 + random.below(60)
    let all = self.all
    let (policies, canFail) = (random.below(3) == 0, random.below(2) == 0)
    var made: [ObservableOperation] = []
    for index in 0..<count {
      let orders = (0..<random.below(3)).map { _ in (random.next(), random.below(count)) }
      let fails = canFail && random.below(6) == 0
      let operation = Self.operation(kind: random.below(24), fails: fails, engine: bench.engine) {
        for (order, target) in orders {
          // Empty once the queues have drained: a body may go on after its operation was cancelled.
          let others = all.withLock { $0 }
          if target < others.count { recorder.steer(others[target], order, cancellingOneIn: 8) }
        }
      }
      let level = GraphScript.levels[random.below(5)]
      recorder.begin(operation, with: level)
      for _ in 0..<random.below(3) where index > 0 {
        let policy = policies ? FailurePolicy.allCases[random.below(3)] : .run
        let upstream = made[max(0, index - 1 - random.below(8))]
        if !operation.dependencies.contains(upstream) {
          try recorder.depend(operation, on: upstream, policy: policy)
        }
      }
      made.append(operation)
    }
    operations = made
    self.random = random
    all.withLock { $0 = made }
  }

  /// Runs the graph: part of it added before the first queue goes on, the rest while it drains.
  mutating func run() throws -> [String] {
    defer { all.withLock { $0 = [] } }
    var order = Array(operations.indices)
    for index in order.indices { order.swapAt(index, random.below(order.count)) }
    let isOnOne = operations.map { _ in random.below(4) > 0 }
    let early = order.prefix(random.below(order.count + 1))
    let (one, two) = (queues[0], queues[1])
    try one.addOperations(
      early.filter { isOnOne[$0] }.map { operations[$0] }, waitUntilFinished: false)
    for index in early where !isOnOne[index] { try two.addOperation(operations[index]) }
    one.isSuspended = false
    for index in order.dropFirst(early.count) {
      recorder.steer(operations[random.below(operations.count)], random.next(), cancellingOneIn: 8)
      try (isOnOne[index] ? one : two).addOperation(operations[index])
    }
    for queue in queues where !queue.waitUntilAllOperationsAreFinished(timeout: .seconds(30)) {
      return ["does not drain: \(queue.snapshot)"]
    }
    return ScheduleChecker.problems(in: bench.engine, recorder.facts)
      + queues.flatMap { RaceRound.leftovers(of: $0) }
      + operations.filter { $0.outcome == nil }.map { "\($0.displayName) has no outcome" }
  }

  private static func operation(
    kind: Int, fails: Bool, engine: OperationEngine, body: @escaping @Sendable () -> Void
  ) -> ObservableOperation {
    switch kind {
    case 0:
      BlockingOperation(engine: engine) { _ in
        body()
        if fails { throw TestError() }
        return nil
      }
    case 1..<10 where !fails:
      Plain(engine: engine, body: body)
    case 10, 11:
      DelayOperation(duration: .microseconds(kind * 20), engine: engine)
    default:
      Scripted(engine: engine, result: fails ? .failure(TestError()) : .success(1), body: body)
    }
  }
}
