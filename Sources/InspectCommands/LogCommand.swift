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
      The log also has the transitions that were not shown when they happened. 'set keep' \
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
    var entries: [EventLog.Entry] = []
    var cursor = 0
    while let page = invocation.jobs.engine.log.nextPage(from: &cursor) {
      entries += page.filter { wanted?.contains($0.operation.id) ?? true }
    }
    if let last = invocation.call[Self.last] { entries = entries.suffix(last) }
    var text = TransitionText()
    let labels = OperationLabels(entries.lazy.map(\.operation))
    for entry in entries { invocation.print(entry, &text, labels) }
    if entries.isEmpty { invocation.printNothing("nothing was recorded") }
    return .null
  }
}

extension Invocation {
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
