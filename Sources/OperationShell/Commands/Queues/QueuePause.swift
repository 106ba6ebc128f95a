import Operations
import ShellLanguage

/// `queue pause`: starts nothing new.
enum QueuePause: Command {
  static let signature = CommandSignature(
    path: ["queue", "pause"],
    summary: "Pauses a queue: nothing new starts",
    discussion: """
      What executes goes on to its end.
      """,
    positionals: [.queue],
    examples: [.init("queue pause; delay 10ms; why last; queue resume", "paused, then resumed")],
    searchTerms: ["suspend", "stop", "hold", "isSuspended"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue()
    queue.isSuspended = true
    return .object(QueueObject(queue))
  }
}
