import CommandParts
import Operations
package import ShellLanguage
import ShellOutput
import ShellSession

/// `queue width`: sets how many operations of a queue may execute at once.
enum QueueWidth: Command {
  static let queue = Positional<QueueName?>.queue
  static let width = Positional<String>(
    "width", .oneOf([.integer(minimum: -1), .choice(["unlimited", "auto"])]),
    help: "a number, 'unlimited' or -1, or 'auto'")

  static let path = ["queue", "width"]
  static let declaration = CommandDeclaration(
    summary: "Sets how many operations of a queue may execute at once",
    discussion: """
      With 0 nothing starts; 'unlimited', or Foundation's -1, removes the limit. A smaller width interrupts nothing: \
      executing operations continue, and none starts until fewer than the width execute. With \
      'auto' the queue adapts to its requests: the width starts at 6, and grows to 16 at most. It \
      is halved when more than a third of the requests are refused (503, connections refused or \
      lost, timeouts), and grows again by one at a time. A server that answers that requests come \
      too fast (429) lowers the pace, which grows again slowly. 'queue', 'queue show' and 'why' \
      show the last reason; a number ends all that, and 'queue pace' sets the pace alone.
      """,
    positionals: [queue, width],
    examples: [
      .init("queue width 1; delay 10ms --count 3; wait", "one after the other"),
      .init("queue width network unlimited; queue", "all at once"),
      .init(
        "queue width auto; fetch questions --count 30; wait; queue",
        "as many as the server accepts"),
    ],
    searchTerms: [
      "maxConcurrentOperationCount", "parallel", "adaptive", "bandwidth", "concurrency", "limit",
      "slots", "rate limit", "429",
    ],
    rules: [ArgumentRule { refusal(of: $0.texts(of: queue).first?.text, $0) }])

  private static func refusal(of queue: String?, _ call: CommandCall) -> Diagnostic? {
    guard queue == QueueRegistry.mainName else { return nil }
    return call.failure(
      .fixedWidth, "the queue 'main' has one thread, and its width is always 1", at: width)
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    if let refusal = refusal(of: queue.name, invocation.call) { throw refusal }
    let adapting = invocation.jobs.adapting
    let written = invocation.call[Self.width]
    if written == "auto" {
      guard queue.driver == nil else {
        throw QueueError.driver(queue: queue.name, reason: "its width is what is set")
      }
      adapting.begin(queue)
      let width = QueueText.text(width: queue.maxConcurrentOperationCount)
      invocation.screen.tell(
        "queue width", "queue \(queue.name) adapts its width, \(width) at first")
      return .object(QueueObject(queue))
    }
    adapting.end(queue)
    let (old, width) = (queue.maxConcurrentOperationCount, QueueText.width(written))
    invocation.run.drainIfInterpreter()
    try queue.setWidth(width)
    invocation.show(
      .number(old), .number(width), "maxConcurrentOperationCount", of: queue,
      text: "width \(QueueText.text(width: old)) → \(QueueText.text(width: width))")
    return .object(QueueObject(queue))
  }
}

extension ErrorPage {
  package static let fixedWidth = ErrorPage(
    "fixed-width", "The width of the queue 'main' cannot be changed",
    "Its operations run on the interpreter's thread, one at a time. Foundation ignores a change of "
      + "the width of 'OperationQueue.main' too.", help: "'queue new NAME --width N' makes another",
    wrong: "queue width main 4", right: "queue width network 4")
}
