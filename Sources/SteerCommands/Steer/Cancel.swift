import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `cancel`: cancels operations.
enum Cancel: Command {
  static let operation = Positional<[OperationName]>.steeredOperations

  static let path = ["cancel"]
  static let declaration = CommandDeclaration(
    summary: "Cancels operations",
    discussion: """
      Cancelling sets a flag; the operation ends when it notices: an executing request or delay \
      at once, a block when its body returns, and an operation that has not started when its \
      queue gets to it. A finished operation stays as it is, and the command says so. Cancelling \
      a group cancels all its operations. 'cancel all' cancels every unfinished operation, \
      'cancel ready' the ready ones, and 'cancel --where (priority == low)' those for which the \
      expression holds; it is not an error if there are none.
      """,
    positionals: [operation], options: [Invocation.condition],
    examples: [
      .init("delay 10s; cancel last; wait", "one operation"),
      .init("delay 10s --count 3; cancel delay-*; wait", "by pattern"),
      .init("delay 10s --count 3; cancel ready; ops; cancel all; wait", "those without a slot"),
      .init(
        "delay 10s --count 3; cancel --where (state == executing and id > 1); cancel all; wait",
        "by an expression"),
    ],
    searchTerms: ["stop", "kill", "abort", "end"], traits: [.waits])

  static func run(_ invocation: Invocation) throws -> Value {
    // Before one of them finishes because of this.
    try invocation.tellFinished(of: operation)
    // The flags are set together, or other operations would start in the slots that become free.
    ObservableOperation.cancelAll(
      invocation.jobs.withMembers(try invocation.operations(operation)),
      by: invocation.requester("'cancel'"))
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }
}
