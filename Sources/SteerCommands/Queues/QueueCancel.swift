import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `queue cancel`: cancels all operations of a queue.
enum QueueCancel: Command {
  static let queue = Positional<QueueName?>.queue

  static let path = ["queue", "cancel"]
  static let declaration = CommandDeclaration(
    summary: "Cancels every unfinished operation of a queue",
    discussion: """
      Like 'cancel', it sets a flag; each operation ends when it notices.
      """,
    positionals: [queue],
    examples: [.init("delay 10s --count 3; queue cancel; wait", "all three")],
    searchTerms: ["stop", "kill", "cancelAllOperations"], traits: [.waits])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    ObservableOperation.cancelAll(
      invocation.jobs.withMembers(queue.operations),
      by: invocation.requester("'queue cancel \(queue.name)'"))
    return .object(QueueObject(queue))
  }
}
