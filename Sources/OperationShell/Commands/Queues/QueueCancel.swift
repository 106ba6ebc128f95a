import Operations
import ShellLanguage

/// `queue cancel`: cancels all that is on it.
enum QueueCancel: Command {
  static let signature = CommandSignature(
    path: ["queue", "cancel"],
    summary: "Cancels every unfinished operation of a queue",
    discussion: """
      As 'cancel' does: asked now, finished when the queue gets to it.
      """,
    positionals: [.queue],
    examples: [.init("delay 10s --count 3; queue cancel; wait", "all three")],
    searchTerms: ["stop", "kill", "cancelAllOperations"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue()
    ObservableOperation.cancelAll(
      invocation.session.withMembers(queue.operations), by: "'queue cancel \(queue.name)'")
    return .object(QueueObject(queue))
  }
}
