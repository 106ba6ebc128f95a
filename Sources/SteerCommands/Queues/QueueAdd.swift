import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `queue add`: adds held operations to a queue.
enum QueueAdd: Command {
  static let operation = Positional<[OperationName]>.operations
  static let queue = Positional<QueueName>("queue", help: "queue to add them to")

  static let path = ["queue", "add"]
  static let declaration = CommandDeclaration(
    summary: "Adds operations built with '--hold' to a queue",
    discussion: """
      It is the 'addOperation' of Foundation: the operation need not be held for this queue. An \
      operation is on one queue only, and once: to add one again, or to a second queue, is an error \
      here, and ends the process with Foundation. A queue of Foundation takes only what was built \
      for it.
      """,
    positionals: [operation, queue],
    examples: [
      .init(
        "queue new slow --width 1; delay 10ms --name a --hold; queue add a slow; wait; show a",
        "held for 'network', and added to 'slow'")
    ],
    searchTerms: ["addOperation", "addOperations", "enqueue", "move", "hold"])

  static func run(_ invocation: Invocation) throws -> Value {
    let operations = try invocation.operations(operation)
    let queue = try invocation.queue(Self.queue)
    try invocation.refuseWhileTerminated()
    // All are checked before the first one is added, so that a refusal changes nothing.
    for operation in operations { try check(operation, queue, invocation) }
    try HeldOperations(operations, at: operation, invocation).add { _ in queue }
    return .object(QueueObject(queue))
  }

  private static func check(
    _ operation: ObservableOperation, _ queue: InspectableQueue, _ invocation: Invocation
  ) throws {
    try HeldOperations.refuseUnderConstruction(operation, at: Self.operation, invocation)
    if operation.state == .created {
      guard queue.isClosed else { return }
      throw invocation.call.failure(QueueError.groupFinished(name: queue.name), at: Self.queue)
    }
    let name = operation.displayName
    let error: QueueError =
      switch operation.state {
      case .finished: .finished(name: name)
      case .executing where operation.queue == nil: .executing(name: name)
      default: .alreadyOnQueue(name: name, queue: operation.queueName ?? "")
      }
    let way = operation.state == .finished ? "; 'retry \(name)' builds another" : ""
    throw invocation.call.failure(
      error, at: Self.operation,
      help: "Foundation ends the process here: '\(foundationMessage)'" + way)
  }

  /// The message of Foundation's fatal error.
  private static let foundationMessage =
    "operations finished, executing or already in a queue cannot be enqueued"

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state == .created }
}
