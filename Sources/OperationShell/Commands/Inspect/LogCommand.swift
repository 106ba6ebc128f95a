import Operations
import ShellLanguage
import Terminal

/// `log`: the recorded transitions.
enum LogCommand: Command {
  static let signature = CommandSignature(
    path: ["log"],
    summary: "Shows the recorded transitions, of all operations or some",
    discussion: """
      The log has also those that were not shown as they happened. How far back it goes follows \
      from 'set keep'.
      """,
    positionals: [
      .init(
        "operation", .name("operation"), .repeating,
        help: "an id, a name, a pattern, 'last'")
    ],
    options: [.init("last", .integer(minimum: 0), help: "only the last ones")],
    examples: [.init("delay 10ms; wait; log last", "the life of the delay")],
    searchTerms: ["history", "transitions", "events", "record"])

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    let wanted: Set<Int>? =
      invocation.call.has("operation")
      ? Set(try invocation.operations("operation").map(\.id)) : nil
    var entries: [EventLog.Entry] = []
    var cursor = 0
    while true {
      let (page, next) = session.log.entries(from: cursor, limit: 4096)
      guard !page.isEmpty else { break }
      cursor = next
      entries += page.filter { wanted?.contains($0.operation.id) ?? true }
    }
    if let last = invocation.call.integer("last") { entries = entries.suffix(Int(last)) }
    var text = TransitionText()
    let labels = OperationLabels(entries.lazy.map(\.operation))
    for entry in entries {
      if invocation.isJSON {
        invocation.object(
          "record", at: entry.time, ["transition": EventFeed.fields(of: entry).value])
      } else {
        invocation.print(text.line(for: entry, clock: session.clock, labels: labels))
      }
    }
    if entries.isEmpty { invocation.printNothing("nothing was recorded") }
    return .null
  }
}
