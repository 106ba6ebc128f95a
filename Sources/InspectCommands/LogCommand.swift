import CommandParts
import Operations
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// `log`: shows the recorded transitions.
enum LogCommand: Command {
  static let operation = Positional<[OperationName]>.shownOperations
  static let last = Option<Int?>(
    "last", .integer(minimum: 0), help: "number of transitions to show, the latest ones")

  static let path = ["log"]
  static let declaration = CommandDeclaration(
    summary: "Shows the recorded transitions of operations",
    discussion: """
      Among the transitions are the changes by 'priority', 'qos', 'deps' and, where no operation \
      is named, of the width, the pace, the pauses and the quality of service of queues: with \
      '--json' 'change' objects, whose 'reason' is empty. The \
      log also has the transitions that were not shown when they happened. 'set keep' \
      controls how far back it goes.
      """,
    positionals: [operation], options: [last],
    examples: [.init("delay 10ms; wait; log last", "the life of the delay")],
    searchTerms: ["history", "transitions", "events", "record"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let wanted: Set<Int>? =
      invocation.call.mentions(operation)
      ? Set(try invocation.operations(operation).map(\.id)) : nil
    if wanted?.isEmpty == true, invocation.call.has(operation) { return .null }
    var lines: [ToldLog.Line] = []
    var log = ToldLog(of: invocation.jobs)
    while let page = log.nextPage() {
      lines += page.filter { line in wanted.map { line.isAbout($0) } ?? true }
    }
    if let last = invocation.call[Self.last] { lines = lines.suffix(last) }
    var text = TransitionText()
    let labels = OperationLabels(lines.lazy.compactMap(\.operation))
    for line in lines { invocation.print(line, &text, labels) }
    if lines.isEmpty { invocation.printNothing("nothing was recorded") }
    return .null
  }
}

extension Invocation {
  /// Prints a line of the log, as an object or as text.
  fileprivate func print(
    _ line: ToldLog.Line, _ text: inout TransitionText, _ labels: OperationLabels
  ) {
    switch line {
    case .entry(let entry): print(entry, &text, labels)
    case .change(let change) where isJSON: object("change", at: change.time, change.fields)
    case .change(let change): print(text.line(for: change, clock: run.clock, labels: labels))
    }
  }

  /// Prints an entry of the log, as an object or as a line.
  func print(
    _ entry: EventLog.Entry, _ text: inout TransitionText, _ labels: OperationLabels? = nil
  ) {
    if isJSON {
      object(
        "record", at: entry.time,
        [
          "transition": EventFeed.fields(of: entry).value,
          "position": .number(jobs.engine.log.position(after: entry)),
        ])
    } else {
      print(text.line(for: entry, clock: run.clock, labels: labels))
    }
  }
}
