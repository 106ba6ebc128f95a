import CommandParts
import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshSupport
import OpshTerminal

/// `timeline`: shows when operations waited and ran.
enum Timeline: Command {
  static let operation = Positional<[OperationName]>.shownOperations
  static let queue = Option<QueueName?>("queue", help: "only operations of this queue")
  static let phases = Flag(
    "phases", help: "show what the time went to, in letters, and the phases of requests")
  static let fold = Flag("fold", help: "shorten times in which nothing executed")
  static let last = Option<Duration?>("last", help: "only this time up to now, such as 2s")

  static let path = ["timeline"]
  static let declaration = CommandDeclaration(
    summary: "Shows when operations waited and ran, as bars on one scale of time",
    discussion: """
      One line for each operation, members below their group: '·' while it was pending, '░' \
      while it was ready, '█' while it executed, each at least one column wide; '┄' while it \
      paused before another attempt or because a server asked for it. After the bar come the time \
      that it waited on its queue, the time that it ran, and its outcome. The scale is in seconds \
      since the start of the session. With OPERATION only that operation and its members are shown. \
      '--phases' shows what the operations waited for and, of the last transfer of a request, \
      its phases; the line below names the letters; 'blame' adds them up. '--fold' shortens each \
      long time in which none of them executed to three columns, '╌╌╌'.
      """,
    positionals: [operation], options: [queue, last, phases, fold],
    examples: [
      .init(
        "queue width 1; delay 10ms --count 3; wait; timeline",
        "three operations, one after the other"),
      .init(
        "delay 10ms --name load; delay 5ms --name parse --after load; wait; timeline",
        "an operation that waits for another"),
      .init(
        "queue width 1; delay 10ms --count 2; get /2.3/sites; wait; timeline --phases",
        "a full queue, and a request"),
    ],
    searchTerms: ["gantt", "chart", "bars", "concurrency", "waterfall", "when", "history"],
    traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let now = invocation.run.clock.now
    var chosen = try selection(invocation)
    var beginning: ContinuousClock.Instant?
    if let last = invocation.call[Self.last] {
      let start = now - last
      chosen.removeAll { OperationSpan(of: $0, now: now).map { $0.end < start } ?? true }
      beginning = start
    }
    let rows = OutlineRows(chosen).rows
    guard !rows.isEmpty else {
      invocation.printNothing("no operations to show")
      return .null
    }
    let history = LifeAccount(of: invocation.jobs.engine.log, until: now)
    if invocation.isJSON {
      for row in rows {
        invocation.object(.timeline, fields(of: row, history, now: now, invocation.run.clock))
      }
      return .list(rows.map { .object(OperationObject($0.operation, clock: invocation.run.clock)) })
    }
    let chart = TimelineChart(
      rows, from: beginning, now: now, width: invocation.width, clock: invocation.run.clock,
      phasesIn: invocation.call[phases] ? history : nil, folds: invocation.call[fold])
    invocation.print(chart.table)
    chart.legend.forEach(invocation.print)
    return .list(rows.map { .object(OperationObject($0.operation, clock: invocation.run.clock)) })
  }

  private static func fields(
    of row: OutlineRows.Row, _ history: LifeAccount, now: ContinuousClock.Instant,
    _ clock: SessionClock
  ) -> [String: JSONValue] {
    let (operation, stamps) = (row.operation, row.operation.timestamps)
    func time(_ instant: ContinuousClock.Instant?) -> JSONValue {
      instant.map { .seconds(clock.elapsed($0)) } ?? .null
    }
    let times = OperationTimes(of: operation)
    let waiting = stamps.pending.map { (stamps.executing ?? stamps.finished ?? now) - $0 }
    let running = stamps.executing.map { (stamps.finished ?? now) - $0 }
    return [
      "operation": OperationDescription.reference(to: operation).value,
      "depth": .number(row.depth), "state": .string(operation.state.rawValue),
      "outcome": .optional(operation.outcome?.name), "pending": time(stamps.pending),
      "ready": time(stamps.ready), "started": time(stamps.executing),
      "finished": time(stamps.finished),
      "waited": (times.waiting ?? waiting).map { .seconds($0.seconds) } ?? .null,
      "ran": (times.running ?? running).map { .seconds($0.seconds) } ?? .null,
      "pauses": .array(
        operation.pauses.map {
          JSONValue.members([
            "start": time($0.start), "end": time($0.end), "reason": .string($0.reason),
          ])
        }),
      "phases": .array(
        LifeSpan.steps(of: operation, in: history).map {
          JSONValue.members([
            "cause": .string($0.cause.rawValue), "start": time($0.start), "end": time($0.end),
            "culprit": $0.culprit.map { .number($0) } ?? .null,
          ])
        }),
    ]
  }

  /// The operations that the call asks for, with the members of groups.
  private static func selection(_ invocation: Invocation) throws -> [ObservableOperation] {
    let all = invocation.jobs.operations.all
    var chosen = all
    if invocation.call.mentions(operation) {
      let members = OutlineRows.members(of: all)
      var seen: Set<Int> = []
      var left = try invocation.operations(operation)
      chosen = []
      while let next = left.popLast() {
        guard seen.insert(next.id).inserted else { continue }
        chosen.append(next)
        left += members[next.id] ?? []
      }
      chosen.sort { $0.id < $1.id }
    }
    if invocation.call.has(queue) {
      let queue = try invocation.queue(Self.queue)
      chosen.removeAll { $0.queue !== queue }
    }
    return chosen
  }
}

extension ObjectKind {
  package static let timeline = ObjectKind(
    type: "timeline", commands: "`timeline`, one for each operation",
    keys: [
      operation, ("depth", "how many groups of the list are around it"), state, outcome,
      ("pending", "when it was added, in seconds since the start, or null"),
      ("ready", "when it became ready, or null"), ("started", "when it started, or null"),
      ("finished", "when it finished, or null"),
      ("waited", "how long it waited up to now, in seconds, or null"),
      ("ran", "how long it executed up to now, in seconds, or null"),
      ("pauses", "its pauses while it executed, a list of `{start, end, reason}`"),
      ("phases", "what its time went to, a list of `{cause, start, end, culprit}`"),
    ])
}
