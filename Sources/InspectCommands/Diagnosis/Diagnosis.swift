import CommandParts
import Foundation
import Operations
import ShellOutput
import ShellSession
import OpshSupport

/// What is wrong with the operations and queues of a session, or will soon be.
struct Diagnosis {
  /// One thing that is wrong.
  struct Finding {
    /// What kind of thing: the code of a reason of `why`, or one of its own.
    let code: String
    let text: String
    let subject: [String]
    /// The command that ends it; nil if there is none.
    let cure: String?
  }

  private let jobs: Jobs
  private let unfinished: [ObservableOperation]
  private(set) var findings: [Finding] = []

  /// Of more operations the latest are looked at for what failures stopped.
  private static let mostExamined = 500
  /// More operations are named by their ids in a command.
  private static let mostNames = 8
  /// How many earlier entries of the log are read.
  private static let mostEntries = 100_000
  /// How many starts of others count as starvation.
  private static let starvingStarts = 3

  init(of jobs: Jobs) {
    self.jobs = jobs
    unfinished = jobs.operations.unfinished
    findStuck()
    findHaltedQueues()
    findEndedProcesses()
    findInversions()
    findStarving()
    findBlockedThreads()
    findFailedDependencies()
  }

  private mutating func add(
    _ code: String, _ text: String, _ subject: [ObservableOperation], cure: String? = nil
  ) {
    findings.append(
      Finding(code: code, text: text, subject: subject.map(\.displayName), cure: cure))
  }

  // MARK: What will never run

  /// Operations that no event to come can end, each once, by what keeps them in the end.
  private mutating func findStuck() {
    var alone: [ObservableOperation] = []
    for (root, operations) in WhyReason.stuck(among: unfinished, in: jobs) {
      if root.cause == .notOnQueue, root.cure?.hasPrefix("start ") == true, operations.count == 1 {
        alone.append(operations[0])
      } else if operations.contains(where: isListed) {
        addStuck(operations, root)
      }
    }
    guard !alone.isEmpty else { return }
    let isOne = alone.count == 1
    add(
      Cause.notOnQueue.rawValue,
      "\(OperationList.names(alone)) \(isOne ? "is" : "are") held, and nothing starts "
        + (isOne ? "it" : "them"), alone, cure: "start " + Self.words(for: alone))
  }

  private mutating func addStuck(_ operations: [ObservableOperation], _ root: WhyReason) {
    let isOwn = operations.count == 1 && root.subject == operations.map(\.displayName)
    add(
      root.cause.rawValue,
      isOwn ? root.text : "\(OperationList.names(operations)) will never finish: \(root.text)",
      operations, cure: root.cure)
  }

  /// Whether it is not one that a block still builds.
  private func isListed(_ operation: ObservableOperation) -> Bool {
    !jobs.operations.isUnderConstruction(operation)
  }

  /// All of the operations, as a command takes them: a few names, or ranges of ids.
  private static func words(for operations: [ObservableOperation]) -> String {
    guard operations.count > mostNames else {
      return operations.map(\.displayName).joined(separator: " ")
    }
    var ranges: [ClosedRange<Int>] = []
    for id in operations.map(\.id) {
      if let last = ranges.last, last.upperBound == id - 1 {
        ranges[ranges.count - 1] = last.lowerBound...id
      } else {
        ranges.append(id...id)
      }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: " ")
  }

  /// Queues that start nothing, of which no finding has told yet.
  private mutating func findHaltedQueues() {
    for queue in jobs.allQueues {
      let count = queue.operationCount
      let waiting =
        count == 0
        ? "; what is added to it waits"
        : ", and \(OperationTable.count(count, "operation")) \(count == 1 ? "is" : "are") on it"
      if queue.isSuspended {
        addQueue(.queuePaused, queue, "is paused" + waiting, cure: "queue resume \(queue.name)")
      }
      if queue.maxConcurrentOperationCount == 0, count > 0 {
        addQueue(
          .widthZero, queue, "has width 0" + waiting, cure: "queue width \(queue.name) 1")
      }
    }
  }

  private mutating func addQueue(
    _ cause: Cause, _ queue: InspectableQueue, _ words: String, cure: String
  ) {
    guard !findings.contains(where: { $0.cure == cure }) else { return }
    findings.append(
      Finding(
        code: cause.rawValue, text: "queue '\(queue.name)' \(words)", subject: [queue.name],
        cure: cure))
  }

  /// Queues of Foundation whose process has ended.
  private mutating func findEndedProcesses() {
    for queue in jobs.allQueues where (queue.driver as? FoundationLink)?.hasEnded == true {
      findings.append(
        Finding(
          code: Cause.foundation.rawValue,
          text: "the process of queue '\(queue.name)' has ended, and nothing runs on it any more",
          subject: [queue.name], cure: "queue remove \(queue.name)"))
    }
  }

  // MARK: What waits too long

  /// Operations that wait for one of lower priority, before which others start; each dependency once.
  private mutating func findInversions() {
    var seen: Set<Int> = []
    for operation in unfinished.suffix(Self.mostExamined) where operation.state == .pending {
      guard let inversion = PriorityInversion(of: operation),
        seen.insert(inversion.dependency.id).inserted
      else { continue }
      add(
        "priority-inversion", inversion.text, [operation, inversion.dependency],
        cure: inversion.cure)
    }
  }

  /// Ready operations that others overtook again and again because of their priority, or of the
  /// exclusive names that both need.
  private mutating func findStarving() {
    let ready = unfinished.filter { $0.state == .ready && $0.queue?.isSuspended == false }
    let times = ready.compactMap { $0.timestamps.ready }
    guard let earliest = times.min() else { return }
    let starts = starts(since: earliest)
    for operation in ready {
      guard let since = operation.timestamps.ready, let queue = operation.queue?.id else {
        continue
      }
      let later = starts.filter { $0.time > since }
      let higher = later.filter {
        $0.queue == queue
          && $0.operation.queuePriority.rawValue > operation.queuePriority.rawValue
      }
      if higher.count >= Self.starvingStarts {
        addStarving(operation, since, "\(higher.count) operations with a higher priority")
        continue
      }
      let names = Set(operation.exclusiveNames)
      let passing = later.filter { Self.passes($0.operation, operation, at: names) }
      guard passing.count >= Self.starvingStarts else { continue }
      let needed = names.intersection(passing.flatMap(\.operation.exclusiveNames)).sorted()
      let list = needed.map { "'\($0)'" }.joined(separator: " or ")
      addStarving(operation, since, "\(passing.count) operations that need \(list)")
    }
  }

  /// Whether an operation that started first needs one of another one's names, and had no earlier
  /// turn at it.
  private static func passes(
    _ operation: ObservableOperation, _ waiting: ObservableOperation, at names: Set<String>
  ) -> Bool {
    guard !names.isDisjoint(with: operation.exclusiveNames) else { return false }
    let (priority, own) = (operation.queuePriority.rawValue, waiting.queuePriority.rawValue)
    return priority > own || operation.id > waiting.id
  }

  private mutating func addStarving(
    _ operation: ObservableOperation, _ since: ContinuousClock.Instant, _ overtakers: String
  ) {
    let name = operation.displayName
    let waited = DurationText(jobs.clock.now - since).description
    add(
      "starvation",
      "'\(name)' has been ready for \(waited), and \(overtakers) started before it", [operation],
      cure: "priority \(name) veryHigh")
  }

  private func starts(
    since time: ContinuousClock.Instant
  ) -> [(queue: Int, time: ContinuousClock.Instant, operation: ObservableOperation)] {
    let log = jobs.engine.log
    let (entries, _) = log.entries(
      from: max(0, log.count - Self.mostEntries), limit: Self.mostEntries)
    return entries.compactMap { entry in
      guard entry.event == .transition, entry.to == .executing, entry.time > time,
        let queue = entry.queueID,
        let operation = jobs.operations.operation(id: entry.operation.id)
      else { return nil }
      return (queue, entry.time, operation)
    }
  }

  /// Bodies that hold a thread and a slot while they wait for others.
  private mutating func findBlockedThreads() {
    for operation in unfinished where operation.state == .executing {
      let awaited = operation.awaited
      guard !awaited.isEmpty, operation.canFinish else { continue }
      let name = operation.displayName
      let place =
        operation.queueName == QueueRegistry.mainName
        ? "the interpreter's thread" : "a thread"
      add(
        "blocked-thread",
        "the body of '\(name)' blocks \(place) and its slot while it waits for "
          + OperationList.names(awaited) + "; '--after' would wait without either", [operation])
    }
  }

  // MARK: What follows from failures

  private mutating func findFailedDependencies() {
    for operation in unfinished
    where !operation.ignoresDependencies && operation.state != .executing {
      let failed = operation.upstream.filter { edge in
        edge.policy == .run && edge.operation.outcome.map { $0 != .succeeded } ?? false
      }
      guard let edge = failed.first else { continue }
      let (name, other) = (operation.displayName, edge.operation.displayName)
      let outcome = edge.operation.outcome?.name ?? "failed"
      add(
        "failed-dependency",
        "'\(name)' will run although '\(other)', which it depends on, \(Self.verb(outcome))",
        [operation], cure: "deps \(name) on \(other) --on-failure skip")
    }
    var stopped: [(cause: ObservableOperation, operations: [ObservableOperation])] = []
    for operation in jobs.operations.all.suffix(Self.mostExamined) {
      // One that was retried under its name is of no interest any more.
      guard var cause = operation.stoppingDependency, isLatest(operation) else { continue }
      while let further = cause.stoppingDependency { cause = further }
      if let place = stopped.firstIndex(where: { $0.cause === cause }) {
        stopped[place].operations.append(operation)
      } else {
        stopped.append((cause, [operation]))
      }
    }
    for (cause, operations) in stopped {
      let name = cause.displayName
      // Where the cause was retried, those that depend on it follow, the first of them first.
      let latest = jobs.operations.operation(named: name)
      let retried = latest?.outcome == .succeeded ? operations[0] : latest ?? cause
      add(
        "failed-dependency",
        "\(OperationList.names(operations)) did not run, because '\(name)' "
          + Self.verb(cause.outcome?.name ?? "failed"), operations,
        cure: "retry \(retried.displayName)")
    }
  }

  private func isLatest(_ operation: ObservableOperation) -> Bool {
    jobs.operations.operation(named: operation.displayName) === operation
  }

  private static func verb(_ outcome: String) -> String {
    outcome == "failed" ? outcome : "was \(outcome)"
  }
}
