package import OpshJSON
import OpshNetworking
package import Operations
import ShellOutput
package import ShellSession
package import OpshTerminal

/// Why an operation does not run, in lines and as data.
package enum WhyText {
  /// A reason as data.
  package static func object(of reason: WhyReason, text: String) -> JSONValue {
    JSONValue.members([
      "code": .string(reason.cause.rawValue), "text": .string(text),
      "subject": .string(reason.subject.joined(separator: ", ")), "cure": .optional(reason.cure),
    ])
  }

  /// One line per reason, indented by how far it is from the operation.
  package static func lines(
    for operation: ObservableOperation, in jobs: Jobs, masking secrets: SecretMask
  ) -> [StyledText] {
    let name = StyledText(VisibleText.escape(operation.displayName), style: .bold)
    if let group = operation as? GroupOperation, group.state == .executing,
      group.finishWait == nil
    {
      let lines = Verdict(ofMembersOf: group, in: jobs).lines
      let head =
        name
        + StyledText(
          " " + ActivityText.sentence(of: group, in: jobs, masking: secrets) + members(of: group))
      return lines.isEmpty
        ? [head] : [head + StyledText(", \(waitingClause(group)) because")] + lines
    }
    let reasons = WhyReason.reasons(of: operation, asTree: true, in: jobs)
    guard !reasons.isEmpty else {
      return [name + withoutReasons(operation, in: jobs, masking: secrets)]
    }
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
    _ operation: ObservableOperation, in jobs: Jobs, masking secrets: SecretMask
  ) -> StyledText {
    if operation.state == .finished {
      let end = operation.retryEnd.map { "; " + VisibleText.escape($0) } ?? ""
      return " has finished: " + OperationTable.outcome(of: operation)
        + StyledText(cause(of: operation) + end)
    }
    guard let activity = activity(of: operation, in: jobs, masking: secrets) else {
      // On the virtual clock all that is due at one time happens before a slot is given.
      let when =
        jobs.engine.virtualClock.isInUse ? ", after what else is due now" : "; nothing keeps it"
      return StyledText(
        operation.isCancelled
          ? " is cancelled and about to finish" + when : " is about to start" + when)
    }
    return StyledText(" " + VisibleText.escape(activity))
  }

  /// Who cancelled an operation, which dependency had it skipped, or which members of a group failed.
  private static func cause(of operation: ObservableOperation) -> String {
    switch operation.outcome {
    case .cancelled? where operation.outcomeSummary == nil:
      (operation.error?.message.trimmingPrefix("cancelled")).map { VisibleText.escape(String($0)) }
        ?? ""
    case .skipped?:
      operation.stoppingDependency.map {
        ", because the dependency '\(VisibleText.escape($0.displayName))' did not succeed"
      } ?? ""
    case .failed(let failure)? where operation is GroupOperation:
      ": " + VisibleText.escape(failure.message)
    default: ""
    }
  }

  /// What an operation does that waits for nothing; nil if it does not execute.
  package static func activity(
    of operation: ObservableOperation, in jobs: Jobs, masking secrets: SecretMask
  ) -> String? {
    guard operation.state == .executing else { return nil }
    let end =
      operation.isCancelled
      ? "cancelled" : operation.isOverTime ? "its time limit has passed" : nil
    return ActivityText.sentence(of: operation, in: jobs, masking: secrets)
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
