import CommandParts
import Operations
import ShellLanguage
import ShellSession
import OpshTerminal

/// `ops`: lists the operations of the session.
enum Ops: Command {
  /// The operations to list; ids without an operation are not an error here.
  static let filter = Positional<[OperationName]>(
    "filter", SelectionWord.operations, help: "ids, names, patterns, a state or an outcome")
  static let queue = Option<QueueName?>("queue", help: "only operations of this queue")
  static let columns = Option<[String]>(
    "columns", .word(of: "property", OperationColumns.names),
    help: "properties to show, in this order; may be repeated, or take a,b"
  ).excluding(
    Invocation.json, because: "'--columns' is for the table: an object of '--json' has all keys")
  static let sort = Option<[String]>(
    "sort", .word(of: "property", OperationColumns.sortKeys),
    help: "properties to sort by; with '-' before it, the largest first")

  static let path = ["ops"]
  static let declaration = CommandDeclaration(
    summary: "Lists the operations of the session, finished ones included",
    discussion: """
      Without a filter it lists all of them by id. A filter is a state (pending, ready, \
      executing, finished, created), an outcome (succeeded, failed, cancelled, skipped), or \
      operations: ids, names, patterns. '--where' takes an expression over the properties of an \
      operation, and '--columns' and '--sort' take the names of properties; objects always have \
      the keys of 'help json'. The column 'why' has \
      the nearest reason why an operation does not run or go on. 'wait' is the time in \
      seconds from adding an operation to its start, and 'duration' the time from its start to \
      its end. In expressions both are null until they are complete; 'waiting' and 'running' are \
      the times so far, and finally equal to them. Columns show the times so far.
      """,
    positionals: [filter], options: [Invocation.condition, queue, columns, sort],
    examples: [
      .init("delay 10ms --count 3; ops", "all of them"),
      .init("queue pause; delay 10ms; ops ready; queue resume", "only the ready ones"),
      .init(
        "delay 10ms --count 3; wait; ops --columns id,name,wait --sort -wait",
        "the longest wait first"),
      .init("delay 10ms; wait; ops --where 'outcome == succeeded'", "by an expression"),
      .init("delay 10ms; wait; ops --json | cat", "as JSON objects, for another program"),
    ],
    searchTerms: ["list", "jobs", "status", "ps", "operations"], traits: [.inspects])

  static let completions = [
    ParameterCompletion(filter) { _, _ in CompletionCandidate.statesAndOutcomes },
    ParameterCompletion(columns) { _, _ in OperationColumns.names.map { CompletionCandidate($0) } },
    ParameterCompletion(sort) { _, _ in OperationColumns.names.map { CompletionCandidate($0) } },
  ]

  static func canLookBack(_ call: CommandCall) -> Bool { true }

  static func run(_ invocation: Invocation) throws -> Value {
    // As in 'why', which gives the same reasons.
    invocation.settle()
    var selected = try filtered(invocation)
    if invocation.call.has(queue) {
      // The operations of a group can be listed after the group has finished.
      let queue = try invocation.queue(Self.queue, allowsFinished: true)
      selected = selected.filter { $0.queue === queue }
    }
    if let condition = invocation.call[Invocation.condition] {
      selected = try selected.filter(invocation.holding(condition))
    }
    selected.sort { $0.id < $1.id }
    let table = OperationColumns(clock: invocation.jobs.clock)
    selected = table.sorted(selected, by: invocation.call[sort])
    if invocation.isJSON {
      for operation in selected {
        invocation.object(
          "operation",
          OperationDescription(operation: operation, clock: invocation.jobs.clock).fields)
      }
    } else if selected.isEmpty {
      invocation.print(
        invocation.jobs.operations.count == 0
          ? "no operations yet"
          : invocation.jobs.operations.all.isEmpty
            ? "no operations are kept: 'set keep' says how many finished ones are"
            : "none of that kind")
    } else {
      let chosen = invocation.call[columns]
      invocation.print(
        chosen.isEmpty
          ? OperationTable.table(
            selected, in: invocation.jobs, width: invocation.width)
          : table.table(selected, chosen))
    }
    return .list(selected.map { .object(OperationObject($0, clock: invocation.jobs.clock)) })
  }

  private static func filtered(_ invocation: Invocation) throws -> [ObservableOperation] {
    guard invocation.call.mentions(filter) else { return invocation.jobs.operations.all }
    var selected: [ObservableOperation] = []
    var seen: Set<Int> = []
    invocation.warnOfNames(at: filter)
    for (index, name) in invocation.call[filter].enumerated() {
      let matches = try invocation.operations(
        for: name.value, at: filter, index: index, skipsMissing: true)
      selected += matches.filter { seen.insert($0.id).inserted }
    }
    return selected
  }
}
