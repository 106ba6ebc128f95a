import CommandParts
package import Operations
import ShellLanguage
package import ShellSession

/// The outcomes and times of all operations of the session, by queue or by kind.
package struct SessionStatistics {
  /// What the rows are.
  package enum Grouping: String, CaseIterable, ParameterValue {
    case queue, kind
  }

  /// Several measurements of one span of time.
  package struct Times {
    private(set) var kept: [Duration] = []
    private(set) var dropped = TimeDistribution()

    package var isExact: Bool { dropped.count == 0 }

    /// The times that these parts of the measurements do not exceed, each from 0 to 1; nil without
    /// measurements.
    package func quantiles(_ parts: [Double]) -> [Duration]? {
      guard isExact else {
        var all = dropped
        for time in kept { all.add(time) }
        return parts.compactMap(all.quantile)
      }
      guard !kept.isEmpty else { return nil }
      let sorted = kept.sorted()
      return parts.map { sorted[max(1, Int((Double(sorted.count) * $0).rounded(.up))) - 1] }
    }

    package var longest: Duration? {
      let longest = kept.max()
      return isExact ? longest : max(longest ?? .zero, dropped.longest)
    }

    /// The measurements with how many there are of each.
    package var values: [(time: Duration, count: Int)] { kept.map { ($0, 1) } + dropped.values }

    package mutating func add(_ time: Duration?) {
      if let time { kept.append(time) }
    }

    package mutating func add(_ distribution: TimeDistribution) { dropped.add(distribution) }
  }

  package struct Row {
    package var outcomes: [String: Int] = [:]
    package var unfinished = 0
    package var waiting = Times()
    package var running = Times()
    private(set) var traffic = OperationTraffic()
    /// How many attempts followed a failure, by its code, as far as the log tells.
    private(set) var retried: [String: Int] = [:]

    package mutating func add(_ operation: ObservableOperation, retried causes: [String: Int]?) {
      if let causes { retried.merge(causes, uniquingKeysWith: +) }
      if let outcome = operation.outcome {
        outcomes[outcome.name, default: 0] += 1
      } else {
        unfinished += 1
      }
      let times = OperationTimes(of: operation)
      waiting.add(times.waiting)
      running.add(times.running)
      traffic.add(operation)
    }

    package mutating func add(_ tally: OperationTally) {
      outcomes.merge(tally.outcomes, uniquingKeysWith: +)
      waiting.add(tally.waiting)
      running.add(tally.running)
      traffic.add(tally.traffic)
    }
  }

  /// The maximum number of group queues with their own rows.
  private static let mostGroups = 20

  private(set) var rows: [(name: String, row: Row)] = []
  package private(set) var total = Row()

  /// What operations were retried after, by their ids.
  private let retried: [Int: [String: Int]]

  /// Adds up all operations, without what they were retried after.
  package init(_ jobs: Jobs) {
    retried = [:]
    addQueues(of: jobs)
  }

  /// - Parameters:
  ///   - jobs: The jobs that they are.
  ///   - grouping: What the rows are.
  package init(_ jobs: Jobs, by grouping: Grouping) {
    retried = Self.retries(in: jobs.engine.log)
    switch grouping {
    case .queue: addQueues(of: jobs)
    case .kind: addKinds(of: jobs)
    }
  }

  private static func retries(in log: EventLog) -> [Int: [String: Int]] {
    var retries: [Int: [String: Int]] = [:]
    var cursor = 0
    while let page = log.nextPage(from: &cursor) {
      for entry in page {
        guard let code = entry.retriedFailure else { continue }
        retries[entry.operation.id, default: [:]][code, default: 0] += 1
      }
    }
    return retries
  }

  private mutating func addKinds(of jobs: Jobs) {
    var byKind: [String: Row] = [:]
    for operation in jobs.operations.all {
      byKind[operation.kind, default: Row()].add(operation, retried: retried[operation.id])
      total.add(operation, retried: retried[operation.id])
    }
    rows = byKind.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let dropped = jobs.operations.droppedTallies.values
    guard !dropped.isEmpty else { return }
    // A dropped record keeps the name of its queue only.
    var rest = Row()
    for tally in dropped {
      rest.add(tally)
      total.add(tally)
    }
    rows.append(("dropped records", rest))
  }

  private mutating func addQueues(of jobs: Jobs) {
    let operations = jobs.operations.all
    let dropped = jobs.operations.droppedTallies
    var names = jobs.queues.names
    let known = Set(names)
    var others: [String] = []
    var seen = known
    for name in operations.map({ $0.queueName ?? "" }) + dropped.keys.sorted()
    where seen.insert(name).inserted {
      others.append(name)
    }
    let shown = others.filter { !$0.isEmpty }.prefix(Self.mostGroups)
    names += shown
    let listed = Set(names)
    let isElsewhere = others.count { !$0.isEmpty } > shown.count || dropped[""] != nil
    let rest = isElsewhere ? "other queues" : "no queue"
    var byName: [String: Row] = [:]
    for operation in operations {
      let name = operation.queueName ?? ""
      byName[listed.contains(name) ? name : rest, default: Row()].add(
        operation, retried: retried[operation.id])
      total.add(operation, retried: retried[operation.id])
    }
    for (name, tally) in dropped {
      byName[listed.contains(name) ? name : rest, default: Row()].add(tally)
      total.add(tally)
    }
    rows = (names + [rest]).compactMap { name in byName[name].map { (name, $0) } }
  }
}
