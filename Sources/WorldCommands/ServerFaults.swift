import CommandParts
import OpshNetworking
import PracticeServer
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshSupport
import OpshTerminal

/// `server faults`: what the practice server can do wrong, and what it does.
enum ServerFaults: Command {
  static let name = Positional<String?>(
    "name", ServerFaultCommand.kind, help: "name of one fault (default: all)")

  static let path = ["server", "faults"]
  static let declaration = CommandDeclaration(
    summary: "Lists what the practice server can do wrong, and what is set",
    discussion: """
      For each fault: what the client reports for it, and what it does; '*' marks those that are \
      set. With a name, also the options of the fault. 'server fault NAME' sets one.
      """,
    positionals: [name],
    examples: [
      .init("server faults", "all of them"),
      .init("server fault latency 20% --duration 1s; server faults latency", "one, with its times"),
    ],
    searchTerms: ["error", "chaos", "list", "codes"], traits: [.inspects])

  static let completions = [ParameterCompletion(name) { _, _ in ServerFaultCommand.candidates }]

  static func run(_ invocation: Invocation) throws -> Value {
    let server = invocation.server
    let active = server.faults.active
    let struck = server.statistics.faults
    if let name = invocation.call[Self.name],
      let kind = Fault.Kind.all.first(where: { $0.name == name }) ?? (try? Fault(name))?.kind
    {
      let set = active.filter { $0.name == name }
      return show([(kind, name, set)], struck, isDetailed: true, invocation)
    }
    // One that is called status-404 is not in the list of kinds.
    let listed = Fault.Kind.all.map { kind in (kind, kind.name, active.filter { $0.kind == kind }) }
    let statuses = Dictionary(grouping: active.filter { $0.name.hasPrefix("status-") }, by: \.name)
      .sorted { $0.key < $1.key }.compactMap { name, set in set.first.map { ($0.kind, name, set) } }
    return show(listed + statuses, struck, isDetailed: false, invocation)
  }

  private typealias Row = (kind: Fault.Kind, name: String, set: [Fault])

  private static func show(
    _ rows: [Row], _ struck: [String: Int], isDetailed: Bool, _ invocation: Invocation
  ) -> Value {
    if invocation.isJSON {
      for row in rows { tell(row, struck[row.name] ?? 0, invocation) }
    } else if isDetailed {
      for row in rows { describe(row, struck[row.name] ?? 0, invocation) }
    } else {
      list(rows, struck, invocation)
    }
    return .list(
      rows.map { row in
        .record([
          .init("name", .string(row.name)), .init("summary", .string(row.kind.summary)),
          .init("report", .string(row.kind.report)),
          .init("active", .boolean(!row.set.isEmpty)),
          .init("struck", .integer(Int64(struck[row.name] ?? 0))),
        ])
      })
  }

  // MARK: Text

  private static func list(_ rows: [Row], _ struck: [String: Int], _ invocation: Invocation) {
    var table = Table(columns: [
      .init("fault"), .init("the client reports"),
      .init("what happens", isFlexible: true, goesBelow: true),
    ])
    for row in rows {
      let isSet = !row.set.isEmpty
      table.rows.append([
        StyledText(row.name + (isSet ? " *" : ""), style: isSet ? .bold : .plain),
        StyledText(row.kind.report), StyledText(row.kind.summary),
      ])
    }
    invocation.print(table)
    for row in rows {
      for fault in row.set {
        invocation.printText("* \(fault.description), \(count(struck[fault.name] ?? 0))")
      }
    }
  }

  private static func describe(_ row: Row, _ struck: Int, _ invocation: Invocation) {
    invocation.print(StyledText(row.name, style: .bold))
    var lines = [("does", row.kind.summary), ("reported", row.kind.report)]
    lines += Fault.Parameter.allCases.compactMap { parameter in
      row.kind.meaning(of: parameter).map { ("--" + parameter.rawValue, $0) }
    }
    lines += row.set.map { ("set", $0.description) }
    if row.set.isEmpty { lines.append(("set", "no")) }
    lines.append(("so far", count(struck)))
    for (name, text) in lines {
      invocation.print(
        StyledText(TextWidth.pad("  " + name, to: 14), style: .dim)
          + StyledText(VisibleText.escape(text)))
    }
  }

  private static func count(_ struck: Int) -> String {
    switch struck {
    case 0: "has not struck yet"
    case 1: "has struck once"
    default: "has struck \(struck) times"
    }
  }

  // MARK: JSON

  /// One object for each setting; one that says so where the fault is not set.
  private static func tell(_ row: Row, _ struck: Int, _ invocation: Invocation) {
    for fault in row.set.isEmpty ? [nil] : row.set.map(Optional.some) {
      invocation.object(
        .fault,
        [
          "name": .string(row.name), "summary": .string(row.kind.summary),
          "report": .string(row.kind.report), "active": .boolean(fault != nil),
          "share": fault.map { .real($0.percent) } ?? .null,
          "route": .optional(fault?.route.description),
          "duration": fault?.duration.map { .seconds($0.seconds) } ?? .null,
          "spread": fault?.spread.map { .seconds($0.seconds) } ?? .null,
          "size": .optional(fault?.size), "struck": .number(struck),
        ])
    }
  }
}

extension ObjectKind {
  package static let fault = ObjectKind(
    type: "fault", commands: "`server faults`, one for each setting and for each fault without one",
    keys: [
      ("name", "the name of the fault, for `server fault`"), ("summary", "what happens"),
      ("report", "what the client reports"), ("active", "whether it is set"),
      ("share", "how many of 100 requests it strikes; null if it is not set"),
      ("route", "the requests that it may strike; null if it is not set"),
      ("duration", "its time, in seconds, or null"),
      ("spread", "how far that may be off, in seconds, or null"),
      ("size", "its number, such as bytes, requests a second or a status, or null"),
      ("struck", "how many requests it has struck"),
    ])
}
