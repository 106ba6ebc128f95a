import Operations
import ShellLanguage

/// `start`: puts held operations on their queues.
enum Start: Command {
  static let signature = CommandSignature(
    path: ["start"],
    summary: "Puts operations that were built with '--hold' on their queues",
    discussion: "An operation is started once; starting it again is an error.",
    positionals: [
      .init(
        "operation", .name("operation"), .oneOrMore,
        help: "ids, names, patterns, 'last'")
    ],
    examples: [.init("delay 10ms --hold; start last; wait", "held, then started")],
    searchTerms: ["begin", "run", "enqueue", "release", "hold"])

  static func run(_ invocation: Invocation) throws -> Value {
    let operations = try invocation.operations("operation")
    // Looked at before the first one starts, so that a refusal changes nothing.
    try invocation.refuseWhileTerminated()
    for operation in operations { try check(operation, invocation) }
    for operation in operations {
      let hold = invocation.session.operations.hold(of: operation)
      let queue = hold?.queue ?? invocation.session.queues.inUse
      if hold?.isBarrier == true {
        try invocation.session.addBarrier(operation, to: queue)
      } else {
        try queue.addOperation(operation)
      }
      // Only now, so that one that is refused is held as before.
      invocation.session.operations.releaseHold(of: operation)
    }
    return .null
  }

  private static func check(_ operation: ObservableOperation, _ invocation: Invocation) throws {
    let name = operation.displayName
    if invocation.session.operations.isUnderConstruction(operation) {
      throw invocation.call.failure(
        "under-construction", "'\(name)' is still being built", at: "operation",
        help: "a group is added to its queue when its block has run")
    }
    if operation.state == .created {
      let queue = invocation.session.operations.destination(of: operation)
      guard let queue, queue.isClosed else { return }
      let error = QueueError.groupFinished(name: queue.name)
      throw invocation.call.failure(error.code, error.message, at: "operation")
    }
    let held = operation.enclosingGroups.first { $0.state == .created }
    throw invocation.call.failure(
      "already-started", "'\(name)' was started already: it is \(operation.state.rawValue)",
      at: "operation",
      help: held.map { "it waits for its group: 'start \($0.displayName)'" })
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state == .created }
}
