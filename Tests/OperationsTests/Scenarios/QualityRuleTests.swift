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

  /// An operation of each kind that tells the nice value of its thread; the last is asynchronous, and
  /// has none of its own.
  private static func operations(
    log: EventLog, told: Gathered<Int>
  ) -> [ObservableOperation] {
    [
      BlockingOperation(log: log) { _ in
        told.add(nice)
        return nil
      },
      Plain(log: log) { told.add(nice) },
      Hooked(log: log) {
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

  @Test("An operation's class of service is the nice value of its thread", arguments: levels)
  func ofOperation(level: Level) throws {
    let bench = Bench()
    let told = Gathered<Int>()
    let operations = Self.operations(log: bench.log, told: told)
    for operation in operations { operation.qualityOfService = level.quality }
    try runAll(operations, on: bench.queue(width: 1))
    #expect(told.all == [level.nice, level.nice, 0])
  }

  @Test("Operations without one have that of their queue, and their own comes first")
  func ofQueue() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    queue.qualityOfService = .background
    let told = Gathered<Int>()
    let operations = Self.operations(log: bench.log, told: told)
    operations[1].qualityOfService = .utility
    try runAll(operations, on: queue)
    #expect(told.all == [10, 2, 0])
  }

  @Test("What a lowered operation starts has its own class of service again")
  func afterLowered() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(width: 1), bench.queue("other", width: -1))
    let told = Gathered<Int>()
    let followers = Self.operations(log: bench.log, told: told)
    let lowered = BlockingOperation(log: bench.log) { _ in
      try other.addOperations(followers, waitUntilFinished: false)
      return nil
    }
    lowered.qualityOfService = .background
    let last = Plain(log: bench.log) { told.add(Self.nice) }
    try runAll([lowered, last], on: queue)
    try drainOrStop(other)
    #expect(told.all == [0, 0, 0, 0])
  }
}
