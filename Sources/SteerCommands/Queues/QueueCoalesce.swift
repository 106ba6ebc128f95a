import CommandParts
import Operations
import OpshJSON
import ShellLanguage
import ShellSession

/// `queue coalesce`: lets equal requests of a queue share one transfer.
enum QueueCoalesce: Command {
  static let queue = Positional<QueueName?>.queue
  static let choice = Positional<String>(
    "choice", .choice(["on", "off"]), help: "whether equal requests share a transfer: on or off")

  static let path = ["queue", "coalesce"]
  static let declaration = CommandDeclaration(
    summary: "Lets a request join an equal one that is in flight",
    discussion: """
      A GET or HEAD request of the queue, or of a group on it, is not sent while an equal one is \
      in flight: one with the same method, address, headers and limits. It joins that one when it \
      has its slot, which it keeps, and gets the same response. It has its own time limit. If the \
      request fails, all fail, and each is retried by its own '--retry'. If the operation that \
      sent it is cancelled, the next one takes the request over; when all are cancelled, it is \
      cut. '--coalesce' does the same for one command. A request without either can be joined \
      until its response begins, and none of which more than 16 MiB have come.
      """,
    positionals: [queue, choice],
    examples: [
      .init(
        "queue coalesce network on; fetch questions --count 2; wait; server log",
        "two operations, one request"),
      .init("queue coalesce off", "each request is sent again"),
    ],
    searchTerms: [
      "duplicate", "duplicates", "dedupe", "deduplicate", "same", "identical", "share", "join",
      "collapse", "in flight", "single flight", "coalescing",
    ])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    let (old, new) = (queue.coalescesRequests, invocation.call[choice] == "on")
    invocation.run.drainIfInterpreter()
    queue.coalescesRequests = new
    invocation.show(
      .boolean(old), .boolean(new), "coalescesRequests", of: queue,
      text: new ? "coalesce on" : "coalesce off",
      reason: new ? "equal requests share the one in flight" : "each request is sent")
    return .object(QueueObject(queue))
  }
}
