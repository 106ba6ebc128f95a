import CommandParts
import Operations
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshTerminal

/// `blame`: shows what the time of operations went to.
enum Blame: Command {
  static let operation = Positional<[OperationName]>.shownOperations

  static let path = ["blame"]
  static let declaration = CommandDeclaration(
    summary: "Shows what the time of operations went to, by cause, and the critical path",
    discussion: """
      Each stretch of an operation's life, from being added to its queue to its end, has one cause: \
      a dependency, a full or paused queue, a pace, a delay, an exclusive name, a barrier, a group \
      that has not begun, a pause before another attempt or because a server asked for it, 'finish' \
      that nothing called, or work; the work of a request is divided into the phases of its \
      transfer. Together they are the whole life. A wait for a dependency is owed to the one that \
      finished last, a wait for a slot to the operation that made room. The critical path is the \
      chain of stretches that the end depended on, followed back from the operation that ended \
      last, or, while none has ended, from the latest one up to now: shorten one of them, and the end \
      comes earlier.
      """,
    positionals: [operation],
    examples: [
      .init(
        "queue width 1; delay 20ms --name a; delay 10ms --name b; wait; blame",
        "'b' waited for the only slot"),
      .init(
        "delay 20ms --name load; delay 10ms --name parse --after load; wait; blame parse",
        "one operation"),
    ],
    searchTerms: [
      "profile", "slow", "where", "time", "critical path", "bottleneck", "latency", "phases",
    ], traits: [.inspects])

  static func canLookBack(_ call: CommandCall) -> Bool { true }

  static func run(_ invocation: Invocation) throws -> Value {
    let chosen =
      invocation.call.mentions(operation)
      ? try invocation.operations(operation) : invocation.jobs.operations.all
    if chosen.isEmpty, invocation.call.has(operation) { return .null }
    return report(on: chosen, invocation)
  }

  /// Prints what the time of operations went to.
  static func report(on chosen: [ObservableOperation], _ invocation: Invocation) -> Value {
    invocation.settle()
    let history = LifeAccount(of: invocation.jobs.engine.log, until: invocation.jobs.clock.now)
    let report = BlameReport(on: chosen, in: history, invocation.jobs)
    if invocation.isJSON {
      for row in report.objects { invocation.object(.blame, row) }
    } else if report.use.operations == 0 {
      let isKnown = chosen.contains { $0.state != .created }
      invocation.printNothing(
        StyledText(
          chosen.isEmpty
            ? "no operations yet"
            : isKnown
              ? "the log no longer has their beginnings; 'set keep' keeps more"
              : "not on a queue yet, so no time has passed"))
    } else {
      report.print(to: invocation)
    }
    return report.value
  }
}

/// `blame queue`: the same of the operations of a queue.
enum BlameQueue: Command {
  static let queue = Positional<QueueName>("queue", help: "queue whose operations to add up")

  static let path = ["blame", "queue"]
  static let declaration = CommandDeclaration(
    summary: "Shows what the time of a queue's operations went to",
    positionals: [queue],
    examples: [.init("delay 10ms --count 5; wait; blame queue network", "three waited for a slot")],
    searchTerms: ["profile", "slow", "time", "bottleneck"], traits: [.inspects])

  static func canLookBack(_ call: CommandCall) -> Bool { true }

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(queue, allowsFinished: true)
    return Blame.report(
      on: invocation.jobs.operations.all.filter { $0.queue === queue }, invocation)
  }
}

extension ObjectKind {
  package static let blame = ObjectKind(
    type: "blame", commands: "`blame`, one for each cause, and one for each step of the path",
    keys: [
      ("part", "`sum` for a cause, `path` for a step of the critical path"),
      ("operation", "of a step: the operation, `{id, name}`, else null"),
      ("cause", "what the time went to, such as `queue-full`, `work` or `first-byte`"),
      ("start", "of a step: when it began, in seconds since the start, else null"),
      ("seconds", "its time in seconds; of a cause: the sum over all operations"),
      ("share", "of a cause: its share of the time of all operations, from 0 to 1, else null"),
      ("operations", "of a cause: how many operations spent time on it, else null"),
      ("culprits", "the operations that caused the time, a list of `{id, name}`"),
    ])
}
