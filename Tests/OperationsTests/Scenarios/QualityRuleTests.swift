import Foundation
import Operations
import TestSupport
import Testing

/// The class of service, which is the priority of the thread that an operation runs on.
@Suite(.timeLimit(.minutes(15))) struct QualityRuleTests {
  private static let kind = __priority_which_t(PRIO_PROCESS.rawValue)

  /// How much nicer than the process the calling thread is.
  private static var nice: Int {
    Int(getpriority(kind, 0) - getpriority(kind, id_t(getpid())))
  }

  /// How much nicer than the process a thread is that was to be nicer by `offset`: 19 is the most.
  private static func nice(by offset: Int) -> Int {
    let own = Int(getpriority(kind, id_t(getpid())))
    return min(19, own + offset) - own
  }

  /// An operation of each kind that tells the nice value of its thread; the last is asynchronous, and
  /// has none of its own.
  private static func operations(
    engine: OperationEngine, told: Gathered<Int>
  ) -> [ObservableOperation] {
    [
      BlockingOperation(engine: engine) { _ in
        told.add(nice)
        return nil
      },
      Plain(engine: engine) { told.add(nice) },
      Hooked(engine: engine) {
        told.add(nice)
        $0.finish(.success(1))
      },
    ]
  }

  /// A class of service and its nice value.
  struct Level: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let quality: QualityOfService
    let nice: Int
  }

  static let levels = [
    Level(testDescription: "background", quality: .background, nice: 10),
    Level(testDescription: "utility", quality: .utility, nice: 2),
    Level(testDescription: "default", quality: .default, nice: 0),
  ]

  @Test("An operation's quality of service sets the nice value of its thread", arguments: levels)
  func ofOperation(level: Level) throws {
    let bench = Bench()
    let told = Gathered<Int>()
    let operations = Self.operations(engine: bench.engine, told: told)
    for operation in operations { operation.qualityOfService = level.quality }
    try runAll(operations, on: bench.queue(width: 1))
    let nice = Self.nice(by: level.nice)
    #expect(told.all == [nice, nice, 0])
  }

  @Test("Operations without a quality of service use their queue's; their own takes precedence")
  func ofQueue() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    queue.qualityOfService = .background
    let told = Gathered<Int>()
    let operations = Self.operations(engine: bench.engine, told: told)
    operations[1].qualityOfService = .utility
    try runAll(operations, on: queue)
    #expect(told.all == [Self.nice(by: 10), Self.nice(by: 2), 0])
  }

  @Test("Members of a group use its quality of service, which is that of its queue or its own")
  func ofGroup() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    queue.qualityOfService = .utility
    let told = Gathered<Int>()
    let (outer, inner) = (bench.group("outer"), bench.group("inner"))
    let member = Self.operations(engine: bench.engine, told: told)[0]
    let own = Self.operations(engine: bench.engine, told: told)[0]
    own.qualityOfService = .background
    try inner.addOperations([member])
    try outer.addOperations([inner, own])
    #expect(member.effectiveQualityOfService == .default)
    own.addDependency(inner)
    try runAll([outer], on: queue)
    #expect(told.all == [Self.nice(by: 2), Self.nice(by: 10)])
    #expect(member.effectiveQualityOfService == .utility && member.qualityOfService == .default)
  }

  @Test("An operation keeps the quality of service with which it began")
  func changedWhileExecuting() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    queue.qualityOfService = .utility
    let (first, second) = (bench.held("first"), bench.held("second"))
    try queue.addOperations([first, second], waitUntilFinished: false)
    try #require(eventually { first.isExecuting })
    queue.qualityOfService = .background
    #expect(first.effectiveQualityOfService == .utility)
    #expect(second.effectiveQualityOfService == .background)
    first.finish(.success(1))
    second.finish(.success(2))
    try drainOrStop(queue)
    let events = bench.engine.log.changes(from: 0, limit: .max).changes.map(\.event)
    #expect(events.contains(.quality(old: .utility, new: .background)))
  }

  @Test("Work started by a lowered operation has its own quality of service")
  func afterLowered() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(width: 1), bench.queue("other", width: -1))
    let told = Gathered<Int>()
    let followers = Self.operations(engine: bench.engine, told: told)
    let lowered = BlockingOperation(engine: bench.engine) { _ in
      try other.addOperations(followers, waitUntilFinished: false)
      return nil
    }
    lowered.qualityOfService = .background
    let last = Plain(engine: bench.engine) { told.add(Self.nice) }
    try runAll([lowered, last], on: queue)
    try drainOrStop(other)
    #expect(told.all == [0, 0, 0, 0])
  }

  @Test("Started by hand, a body runs with its quality of service, a request without it")
  func startedByHand() throws {
    let bench = Bench()
    let told = Gathered<Int>()
    let body = BlockingOperation(engine: bench.engine) { _ in
      told.add(Self.nice)
      return nil
    }
    let request = Hooked(engine: bench.engine) { request in
      told.add(Self.nice)
      request.finish(request.attempts < 2 ? .failure(TestError()) : .success(1))
    }
    request.retryPolicy = RetryPolicy(limit: 1, backoff: .zero)
    for operation in [body, request] as [ObservableOperation] {
      operation.qualityOfService = .background
      try operation.startManually()
      #expect(operation.waitUntilFinished(timeout: .seconds(60)))
    }
    #expect(told.all == [Self.nice(by: 10), 0, 0])
  }

  @Test("Tasks and completion blocks started by a lowered thread are not lowered")
  func resumedByLowered() async throws {
    let bench = Bench()
    let told = Gathered<Int>()
    let awaited = (0..<8).map { bench.held("held-\($0)") }
    let queue = bench.queue(width: -1)
    try queue.addOperations(awaited, waitUntilFinished: false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for operation in awaited {
        group.addTask {
          _ = try await operation.value
          told.add(Self.nice)
        }
      }
      let lowered = BlockingOperation(engine: bench.engine) { _ in
        for operation in awaited { operation.finish(.success(1)) }
        return nil
      }
      lowered.qualityOfService = .background
      lowered.completionBlock = { told.add(Self.nice) }
      try queue.addOperation(lowered)
      try await group.waitForAll()
    }
    #expect(eventually { told.all.count == 9 })
    #expect(Set(told.all) == [0])
  }
}
