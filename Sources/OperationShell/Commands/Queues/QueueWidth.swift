import Operations
import ShellLanguage

/// `queue width`: how many operations of a queue may execute at once.
enum QueueWidth: Command {
  static let signature = CommandSignature(
    path: ["queue", "width"],
    summary: "Sets how many operations of a queue may execute at once",
    discussion: """
      0 holds the queue; 'unlimited' takes the limit away. A smaller width interrupts nothing: \
      what executes goes on, and nothing starts until fewer do. With 'auto' the width follows \
      what the queue's requests achieve, up to 16, and each change says why; a number ends that.
      """,
    positionals: [
      .init("queue", .name("queue"), .optional, help: "the queue; the one in use if left out"),
      .init(
        "width", .oneOf([.integer(minimum: 0), .choice(["unlimited", "auto"])]),
        help: "a number, 'unlimited', or 'auto'"),
    ],
    examples: [
      .init("queue width 1; delay 10ms --count 3; wait", "one after the other"),
      .init("queue width network unlimited; queue", "all at once"),
      .init("queue width auto; fetch questions --count 30; wait", "as many as bring more"),
    ],
    searchTerms: [
      "maxConcurrentOperationCount", "parallel", "adaptive", "bandwidth", "concurrency", "limit",
      "slots",
    ])

  /// What a width can be.
  static let kind = ArgumentKind.oneOf([.integer(minimum: 0), .choice(["unlimited"])])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue()
    let adapting = invocation.session.adapting
    if invocation.call.string("width") == "auto" {
      adapting.begin(queue)
      let width = text(queue.maxConcurrentOperationCount)
      invocation.session.tell(
        "queue width", "queue \(queue.name) adapts its width, \(width) at first")
      return .object(QueueObject(queue))
    }
    adapting.end(queue)
    let width = try parse(invocation.call.string("width") ?? "", invocation)
    try queue.setWidth(width)
    return .object(QueueObject(queue))
  }

  static func parse(_ text: String, _ invocation: Invocation) throws -> Int {
    if text == "unlimited" { return InspectableQueue.defaultMaxConcurrentOperationCount }
    if let number = Int(text), number >= 0 { return number }
    throw invocation.call.failure(
      "bad-width", "a width is 0 or more, or 'unlimited', and not '\(text)'", at: "width")
  }

  static func text(_ width: Int) -> String {
    width == InspectableQueue.defaultMaxConcurrentOperationCount ? "unlimited" : String(width)
  }
}
