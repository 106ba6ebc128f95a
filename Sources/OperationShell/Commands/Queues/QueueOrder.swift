import Operations
import ShellLanguage
import Terminal

/// `queue order`: in which order a queue will start what is on it.
enum QueueOrder: Command {
  static let signature = CommandSignature(
    path: ["queue", "order"],
    summary: "Shows in which order a queue is going to start its operations",
    discussion: """
      What executes comes first, then ready operations by priority and order of adding, then \
      pending ones, as their dependencies let them. How long each takes is not known, nor when a \
      delay or a name lets one start, and what is added or changed later may change it too.
      """,
    positionals: [.queue],
    examples: [
      .init(
        "queue pause; delay 10ms; delay 10ms --priority high; queue order; queue resume",
        "the second goes first")
    ],
    searchTerms: ["next", "plan", "predict", "priority"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue()
    let order = queue.predictedOrder()
    guard !order.isEmpty else {
      invocation.printNothing("nothing is on '\(queue.name)'")
      return .list([])
    }
    var table = Table(columns: [
      .init("", alignment: .trailing), .init("name"), .init("state"), .init("priority"),
      .init("waits for", isFlexible: true),
    ])
    for (index, operation) in order.enumerated() {
      let unmet = operation.upstream.map(\.operation).filter { $0.state != .finished }
      table.rows.append([
        StyledText(String(index + 1)),
        StyledText(VisibleText.escape(operation.displayName), style: .bold),
        OperationTable.state(of: operation), StyledText(operation.queuePriority.shellName),
        StyledText(OperationTable.names(unmet)),
      ])
    }
    if !order.isEmpty { invocation.print(table) }
    return .list(order.map { .object(OperationObject($0, clock: invocation.session.clock)) })
  }
}
