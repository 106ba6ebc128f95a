import CommandParts
import ShellLanguage
import ShellSession

/// `queue resume`: resumes a paused queue.
enum QueueResume: Command {
  static let queue = Positional<QueueName?>.queues

  static let path = ["queue", "resume"]
  static let declaration = CommandDeclaration(
    summary: "Resumes a paused queue",
    discussion: """
      Ready operations start at once, up to the width of the queue.
      """,
    positionals: [queue],
    examples: [.init("queue pause; delay 10ms; queue resume; wait", "paused, then resumed")],
    searchTerms: ["continue", "go", "unpause", "isSuspended"])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.setSuspended(false, "resumed", of: Self.queue)
  }
}
