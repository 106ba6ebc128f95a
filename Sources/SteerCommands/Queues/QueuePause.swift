import CommandParts
import OpshJSON
import Operations
import ShellLanguage
import ShellSession

/// `queue pause`: pauses a queue.
enum QueuePause: Command {
  static let queue = Positional<QueueName?>.queue

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
    let queue = try invocation.queue(Self.queue)
    let old = queue.isSuspended
    invocation.run.drainIfInterpreter()
    queue.isSuspended = true
    invocation.show(.boolean(old), .boolean(true), "isSuspended", of: queue, text: "paused")
    return .object(QueueObject(queue))
  }
}
