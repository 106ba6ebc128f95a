import Operations
import ShellLanguage

/// `queue remove`: takes a queue away.
enum QueueRemove: Command {
  static let signature = CommandSignature(
    path: ["queue", "remove"],
    summary: "Removes a queue that nothing is on",
    discussion: """
      A queue with unfinished operations is not removed; 'queue drain' or 'queue cancel' empties \
      it. The default queue stays.
      """,
    positionals: [.init("queue", .name("queue"), help: "the queue")],
    examples: [.init("queue new spare; queue remove spare; queue", "made and removed")],
    searchTerms: ["delete", "destroy"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue()
    let call = invocation.call
    if invocation.session.group(of: queue) != nil {
      throw call.failure(
        "queue-of-group", "'\(queue.name)' is the queue of a group and goes with it", at: "queue")
    }
    guard queue.name != QueueRegistry.defaultName else {
      throw call.failure("default-queue", "the default queue can't be removed", at: "queue")
    }
    let held = invocation.session.operations.heldCount(for: queue)
    let count = queue.operationCount + held
    guard count == 0 else {
      let which =
        held == count ? "held for it" : held > 0 ? "unfinished or held for it" : "unfinished"
      throw call.failure(
        "queue-not-empty",
        "'\(queue.name)' has \(count) \(count == 1 ? "operation" : "operations") \(which)",
        at: "queue", help: help(queue, held: held))
    }
    invocation.session.queues.remove(queue)
    return .null
  }

  private static func help(_ queue: InspectableQueue, held: Int) -> String {
    if held > 0 { return "'start' puts what is held on its queue, where it can be waited for" }
    return queue.isSuspended
      ? "'queue resume \(queue.name)' lets them start, and 'queue drain \(queue.name)' waits for them"
      : "'queue drain \(queue.name)' waits for them"
  }
}
