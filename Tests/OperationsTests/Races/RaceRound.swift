import Foundation
import Operations

/// One tiny interleaving: what each thread does at the same moment, and what must be true later.
struct RaceRound {
  /// What each member of the crew does; there are as many as the crew has members.
  var bodies: [@Sendable () -> Void] = []
  /// What is done when all members have done their part, so that the round can end.
  var afterwards: () -> Void = {}
  /// Queues that must be empty in the end.
  var queues: [InspectableQueue] = []
  /// Operations that must have finished in the end.
  var operations: [ObservableOperation] = []
  /// Whether the tasks that the round began have ended.
  var isOver: () -> Bool = { true }
  /// What the log does not tell; asked for at the end.
  var facts: () -> ScheduleChecker.Facts = { ScheduleChecker.Facts() }
  /// What else must be true when all is over: problems in words.
  var check: () -> [String] = { [] }
  /// Which of the ways in which it can go it went; asked for at the end.
  var way: () -> String? = { nil }

  let engine: OperationEngine

  /// The longest that a round may take; only one with a lost wake-up takes it.
  static let limit = Duration.seconds(20)

  /// Waits for the end.
  ///
  /// - Returns: What has not ended.
  func drain() async -> [String] {
    let left = drainQueues()
    guard left.isEmpty else { return left }
    for operation in operations where !operation.waitUntilFinished(timeout: Self.limit) {
      return ["\(operation.displayName) does not finish, it is \(operation.state)"]
    }
    let deadline = ContinuousClock.now + Self.limit
    while !isOver() || engine.isDelivering {
      guard ContinuousClock.now < deadline else { return ["tasks or observers are still busy"] }
      // No thread is held up for a task here: there may be no other to run it.
      await Task.yield()
    }
    // Observers may have added something.
    return drainQueues()
  }

  private func drainQueues() -> [String] {
    for queue in queues where !queue.waitUntilAllOperationsAreFinished(timeout: Self.limit) {
      let states = queue.operations.map { "\($0.displayName) is \($0.state)" }
      return ["'\(queue.name)' does not drain: \(states.joined(separator: ", "))"]
    }
    return []
  }

  /// Everything that must be true of any round that has ended.
  func problems() -> [String] {
    var problems = ScheduleChecker.problems(in: engine, facts())
    var finished: [Int: OperationOutcome] = [:]
    for entry in engine.log.entries(from: 0, limit: .max).entries {
      guard entry.event == .transition, entry.to == .finished else { continue }
      if finished.updateValue(entry.outcome ?? .skipped, forKey: entry.operation.id) != nil {
        problems.append("\(entry.operation.name) has finished twice")
      }
    }
    for operation in operations where finished[operation.id] != operation.outcome {
      problems.append("\(operation.displayName) says \(String(describing: operation.outcome))")
    }
    for queue in queues { problems += Self.leftovers(of: queue) }
    return problems + check()
  }

  /// What a queue that has drained must not have any more.
  static func leftovers(of queue: InspectableQueue) -> [String] {
    let snapshot = queue.snapshot
    let counts = [snapshot.pending, snapshot.ready, snapshot.executing]
    guard counts == [0, 0, 0], snapshot.slotHolders.isEmpty, queue.operationCount == 0 else {
      return ["'\(queue.name)' has wrong counts: \(snapshot)"]
    }
    return []
  }
}
