import Networking
import Operations
import ShellLanguage
import ShellOutput
import ShellSession
import Terminal

/// `why`: shows why an operation does not run, down to the root cause.
enum Why: Command {
  static let operation = Positional<[OperationName]>(
    "operation", help: "ids, names, patterns, 'last' or 'all' (default: each queue)")

  static let path = ["why"]
  static let declaration = CommandDeclaration(
    summary: "Says why operations are not running now",
    discussion: """
      The nearest reason comes first, its root cause last: a paused or full queue and the holders \
      of its slots, unmet dependencies and their own reasons, a width of 0, not being on a queue; \
      a barrier, an exclusive name and its holder, a delay, a pace, a group that has not started, \
      a cycle. For an executing group it says how many of its operations have finished, and what \
      the others wait for; for an operation between two attempts, or in a pause that a server asked \
      for, the remaining time; for any other executing one, what it does. If a command would help, \
      it is named. Without an operation it says of each queue what its operations wait for.
      """,
    positionals: [operation],
    examples: [
      .init("queue pause; delay 10ms; why last; queue resume", "the queue is paused"),
      .init("delay 20ms; delay 10ms --after delay-1; why last", "a dependency is not finished"),
      .init(
        "delay 20ms --exclusive db; delay 10ms --exclusive db; why last; wait",
        "another operation holds the name"),
      .init("queue width 0; delay 10ms --count 3; why; queue width 2; wait", "why nothing moves"),
    ],
    searchTerms: ["stuck", "waiting", "blocked", "reason", "explain", "hang"],
    traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    // On the virtual clock a started group may not have begun: its operations would seem free.
    invocation.session.runDueEvents()
    guard invocation.call.mentions(operation) else {
      printQueues(invocation)
      return .null
    }
    for operation in try invocation.operations(operation) {
      if invocation.isJSON {
        let reasons = WhyReason.reasons(of: operation, in: invocation.session)
        var fields = fields(of: operation, reasons)
        let activity = activity(of: operation, in: invocation.session) ?? operation.retryEnd
        if reasons.isEmpty, let activity {
          fields["activity"] = .string(activity)
        }
        invocation.object(.why, fields)
      } else {
        lines(for: operation, in: invocation.session).forEach(invocation.print)
      }
    }
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }

  /// Says of each queue with unfinished operations what they wait for.
  private static func printQueues(_ invocation: Invocation) {
    let session = invocation.session
    let queues = session.allQueues.filter { $0.operationCount > 0 || $0.isSuspended }
    for queue in queues {
      let verdict = Verdict(of: queue, in: session)
      if invocation.isJSON {
        invocation.object(.why, verdict.fields(of: queue))
      } else {
        ([Verdict.head(of: queue)] + verdict.lines).forEach(invocation.print)
      }
    }
    let held = session.operations.unfinished.filter { $0.state == .created }
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
      "reasons": .array(reasons.map { object(of: $0, text: $0.text) }),
      "position": .number(operation.engine.log.position),
    ]
  }

  /// A reason as data.
  static func object(of reason: WhyReason, text: String) -> JSONValue {
    JSONValue.members([
      "code": .string(reason.cause.rawValue), "text": .string(text),
      "subject": .string(reason.subject.joined(separator: ", ")), "cure": .optional(reason.cure),
    ])
  }

  /// One line per reason, indented by how far it is from the operation.
  static func lines(
    for operation: ObservableOperation, in session: Session
  ) -> [StyledText] {
    let name = StyledText(VisibleText.escape(operation.displayName), style: .bold)
    if let group = operation as? GroupOperation, group.state == .executing,
      group.finishWait == nil
    {
      let lines = Verdict(ofMembersOf: group, in: session).lines
      let head =
        name + StyledText(" " + ActivityText.sentence(of: group, in: session) + members(of: group))
      return lines.isEmpty
        ? [head] : [head + StyledText(", \(waitingClause(group)) because")] + lines
    }
    let reasons = WhyReason.reasons(of: operation, asTree: true, in: session)
    guard !reasons.isEmpty else { return [name + withoutReasons(operation, in: session)] }
    if operation.isCancelled, operation.state != .executing {
      return [name + StyledText(" is cancelled; it cannot finish yet because")]
        + reasons.map(\.line)
    }
    let isPause = reasons.first?.cause == .backoff || reasons.first?.cause == .hostPause
    let verb = operation.state != .executing ? "does not run" : isPause ? "pauses" : "waits"
    let head =
      name + " is " + OperationTable.state(of: operation) + " and \(verb) because"
    return [head] + reasons.map(\.line)
  }

  private static func withoutReasons(
    _ operation: ObservableOperation, in session: Session
  ) -> StyledText {
    if operation.state == .finished {
      let end = operation.retryEnd.map { "; " + VisibleText.escape($0) } ?? ""
      return " has finished: " + OperationTable.outcome(of: operation) + StyledText(end)
    }
    guard let activity = activity(of: operation, in: session) else {
      return operation.isCancelled
        ? " is cancelled and about to finish; nothing keeps it"
        : " is about to start; nothing keeps it"
    }
    return StyledText(" " + VisibleText.escape(activity))
  }

  /// What an operation does that waits for nothing; nil if it does not execute.
  private static func activity(
    of operation: ObservableOperation, in session: Session
  ) -> String? {
    guard operation.state == .executing else { return nil }
    let end =
      operation.isCancelled
      ? "cancelled" : operation.isOverTime ? "its time limit has passed" : nil
    return ActivityText.sentence(of: operation, in: session)
      + (end.map { "; \($0), it ends when its work does" } ?? "")
  }

  /// Which operations of a group do not run.
  private static func waitingClause(_ group: GroupOperation) -> String {
    let members = group.operations
    guard members.allSatisfy({ $0.state == .executing }) else {
      return members.count == 1 ? "which does not run" : "which do not all run"
    }
    // The waiting operations are members of inner groups, or pause.
    if members.contains(where: { $0 is GroupOperation }) { return "in which not all run" }
    return members.count == 1 ? "which pauses" : "which do not all work"
  }

  /// Which operations of a group have not finished.
  private static func members(of group: GroupOperation) -> String {
    let members = group.operations
    return members.isEmpty ? "" : "; it waits for " + OperationList.names(members)
  }
}
