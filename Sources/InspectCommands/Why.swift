import CommandParts
import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshTerminal

/// `why`: shows why an operation does not run, down to the root cause.
enum Why: Command {
  static let operation = Positional<[OperationName]>(
    "operation", SelectionWord.operations,
    help: "ids, names, patterns, 'last', 'all', or a state: 'ready' (default: each queue)")

  static let path = ["why"]
  static let declaration = CommandDeclaration(
    summary: "Says why operations are not running now",
    discussion: """
      The nearest reason comes first, its root cause last: a paused or full queue and the holders \
      of its slots, unmet dependencies and their own reasons, a width of 0, not being on a queue; \
      a barrier, an exclusive name and its holder, a delay, a pace, a group that has not started, \
      a cycle, a dependency of lower priority that others overtake. For an executing group it \
      says how many of its operations have finished, and what the others wait for; for an \
      operation between two attempts, or in a pause that a server asked for, the remaining time; \
      for any other executing one, what it does. If a command would help, it is named. Of a \
      finished operation it says what it had waited for, the longest first, and the 'at' that \
      shows it. Without an operation it says of each queue what its operations wait for.
      """,
    positionals: [operation],
    examples: [
      .init("queue pause; delay 10ms; why last; queue resume", "the queue is paused"),
      .init("delay 20ms; delay 10ms --after delay-1; why last", "a dependency is not finished"),
      .init(
        "delay 20ms --exclusive db; delay 10ms --exclusive db; why last; wait",
        "another operation holds the name"),
      .init("queue width 0; delay 10ms --count 3; why; queue width 2; wait", "why nothing moves"),
      .init("delay 20ms; delay 10ms --after last; wait; why last", "what it had waited for"),
    ],
    searchTerms: ["stuck", "waiting", "blocked", "reason", "explain", "hang"],
    traits: [.inspects])

  static func canLookBack(_ call: CommandCall) -> Bool { true }

  static func run(_ invocation: Invocation) throws -> Value {
    // On the virtual clock a started group may not have begun: its operations would seem free.
    invocation.settle()
    guard invocation.call.mentions(operation) else {
      printQueues(invocation)
      return .null
    }
    var account: LifeAccount?
    for operation in try invocation.operations(operation) {
      let waits = waits(of: operation, &account, invocation.jobs)
      if invocation.isJSON {
        let inversion = PriorityInversion(of: operation).map { [$0.reason] } ?? []
        let reasons = inversion + WhyReason.reasons(of: operation, in: invocation.jobs)
        var fields = fields(of: operation, reasons)
        let activity =
          WhyText.activity(
            of: operation, in: invocation.jobs, masking: invocation.screen.secrets)
          ?? operation.retryEnd
        if reasons.isEmpty, let activity {
          fields["activity"] = .string(activity)
        }
        if let waits { fields["reasons"] = .array(waits.objects) }
        invocation.object(.why, fields)
      } else {
        var lines = WhyText.lines(
          for: operation, in: invocation.jobs, masking: invocation.screen.secrets)
        if let inversion = PriorityInversion(of: operation) {
          lines.insert(inversion.reason.line, at: 1)
        }
        if let waits, !waits.isEmpty { lines = [lines[0] + "; it had waited for"] + waits.lines }
        lines.forEach(invocation.print)
      }
    }
    return .null
  }

  /// What a finished operation waited for; nil for one that has not finished.
  private static func waits(
    of operation: ObservableOperation, _ account: inout LifeAccount?, _ jobs: Jobs
  ) -> EndedWaits? {
    guard operation.state == .finished else { return nil }
    let known = account ?? LifeAccount(of: jobs.engine.log, until: jobs.clock.now)
    account = known
    return EndedWaits(of: operation, in: known, jobs)
  }

  /// Says of each queue with unfinished operations what they wait for.
  private static func printQueues(_ invocation: Invocation) {
    let queues = invocation.jobs.allQueues.filter { $0.operationCount > 0 || $0.isSuspended }
    for queue in queues {
      let verdict = Verdict(of: queue, in: invocation.jobs)
      if invocation.isJSON {
        invocation.object(.why, verdict.fields(of: queue))
      } else {
        ([Verdict.head(of: queue)] + verdict.lines).forEach(invocation.print)
      }
    }
    let held = invocation.jobs.operations.unfinished.filter { $0.state == .created }
    if !held.isEmpty, !invocation.isJSON {
      invocation.print(StyledText("on no queue: " + OperationList.names(held)))
    }
    if queues.isEmpty, held.isEmpty { invocation.printNothing("every operation has finished") }
  }

  private static func fields(
    of operation: ObservableOperation, _ reasons: [WhyReason]
  ) -> [String: JSONValue] {
    [
      "operation": OperationDescription.reference(to: operation).value,
      "reasons": .array(reasons.map { WhyText.object(of: $0, text: $0.text) }),
      "position": .number(operation.engine.log.position),
    ]
  }
}

extension ObjectKind {
  package static let why = ObjectKind(
    type: "why", commands: "`why OP`, and `why`, one for each queue that is paused or not empty",
    keys: [
      ("operation", "the operation, `{id, name}`; null for a queue"),
      ("queue", "of a queue only: its name"),
      (
        "reasons",
        "why it does not run, the nearest first, or what the operations of the queue wait for: a "
          + "list of `{code, text, subject, cure}`; of a finished operation what it had waited for, "
          + "the longest first, with the `at` that shows it as the cure"
      ),
      (
        "position",
        "how many events (entries and changes) the log had then: the moment that it is about, which "
          + "`at #POSITION` shows again"
      ),
      (
        "activity",
        "of an operation that executes and waits for nothing: what it does; of one that failed "
          + "although it has '--retry': why no attempt followed"
      ),
    ], optional: ["queue", "activity"])
}
