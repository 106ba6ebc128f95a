import Operations
import ShellLanguage
import ShellSession
import Terminal

/// `queue order`: shows the order in which a queue will start its operations.
enum QueueOrder: Command {
  static let queue = Positional<QueueName?>.queue

  static let signature = CommandSignature(
    path: ["queue", "order"],
    summary: "Shows the order in which a queue will start its operations",
    discussion: """
      Executing operations come first, then ready ones by priority and order of adding, and \
      pending ones where those that they wait for would have finished if all took equally long. It \
      is a prediction: the real order also depends on how long each takes, on delays and exclusive \
      names, and on later changes.
      """,
    positionals: [queue],
    examples: [
      .init(
        "queue pause; delay 10ms; delay 10ms --priority high; queue order; queue resume",
        "the second goes first")
    ],
    searchTerms: ["next", "plan", "predict", "priority"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    let order = queue.predictedOrder()
    guard !order.isEmpty else {
      invocation.printNothing("nothing is on '\(queue.name)'")
      return .list([])
    }
    var table = Table(columns: [
      .init("", alignment: .trailing), .init("name", isFlexible: true), .init("state"),
      .init("priority"), .init("waits for", isFlexible: true),
    ])
    for (index, operation) in order.enumerated() {
      let unmet = operation.upstream.map(\.operation).filter { $0.state != .finished }
      table.rows.append([
        StyledText(String(index + 1)),
        StyledText(VisibleText.escape(operation.displayName), style: .bold),
        OperationTable.state(of: operation), StyledText(operation.queuePriority.shellName),
        StyledText(OperationList.names(unmet)),
      ])
    }
    if !order.isEmpty { invocation.print(table) }
    return .list(order.map { .object(OperationObject($0, clock: invocation.session.clock)) })
  }
}
