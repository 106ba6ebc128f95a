import Operations
import ShellLanguage

/// `queue use`: chooses the queue in use.
enum QueueUse: Command {
  static let signature = CommandSignature(
    path: ["queue", "use"],
    summary: "Makes a queue the one that is meant where none is named",
    discussion: """
      New operations go there, and queue commands without a name mean it.
      """,
    positionals: [.init("queue", .name("queue"), help: "the queue")],
    examples: [
      .init("queue new slow --width 1; queue use slow; delay 10ms; wait", "the delay is on slow")
    ],
    searchTerms: ["default", "select", "switch"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue()
    if let group = invocation.session.group(of: queue) {
      throw invocation.call.failure(
        "queue-of-group",
        "'\(queue.name)' is the queue of group '\(group.displayName)' and goes with it",
        at: "queue",
        help: "'--queue \(queue.name)' adds an operation to the group")
    }
    invocation.session.queues.use(queue)
    return .object(QueueObject(queue))
  }
}
