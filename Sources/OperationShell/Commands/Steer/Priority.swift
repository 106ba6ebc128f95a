import Foundation
import Operations
import ShellLanguage

/// `priority`: changes the place of operations among those that are ready.
enum Priority: Command {
  static let signature = CommandSignature(
    path: ["priority"],
    summary: "Sets the priority of operations",
    discussion: """
      Among ready operations the highest priority starts first, then the order of adding. An \
      operation that already executes, or has finished, is not moved any more.
      """,
    positionals: [
      .init(
        "operation", .name("operation"), .oneOrMore,
        help: "ids, names, patterns, 'last' or 'all'"),
      .init(
        "level", .choice(Operation.QueuePriority.shellNames.map(\.name)),
        help: "the new priority"),
    ],
    examples: [
      .init(
        "queue pause; delay 10ms --count 3; priority delay-3 high; queue order; queue resume",
        "the third goes first")
    ],
    searchTerms: ["order", "urgent", "important", "queuePriority"])

  static func run(_ invocation: Invocation) throws -> Value {
    let operations = try invocation.operations("operation")
    guard
      let level = invocation.call.string("level").flatMap(Operation.QueuePriority.init(shellName:))
    else { return .null }
    for operation in operations { operation.queuePriority = level }
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }
}
