import CommandParts
import Foundation
import Operations
import ShellLanguage
import ShellSession

/// `priority`: sets the place of operations among the ready ones.
enum Priority: Command {
  static let operation = Positional<[OperationName]>.operations
  static let level = Positional<Operation.QueuePriority>("level", help: "new priority")

  static let path = ["priority"]
  static let declaration = CommandDeclaration(
    summary: "Sets the priority of operations",
    discussion: """
      Among ready operations the highest priority starts first; equal priorities start in the \
      order of adding; one whose priority is changed comes after those that have the new priority \
      already. It has no effect on an operation that executes or has finished; of a finished one \
      the command says so.
      """,
    positionals: [operation, level],
    examples: [
      .init(
        "queue pause; delay 10ms --count 3; priority delay-3 high; queue order; queue resume",
        "the third goes first")
    ],
    searchTerms: ["order", "urgent", "important", "queuePriority"])

  static func run(_ invocation: Invocation) throws -> Value {
    let operations = try invocation.operations(operation)
    let level = invocation.call[Self.level]
    invocation.jobs.engine.withoutStarting {
      for operation in operations { operation.queuePriority = level }
    }
    try invocation.tellFinished(of: operation)
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }
}
