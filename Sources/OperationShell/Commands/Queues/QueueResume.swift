import Operations
import ShellLanguage

/// `queue resume`: lets the queue go on.
enum QueueResume: Command {
  static let signature = CommandSignature(
    path: ["queue", "resume"],
    summary: "Resumes a paused queue",
    discussion: """
      What is ready starts at once, as far as the width goes.
      """,
    positionals: [.queue],
    examples: [.init("queue pause; delay 10ms; queue resume; wait", "paused, then resumed")],
    searchTerms: ["continue", "go", "unpause", "isSuspended"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue()
    queue.isSuspended = false
    return .object(QueueObject(queue))
  }
}
