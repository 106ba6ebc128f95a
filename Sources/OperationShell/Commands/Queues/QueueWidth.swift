import Operations
import ShellLanguage

/// `queue width`: how many operations of a queue may execute at once.
enum QueueWidth: Command {
  static let signature = CommandSignature(
    path: ["queue", "width"],
    summary: "Sets how many operations of a queue may execute at once",
    discussion: """
      0 holds the queue; 'unlimited' takes the limit away. A smaller width interrupts nothing: \
      what executes goes on, and nothing starts until fewer do.
      """,
    positionals: [
      .init("queue", .name("queue"), .optional, help: "the queue; the one in use if left out"),
      .init("width", kind, help: "a number, or 'unlimited'"),
    ],
    examples: [
      .init("queue width 1; delay 10ms --count 3; wait", "one after the other"),
      .init("queue width network unlimited; queue", "all at once"),
    ],
    searchTerms: ["maxConcurrentOperationCount", "parallel", "concurrency", "limit", "slots"])

  /// What a width can be.
  static let kind = ArgumentKind.oneOf([.integer(minimum: 0), .choice(["unlimited"])])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue()
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
