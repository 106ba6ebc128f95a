import CommandParts
import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshTerminal

/// `queue order`: shows the order in which a queue will start its operations.
enum QueueOrder: Command {
  static let queue = Positional<QueueName?>.queue

  static let path = ["queue", "order"]
  static let declaration = CommandDeclaration(
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

  static func canLookBack(_ call: CommandCall) -> Bool { true }

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    let order = queue.predictedOrder()
    guard !order.isEmpty else {
      invocation.printNothing("nothing is on '\(queue.name)'")
      return .list([])
    }
    let value = Value.list(
      order.map { .object(OperationObject($0, clock: invocation.jobs.clock)) })
    if invocation.isJSON {
      for (index, operation) in order.enumerated() {
        invocation.object(.order, fields(of: operation, place: index + 1))
      }
      return value
    }
    var table = Table(columns: [
      .init("", alignment: .trailing), .init("name", isFlexible: true), .init("state"),
      .init("priority"), .init("waits for", isFlexible: true),
    ])
    var blockers = FirstBlockers()
    for (index, operation) in order.enumerated() {
      table.rows.append([
        StyledText(String(index + 1)),
        StyledText(VisibleText.escape(operation.displayName), style: .bold),
        OperationTable.state(of: operation), StyledText(operation.queuePriority.shellName),
        StyledText(waits(of: operation, &blockers, invocation.jobs)),
      ])
    }
    invocation.print(table)
    return value
  }

  private static func waits(
    of operation: ObservableOperation, _ blockers: inout FirstBlockers, _ jobs: Jobs
  ) -> String {
    let names = OperationList.names(unmet(of: operation))
    guard names.isEmpty, operation.state == .pending || operation.obstacle != nil,
      let first = WhyReason.first(of: operation, &blockers, in: jobs),
      first.cause == .foundation || first.cause == .readiness
    else { return names }
    return first.words
  }

  private static func unmet(of operation: ObservableOperation) -> [ObservableOperation] {
    operation.ignoresDependencies
      ? [] : operation.upstream.map(\.operation).filter { $0.state != .finished }
  }

  private static func fields(
    of operation: ObservableOperation, place: Int
  ) -> [String: JSONValue] {
    [
      "place": .number(place), "operation": OperationDescription.reference(to: operation).value,
      "state": .string(operation.state.rawValue),
      "priority": .string(operation.queuePriority.shellName),
      "waits": .array(
        unmet(of: operation).map { OperationDescription.reference(to: $0).value }),
    ]
  }
}

extension ObjectKind {
  package static let order = ObjectKind(
    type: "order", commands: "`queue order`, one for each operation",
    keys: [
      ("place", "its place in the order, from 1"), operation, state, ("priority", "its priority"),
      ("waits", "the unfinished operations that it depends on, a list of `{id, name}`"),
    ])
}
