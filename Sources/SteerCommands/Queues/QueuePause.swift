import CommandParts
import ShellLanguage
import ShellSession

/// `queue pause`: pauses a queue.
enum QueuePause: Command {
  static let queue = Positional<QueueName?>.queues

  static let path = ["queue", "pause"]
  static let declaration = CommandDeclaration(
    summary: "Pauses a queue, so that no further operation starts",
    discussion: """
      Executing operations continue.
      """,
    positionals: [queue],
    examples: [.init("queue pause; delay 10ms; why last; queue resume", "paused, then resumed")],
    searchTerms: ["suspend", "stop", "hold", "isSuspended"])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.setSuspended(true, "paused", of: Self.queue)
  }
}
