import CommandParts
import OpshJSON
import Operations
import ShellLanguage
import ShellSession

/// `queue resume`: resumes a paused queue.
enum QueueResume: Command {
  static let queue = Positional<QueueName?>.queue

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
    let queue = try invocation.queue(Self.queue)
    let old = queue.isSuspended
    invocation.run.drainIfInterpreter()
    queue.isSuspended = false
    invocation.show(.boolean(old), .boolean(false), "isSuspended", of: queue, text: "resumed")
    return .object(QueueObject(queue))
  }
}
