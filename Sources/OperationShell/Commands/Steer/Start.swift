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
    for operation in operations where operation.state != .created {
      throw invocation.call.failure(
        "already-started",
        "'\(operation.displayName)' was started already: it is \(operation.state.rawValue)",
        at: "operation")
    }
    for operation in operations {
      let queue =
        invocation.session.operations.releaseHold(of: operation) ?? invocation.session.queues.inUse
      try queue.addOperation(operation)
    }
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state == .created }
}
