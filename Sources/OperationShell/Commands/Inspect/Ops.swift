import Operations
import ShellLanguage
import Terminal

/// `ops`: every operation of the session.
enum Ops: Command {
  static let signature = CommandSignature(
    path: ["ops"],
    summary: "Lists the operations of the session, finished ones too",
    discussion: """
      Without a filter it lists all of them by id. A filter is a state (pending, ready, \
      executing, finished, created), an outcome (succeeded, failed, cancelled, skipped), or \
      operations as everywhere: ids, names, patterns. '--where' takes an expression over the \
      properties of an operation, and '--columns' and '--sort' take their names. 'wait' is the \
      time in seconds from adding an operation to its start, and 'duration' that from the start \
      to the end. In expressions both are null until they are over; 'waiting' and 'running' are \
      the times so far, and equal to them after that. Columns show the times so far.
      """,
    positionals: [
      .init(filterArgument, .name("operation"), .repeating, help: "which of them")
    ],
    options: [
      .init("where", .expression, help: "an expression, such as 'state == ready'"),
      .init("queue", .name("queue"), help: "only those on this queue"),
      .init(
        "columns", .word(of: "property", OperationColumns.names), repeats: true,
        help: "which properties to show, in this order"),
      .init(
        "sort", .word(of: "property", OperationColumns.sortKeys), repeats: true,
        help: "by which properties; with '-' before it, the largest first"),
    ],
    examples: [
      .init("delay 10ms --count 3; ops", "all of them"),
      .init("queue pause; delay 10ms; ops ready; queue resume", "only the ready ones"),
      .init(
        "delay 10ms --count 3; wait; ops --columns id,name,wait --sort -wait",
        "who waited longest"),
      .init("delay 10ms; wait; ops --where 'outcome == succeeded'", "by an expression"),
      .init("delay 10ms; wait; ops --json | cat", "as JSON objects, for another program"),
    ],
    searchTerms: ["list", "jobs", "status", "ps", "operations"])

  /// Ids that no operation has are no error here.
  static let filterArgument = "filter"

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    var selected = try filtered(invocation)
    if invocation.call.has("queue") {
      // What was on the queue of a group is of interest also after its end.
      let queue = try invocation.queue(allowsFinished: true)
      selected = selected.filter { $0.queue === queue }
    }
    if let expression = invocation.call.expression("where") {
      selected = try selected.filter { operation in
        let subject = Value.object(OperationObject(operation, clock: session.clock))
        return try invocation.context.evaluate(expression, subject: subject).isTruthy
      }
    }
    selected.sort { $0.id < $1.id }
    let columns = OperationColumns(clock: session.clock)
    selected = columns.sorted(selected, by: invocation.call.strings("sort"))
    if invocation.isJSON {
      for operation in selected {
        invocation.object(
          "operation", OperationDescription(operation: operation, clock: session.clock).fields)
      }
    } else if selected.isEmpty {
      invocation.print(session.operations.count == 0 ? "no operations yet" : "none of that kind")
    } else {
      let chosen = invocation.call.strings("columns")
      invocation.print(
        chosen.isEmpty
          ? OperationTable.table(selected, clock: session.clock)
          : columns.table(selected, chosen))
    }
    return .list(selected.map { .object(OperationObject($0, clock: session.clock)) })
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    switch argument {
    case "filter": CompletionCandidate.statesAndOutcomes
    case "--columns", "--sort": OperationColumns.names.map { CompletionCandidate($0) }
    default: []
    }
  }

  private static func filtered(_ invocation: Invocation) throws -> [ObservableOperation] {
    let session = invocation.session
    guard invocation.call.has("filter") else { return session.operations.all }
    var selected: [ObservableOperation] = []
    var seen: Set<Int> = []
    for value in invocation.call.values("filter") {
      let matches: [ObservableOperation]
      if let state = OperationState(rawValue: value.text) {
        matches = session.operations.all.filter { $0.state == state }
      } else if value.text == "cancelled" {
        matches = session.operations.all.filter(\.isCancelled)
      } else if ["succeeded", "failed", "skipped"].contains(value.text) {
        matches = session.operations.all.filter { $0.outcome?.name == value.text }
      } else {
        matches = try invocation.operations(for: value, argument: "filter")
      }
      selected += matches.filter { seen.insert($0.id).inserted }
    }
    return selected
  }
}
