import Networking
import Operations
import ShellLanguage
import ShellOutput
package import ShellSession
import Support
import Terminal

/// `stats`: counts operations by outcome, with their times.
enum Stats: Command {
  static let signature = CommandSignature(
    path: ["stats"],
    summary: "Counts operations by outcome, and shows how long they waited and ran",
    discussion: """
      One line for each queue: the operations that were ever on it, by outcome; the time they \
      waited there before they started, or finished without a start; the time they ran. Groups \
      with the same name share a line. It shows the median and the longest of the times. '~' \
      before a median means that it is accurate to 1% only, because records were dropped ('set \
      keep').
      """,
    examples: [.init("delay 10ms --count 3; wait; stats", "three that succeeded")],
    searchTerms: ["statistics", "count", "median", "latency", "time", "summary", "percentile"],
    traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    var table = Table(columns: [
      .init("queue"), .init("operations", alignment: .trailing),
      .init("succeeded", alignment: .trailing), .init("failed", alignment: .trailing),
      .init("cancelled", alignment: .trailing), .init("skipped", alignment: .trailing),
      .init("unfinished", alignment: .trailing), .init("waited", alignment: .trailing),
      .init("at most", alignment: .trailing), .init("ran", alignment: .trailing),
      .init("at most", alignment: .trailing),
    ])
    let statistics = QueueStatistics(session)
    if invocation.isJSON {
      for (name, row) in statistics.rows { invocation.object(.stats, fields(name, row)) }
      if statistics.rows.count > 1 { invocation.object(.stats, fields(nil, statistics.total)) }
      return .null
    }
    for (name, row) in statistics.rows { table.rows.append(cells(name, row)) }
    if statistics.rows.count > 1 { table.rows.append(cells("all", statistics.total)) }
    if table.rows.isEmpty {
      invocation.printNothing("no operations yet")
    } else {
      invocation.print(table)
    }
    return .null
  }

  private static func fields(
    _ name: String?, _ row: QueueStatistics.Row
  ) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [
      "queue": .optional(name), "unfinished": .number(row.unfinished),
      "operations": .number(row.outcomes.values.reduce(row.unfinished, +)),
      "exact": .boolean(row.waiting.isExact && row.running.isExact),
    ]
    for outcome in ["succeeded", "failed", "cancelled", "skipped"] {
      fields[outcome] = .number(row.outcomes[outcome] ?? 0)
    }
    fields["waited"] = row.waiting.median.map { .seconds($0.seconds) }
    fields["longestWait"] = row.waiting.longest.map { .seconds($0.seconds) }
    fields["ran"] = row.running.median.map { .seconds($0.seconds) }
    fields["longestRun"] = row.running.longest.map { .seconds($0.seconds) }
    return fields
  }

  private static func cells(_ name: String, _ row: QueueStatistics.Row) -> [StyledText] {
    let counts = ["succeeded", "failed", "cancelled", "skipped"].map { row.outcomes[$0] ?? 0 }
    var cells = [
      StyledText(VisibleText.escape(name), style: .bold),
      StyledText(String(counts.reduce(row.unfinished, +))),
    ]
    cells += (counts + [row.unfinished]).map { StyledText(String($0)) }
    for times in [row.waiting, row.running] {
      let mark = times.isExact ? "" : "~"
      cells.append(StyledText(times.median.map { mark + DurationText($0).description } ?? "-"))
      cells.append(StyledText(times.longest.map { DurationText($0).description } ?? "-"))
    }
    return cells
  }
}

/// The outcomes and times of all operations of the session, by queue.
package struct QueueStatistics {
  /// Several measurements of one span of time.
  struct Times {
    private(set) var kept: [Duration] = []
    private(set) var dropped = TimeDistribution()

    var isExact: Bool { dropped.count == 0 }

    /// The median.
    var median: Duration? {
      guard isExact else {
        var all = dropped
        for time in kept { all.add(time) }
        return all.median
      }
      return kept.isEmpty ? nil : kept.sorted()[(kept.count - 1) / 2]
    }

    var longest: Duration? {
      let longest = kept.max()
      return isExact ? longest : max(longest ?? .zero, dropped.longest)
    }

    mutating func add(_ time: Duration?) {
      if let time { kept.append(time) }
    }

    mutating func add(_ distribution: TimeDistribution) { dropped.add(distribution) }
  }

  package struct Row {
    package var outcomes: [String: Int] = [:]
    package var unfinished = 0
    var waiting = Times()
    var running = Times()

    mutating func add(_ operation: ObservableOperation) {
      if let outcome = operation.outcome {
        outcomes[outcome.name, default: 0] += 1
      } else {
        unfinished += 1
      }
      let times = OperationTimes(of: operation)
      waiting.add(times.waiting)
      running.add(times.running)
    }

    mutating func add(_ tally: OperationTally) {
      outcomes.merge(tally.outcomes, uniquingKeysWith: +)
      waiting.add(tally.waiting)
      running.add(tally.running)
    }
  }

  /// The maximum number of group queues with their own rows.
  private static let mostGroups = 20

  private(set) var rows: [(name: String, row: Row)] = []
  package private(set) var total = Row()

  package init(_ session: Session) {
    let operations = session.operations.all
    let dropped = session.operations.droppedTallies
    var names = session.queues.names
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
      byName[listed.contains(name) ? name : rest, default: Row()].add(operation)
      total.add(operation)
    }
    for (name, tally) in dropped {
      byName[listed.contains(name) ? name : rest, default: Row()].add(tally)
      total.add(tally)
    }
    rows = (names + [rest]).compactMap { name in byName[name].map { (name, $0) } }
  }
}
