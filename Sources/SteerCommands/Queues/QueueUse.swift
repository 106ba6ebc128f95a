import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `queue use`: sets the default queue.
enum QueueUse: Command {
  static let queue = Positional<QueueName>("queue", help: "queue to use by default")

  static let path = ["queue", "use"]
  static let declaration = CommandDeclaration(
    summary: "Sets the default queue",
    discussion: """
      It becomes the queue in use: new operations are added to it, and queue commands without a \
      name work on it.
      """,
    positionals: [queue],
    examples: [
      .init("queue new slow --width 1; queue use slow; delay 10ms; wait", "the delay is on slow")
    ],
    searchTerms: ["default", "select", "switch"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    if let group = invocation.jobs.group(of: queue) {
      throw invocation.call.failure(
        .queueOfGroup,
        "'\(queue.name)' is the queue of group '\(group.displayName)' and goes with it",
        at: Self.queue, help: "'--queue \(queue.name)' adds an operation to the group")
    }
    invocation.jobs.queues.use(queue)
    return .object(QueueObject(queue))
  }
}
