import CommandParts
import ShellLanguage
import ShellSession

/// `queue drain`: waits until a queue is empty.
enum QueueDrain: Command {
  static let queue = Positional<QueueName?>.queue

  static let path = ["queue", "drain"]
  static let declaration = CommandDeclaration(
    summary: "Waits until a queue is empty",
    discussion: """
      Operations added during the wait are waited for too. If one can never start, because the \
      queue is paused or has width 0, the command fails with the reasons, as 'wait' does.
      """,
    positionals: [queue],
    options: Wait.options,
    examples: [.init("delay 10ms --count 3; queue drain", "all three have finished")],
    searchTerms: ["wait", "empty", "finish", "waitUntilAllOperationsAreFinished"],
    traits: [.waits])

  static func run(_ invocation: Invocation) throws -> Value {
    try Wait.wait(forQueue: try invocation.queue(queue, allowsFinished: true), invocation)
  }
}
