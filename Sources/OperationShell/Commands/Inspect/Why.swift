import Networking
import Operations
import ShellLanguage
import Terminal

/// `why`: what an operation waits for, down to the root.
enum Why: Command {
  static let signature = CommandSignature(
    path: ["why"],
    summary: "Says why an operation is not running now",
    discussion: """
      The nearest reason comes first, the root of it last: a paused or full queue and who holds \
      its slots, unmet dependencies and their own reasons, a width of 0, not being on a queue. \
      Where a command would help, it is named.
      """,
    positionals: [
      .init(
        "operation", .name("operation"), .oneOrMore,
        help: "an id, a name, a pattern, 'last'")
    ],
    examples: [
      .init("queue pause; delay 10ms; why last", "the queue is paused"),
      .init("delay 20ms; delay 10ms --after delay-1; why last", "a dependency is not finished"),
    ],
    searchTerms: ["stuck", "waiting", "blocked", "reason", "explain", "hang"])

  static func run(_ invocation: Invocation) throws -> Value {
    for operation in try invocation.operations("operation") {
      let reasons = operation.waitReasons()
      if invocation.isJSON {
        invocation.object("why", fields(of: operation, reasons))
      } else {
        lines(for: operation, reasons).forEach(invocation.print)
      }
    }
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }

  private static func fields(
    of operation: ObservableOperation, _ reasons: [WaitReason]
  ) -> JSONFields {
    [
      "operation": OperationDescription.reference(to: operation).value,
      "reasons": .array(
        reasons.map { reason in
          JSONFields([
            .init(name: "code", value: .string(reason.code.rawValue)),
            .init(name: "text", value: .string(reason.text)),
            .init(name: "subject", value: .string(reason.subject.joined(separator: ", "))),
            .init(name: "cure", value: .optional(reason.cure)),
          ]).value
        }),
    ]
  }

  /// One line per reason, indented by how far it is from the operation.
  static func lines(
    for operation: ObservableOperation, _ reasons: [WaitReason]
  ) -> [StyledText] {
    let name = StyledText(VisibleText.escape(operation.displayName), style: .bold)
    guard !reasons.isEmpty else {
      switch operation.state {
      case .finished:
        return [name + " has finished: " + OperationTable.outcome(of: operation)]
      case .executing:
        return [name + " is executing; nothing keeps it"]
      case .created, .pending, .ready:
        return [name + " is about to start; nothing keeps it"]
      }
    }
    let head =
      name + " is " + OperationTable.state(of: operation) + " and does not run because"
    return [head]
      + reasons.map { reason in
        let indent = String(repeating: "  ", count: min(reason.depth, 20) + 1)
        let text = StyledText(indent + VisibleText.escape(reason.text))
        guard let cure = reason.cure else { return text }
        return text + StyledText("  → " + cure, style: TextStyle(color: .cyan))
      }
  }
}

extension WaitReason {
  /// The command that would end this reason, where one would.
  var cure: String? {
    switch code {
    case .queuePaused: queue.map { "queue resume \($0)" }
    case .widthZero: queue.map { "queue width \($0) 1" }
    case .notOnQueue: subject.first.map { "start \($0)" }
    case .queueFull: queue.map { "queue width \($0) unlimited" }
    default: nil
    }
  }
}
