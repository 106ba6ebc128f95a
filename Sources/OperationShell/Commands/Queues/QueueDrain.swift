import Operations
import ShellLanguage

/// `queue drain`: waits until nothing is on the queue any more.
enum QueueDrain: Command {
  static let signature = CommandSignature(
    path: ["queue", "drain"],
    summary: "Waits until a queue is empty",
    discussion: """
      What is added meanwhile is waited for as well. A queue that is paused or held never gets \
      empty: that is an error with its reasons, as for 'wait'.
      """,
    positionals: [.queue],
    options: Wait.options,
    examples: [.init("delay 10ms --count 3; queue drain", "all three have finished")],
    searchTerms: ["wait", "empty", "finish", "waitUntilAllOperationsAreFinished"])

  static func run(_ invocation: Invocation) throws -> Value {
    try Wait.wait(forQueue: try invocation.queue(allowsFinished: true), invocation)
  }
}
