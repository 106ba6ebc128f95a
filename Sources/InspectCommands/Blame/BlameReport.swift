import CommandParts
import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSupport
import OpshTerminal

/// What `blame` prints.
struct BlameReport {
  /// A step of the critical path.
  private struct Step {
    /// The number of the operation.
    let operation: Int
    let phase: LifeSpan
  }

  let use: TimeUse
  private let history: LifeAccount
  private let clock: SessionClock
  /// Those of the operations that are named, as they are called now; the log alone tells of those
  /// that are not kept.
  private let identities: [Int: OperationIdentity]
  private let labels: OperationLabels
  /// The chain of phases up to the end of the operation that ended last.
  private let path: [Step]
  /// Those of its steps that took any time.
  private let shownPath: [Step]

  private static let barColumns = 20
  /// A narrower terminal has no room for bars.
  private static let leastWidthForBars = 72
  /// A narrower terminal has no room for all columns.
  private static let leastWidthForAll = 60
  private static let mostCulprits = 3
  /// How many steps of a path are shown at its start, and at its end.
  private static let shownSteps = 12

  /// - Parameters:
  ///   - chosen: The operations to add up.
  ///   - history: The lives of all operations.
  ///   - jobs: Gives the clock and the latest records.
  init(on chosen: [ObservableOperation], in history: LifeAccount, _ jobs: Jobs) {
    self.history = history
    clock = jobs.clock
    use = TimeUse(of: chosen, in: history)
    let steps = use.last.map { history.criticalPath(to: $0) } ?? []
    path = steps.flatMap { step in
      LifeSpan.steps(of: jobs.operations.operation(id: step.operation), in: [step.span])
        .map { Step(operation: step.operation, phase: $0) }
    }
    shownPath = path.filter(\.phase.takesTime)
    let named = Set(
      use.rows.flatMap { $0.worst.map(\.id) } + path.map(\.operation)
        + path.compactMap(\.phase.culprit) + [use.last].compactMap { $0 })
    identities = Dictionary(
      named.compactMap { id in
        (jobs.operations.operation(id: id)?.identity ?? history.life(of: id)?.identity)
          .map { (id, $0) }
      }, uniquingKeysWith: { $1 })
    labels = OperationLabels(Array(identities.values))
  }

  // MARK: Text

  func print(to invocation: Invocation) {
    let width = invocation.width
    heading.wrapped(to: width ?? .max).forEach(invocation.print)
    var table = table(hasBars: width.map { $0 >= Self.leastWidthForBars } ?? true)
    if let width, width < Self.leastWidthForAll {
      // Words say more than what would be left of them beside the others.
      table.removeColumns(Array((2..<table.columns.count).reversed()), toFit: width)
    }
    invocation.print(table)
    guard let first = shownPath.first, let last = shownPath.last else { return }
    let length = DurationText(last.phase.end - first.phase.start)
    invocation.print(StyledText("critical path: \(length)", style: .bold))
    invocation.print(pathTable)
  }

  private var heading: StyledText {
    let time = DurationText(use.total)
    guard use.operations > 1, let bounds = use.bounds else {
      let name = use.last.map(name) ?? ""
      let isOver = use.last.flatMap { history.life(of: $0)?.finished } != nil
      return StyledText(name + ":", style: .bold)
        + StyledText(" \(time) from being added \(isOver ? "to its end" : "up to now")")
    }
    let span = DurationText(bounds.upperBound - bounds.lowerBound)
    return StyledText("\(GroupedNumber.text(use.operations)) operations:", style: .bold)
      + StyledText(" \(time) of their lives in \(span)")
  }

  private func table(hasBars: Bool) -> Table {
    let isOne = use.operations == 1
    var table = Table(
      columns: [
        .init("went to"), .init("time", alignment: .trailing),
        .init("share", alignment: .trailing),
      ] + (hasBars ? [.init("")] : []) + (isOne ? [] : [.init("in", alignment: .trailing)])
        + [.init("owed to", isFlexible: true)])
    for row in use.rows where row.time >= LifeSpan.shortest {
      let share = use.share(of: row)
      let columns = Int((share * Double(Self.barColumns)).rounded())
      var cells = [
        StyledText(row.kind.look.words, style: row.kind.look.style),
        StyledText(DurationText(row.time).description), StyledText(Self.percent(share)),
      ]
      if hasBars {
        cells.append(StyledText(String(repeating: "█", count: columns), style: row.kind.look.style))
      }
      if !isOne { cells.append(StyledText(String(row.operations))) }
      cells.append(StyledText(culprits(of: row)))
      table.rows.append(cells)
    }
    return table
  }

  private func culprits(of row: TimeUse.Row) -> String {
    let worst = row.worst
    let shown = worst.prefix(Self.mostCulprits).map { culprit in
      use.operations > 1
        ? "\(name(culprit.id)) \(DurationText(culprit.time))" : name(culprit.id)
    }
    let more = worst.count - shown.count
    return shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  /// The steps; of a long path those at its start and at its end.
  private var pathTable: Table {
    var table = Table(columns: [
      .init("at", alignment: .trailing), .init("operation", isFlexible: true),
      .init("time", alignment: .trailing), .init("went to", isFlexible: true),
    ])
    let left = shownPath.count - 2 * Self.shownSteps
    for (index, step) in shownPath.enumerated() {
      if left > 1, index >= Self.shownSteps, index < shownPath.count - Self.shownSteps {
        if index == Self.shownSteps { table.rows.append(["", "…", "", "\(left) more steps"]) }
        continue
      }
      let phase = step.phase
      let culprit = phase.culprit.map { $0 == step.operation ? "" : ": \(name($0))" } ?? ""
      table.rows.append([
        StyledText(time(phase.start), style: .dim),
        StyledText(name(step.operation), style: .bold),
        StyledText(DurationText(phase.duration).description),
        StyledText(phase.cause.look.words, style: phase.cause.look.style)
          + StyledText(phase.cause == .members ? "" : culprit),
      ])
    }
    return table
  }

  private func time(_ instant: ContinuousClock.Instant) -> String {
    String(TransitionText.time(clock.elapsed(instant)).drop { $0 == " " })
  }

  private func name(_ id: Int) -> String {
    identities[id].map { labels.label(of: $0) } ?? "operation \(id)"
  }

  private static func percent(_ share: Double) -> String {
    let percent = (share * 100).rounded()
    return percent < 1 ? "< 1%" : "\(Int(percent))%"
  }

  // MARK: Data

  /// The sums and then the steps of the path, for `--json`.
  var objects: [[String: JSONValue]] {
    use.rows.map { row in
      [
        "part": .string("sum"), "cause": .string(row.kind.rawValue),
        "seconds": .seconds(row.time.seconds), "share": .real(use.share(of: row)),
        "operations": .number(row.operations),
        "culprits": .array(row.worst.prefix(Self.mostCulprits).map { reference(to: $0.id) }),
      ]
    }
      + path.map { step in
        [
          "part": .string("path"), "operation": reference(to: step.operation),
          "cause": .string(step.phase.cause.rawValue),
          "start": .seconds(clock.elapsed(step.phase.start)),
          "seconds": .seconds(step.phase.duration.seconds),
          "culprits": .array(step.phase.culprit.map { [reference(to: $0)] } ?? []),
        ]
      }
  }

  private func reference(to id: Int) -> JSONValue {
    JSONValue.members(["id": .number(id), "name": .optional(identities[id]?.name)])
  }

  /// The sums as a value of the language.
  var value: Value {
    .list(
      use.rows.map { row in
        .record([
          .init("cause", .string(row.kind.rawValue)), .init("time", .duration(row.time)),
          .init("share", .real(use.share(of: row))),
        ])
      })
  }
}
