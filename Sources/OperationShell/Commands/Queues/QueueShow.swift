import Operations
import ShellLanguage
import Terminal

/// `queue show`: one queue and what is on it.
enum QueueShow: Command {
  static let signature = CommandSignature(
    path: ["queue", "show"],
    summary: "Shows a queue and its unfinished operations",
    positionals: [.queue],
    examples: [
      .init("queue pause; delay 10ms --count 2; queue show; queue resume", "two are ready")
    ],
    searchTerms: ["inspect", "status", "operations"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue()
    if invocation.isJSON {
      invocation.object("queue", queue.fields)
      QueueList.tellPace(of: queue, invocation)
    } else {
      let session = invocation.session
      invocation.print(QueueList.table([queue], inUse: session.queues.inUse))
      QueueList.tellAdapting(of: queue, invocation)
      let operations = queue.operations
      if !operations.isEmpty {
        invocation.print("")
        invocation.print(OperationTable.table(operations, clock: session.clock))
      }
    }
    return .object(QueueObject(queue))
  }
}
