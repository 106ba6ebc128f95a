import CommandParts
import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshSupport
import OpshTerminal

/// `stats`: counts operations by outcome, with their times.
enum Stats: Command {
  static let by = Option<SessionStatistics.Grouping>(
    "by", default: .queue, help: "what a row is")

  static let path = ["stats"]
  static let declaration = CommandDeclaration(
    summary: "Counts operations by outcome, and shows how long they waited and ran",
    discussion: """
      The first table has a line for each queue, or for each kind of operation with '--by kind': \
      the operations that were ever on it, by outcome; how many finished a second; the bytes \
      received, and the attempts after the first. The second table has the times that they waited \
      there before they started, or finished without a start, and the times that they ran: half of \
      them took no longer than p50, 90 and 99 in a hundred no longer than p90 and p99; and how the \
      times spread from the shortest to the longest of the table, on a scale on which each column \
      is as many times longer. A last line counts the failures that were \
      retried, and another one the requests that joined an equal one ('queue coalesce'). Groups \
      with the same name share a line. '~' means that a time is accurate to 1% only, because \
      records were dropped ('set keep').
      """,
    options: [by],
    examples: [
      .init("delay 10ms --count 3; wait; stats", "three that succeeded"),
      .init("delay 5ms --count 3; block { }; wait; stats --by kind", "delays and a block"),
    ],
    searchTerms: [
      "statistics", "count", "median", "latency", "time", "summary", "percentile", "histogram",
      "rate", "throughput",
    ],
    traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let grouping = invocation.call[by]
    let statistics = SessionStatistics(invocation.jobs, by: grouping)
    var rows = statistics.rows.map { (name: Optional($0.name), row: $0.row) }
    if rows.count > 1 { rows.append((nil, statistics.total)) }
    if invocation.isJSON {
      for (name, row) in rows {
        invocation.object(.stats, fields(name, row, by: grouping))
      }
    } else if rows.isEmpty {
      invocation.printNothing("no operations yet")
    } else {
      let width = invocation.width
      invocation.print(counts(rows, by: grouping, width: width))
      invocation.print("")
      invocation.print(times(rows, by: grouping, width: width))
      if let text = retries(statistics.total) {
        StyledText(text).wrapped(to: width ?? .max).forEach(invocation.print)
      }
      let joined = statistics.total.traffic.joined
      if joined > 0 {
        let requests = joined == 1 ? "request" : "requests"
        invocation.print(StyledText("joined an equal request: \(joined) \(requests)"))
      }
    }
    return .null
  }

  private typealias NamedRow = (name: String?, row: SessionStatistics.Row)

  private static let outcomes = ["succeeded", "failed", "cancelled", "skipped"]
  private static let quantiles: [(key: String, part: Double)] = [
    ("", 0.5), ("90", 0.9), ("99", 0.99),
  ]

  // MARK: Data

  private static func fields(
    _ name: String?, _ row: SessionStatistics.Row, by grouping: SessionStatistics.Grouping
  ) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [
      grouping.rawValue: .optional(name), "unfinished": .number(row.unfinished),
      "operations": .number(row.outcomes.values.reduce(row.unfinished, +)),
      "exact": .boolean(row.waiting.isExact && row.running.isExact),
      "retries": .number(row.traffic.retries),
      "causes": JSONFields(
        row.retried.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .number($0.value)) }
      ).value, "bytes": .number(row.traffic.bytes), "joined": .number(row.traffic.joined),
      "rate": row.traffic.rate.map { .real($0) } ?? .null,
    ]
    for outcome in outcomes { fields[outcome] = .number(row.outcomes[outcome] ?? 0) }
    for (key, times) in [("waited", row.waiting), ("ran", row.running)] {
      for (quantile, time) in zip(quantiles, times.quantiles(quantiles.map(\.part)) ?? []) {
        fields[key + quantile.key] = .seconds(time.seconds)
      }
    }
    fields["longestWait"] = row.waiting.longest.map { .seconds($0.seconds) }
    fields["longestRun"] = row.running.longest.map { .seconds($0.seconds) }
    return fields
  }

  // MARK: Text

  private static func name(_ row: NamedRow) -> StyledText {
    StyledText(VisibleText.escape(row.name ?? "all"), style: .bold)
  }

  private static func counts(
    _ rows: [NamedRow], by grouping: SessionStatistics.Grouping, width: Int?
  ) -> Table {
    var table = Table(
      columns: [.init(StyledText(grouping.rawValue), isFlexible: true)]
        + ["operations", "succeeded", "failed", "cancelled", "skipped", "unfinished", "rate"]
        .map { .init(StyledText($0), alignment: .trailing) })
    // Sessions without requests have neither, and a line of 80 columns no room to spare.
    let hasTraffic = rows.contains { $0.row.traffic.bytes > 0 || $0.row.traffic.retries > 0 }
    if hasTraffic {
      table.columns += ["bytes", "retries"].map { .init(StyledText($0), alignment: .trailing) }
    }
    for row in rows {
      let counts = outcomes.map { row.row.outcomes[$0] ?? 0 }
      var cells = [name(row), StyledText(String(counts.reduce(row.row.unfinished, +)))]
      cells += (counts + [row.row.unfinished]).map { StyledText(String($0)) }
      cells.append(StyledText(row.row.traffic.rate.map(rate) ?? "-"))
      if hasTraffic {
        cells.append(StyledText(ByteCount(row.row.traffic.bytes).description))
        cells.append(StyledText(String(row.row.traffic.retries)))
      }
      table.rows.append(cells)
    }
    // A narrow terminal has no room for outcomes that did not happen; then it has none for rates.
    let empty = (2...6).filter { column in table.rows.allSatisfy { $0[column].plain == "0" } }
    table.removeColumns(
      empty.reversed() + Array((7..<table.columns.count).reversed()) + [1], toFit: width)
    return table
  }

  /// What attempts followed, the most frequent failure first; nil without any.
  private static func retries(_ row: SessionStatistics.Row) -> String? {
    let causes = row.retried.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.key) \(GroupedNumber.text($0.value))" }
    return causes.isEmpty ? nil : "retried after: " + causes.joined(separator: ", ")
  }

  private static func rate(_ rate: Double) -> String {
    (rate < 9.95 ? String((rate * 10).rounded() / 10) : GroupedNumber.text(Int(rate.rounded())))
      + "/s"
  }

  private static func times(
    _ rows: [NamedRow], by grouping: SessionStatistics.Grouping, width: Int?
  ) -> Table {
    let spread = TimeSpread(rows.flatMap { [$0.row.waiting, $0.row.running] })
    var table = Table(
      columns: [.init(StyledText(grouping.rawValue), isFlexible: true), .init("times")]
        + ["p50", "p90", "p99", "max"].map { .init(StyledText($0), alignment: .trailing) }
        + [.init(StyledText(spread.title))])
    for row in rows {
      for (title, times) in [("waited", row.row.waiting), ("ran", row.row.running)] {
        let mark = times.isExact ? "" : "~"
        let known = times.quantiles(quantiles.map(\.part))
        let cells =
          known.map { $0.map { mark + DurationText($0).description } } ?? quantiles.map { _ in "-" }
        table.rows.append(
          [title == "waited" ? name(row) : "", StyledText(title)] + cells.map { StyledText($0) }
            + [
              StyledText(times.longest.map { DurationText($0).description } ?? "-"),
              StyledText(spread.bars(of: times), style: .state(.executing)),
            ])
      }
    }
    // The bars first, then the quantiles between the median and the longest.
    table.removeColumns([6, 4, 3], toFit: width)
    return table
  }
}

extension ObjectKind {
  package static let stats = ObjectKind(
    type: "stats", commands: "`stats`, one for each queue and one for all",
    keys: [
      ("queue", "the name of the queue; null for all together, and with `--by kind`"),
      ("kind", "with `--by kind`: the kind of operation; null for all together"),
      ("operations", "how many were ever on it"), ("succeeded", "how many succeeded"),
      ("failed", "how many failed"), ("cancelled", "how many were cancelled"),
      ("skipped", "how many were skipped"), ("unfinished", "how many have not finished"),
      ("rate", "how many finished a second, or null"),
      ("bytes", "the bytes of the bodies received, of the latest attempts"),
      ("joined", "how many joined an equal request in flight, whose bytes count once"),
      ("retries", "how many attempts were made after the first"),
      ("causes", "how many of them followed each failure, by its code, as far as the log tells"),
      ("waited", "the median of the waiting times, in seconds, or null"),
      ("waited90", "what 90 in a hundred of them do not exceed"),
      ("waited99", "what 99 in a hundred of them do not exceed"),
      ("longestWait", "the longest of them"),
      ("ran", "the median of the running times, in seconds, or null"),
      ("ran90", "what 90 in a hundred of them do not exceed"),
      ("ran99", "what 99 in a hundred of them do not exceed"),
      ("longestRun", "the longest of them"),
      ("exact", "false where records were dropped, and the medians are known to a hundredth"),
    ])
}
