import Operations
import ShellLanguage

/// `queue barrier`: what comes before it finishes first, and what comes after waits for it.
enum QueueBarrier: Command {
  static let signature = CommandSignature(
    path: ["queue", "barrier"],
    summary: "Builds an operation as a barrier of a queue",
    discussion: """
      It starts when everything that was added to the queue before it has finished, whatever the \
      priorities, and nothing that is added later starts before it has finished. Without a block \
      it does nothing but that.
      """,
    positionals: [
      .queue,
      .init("body", .block, .optional, help: "what it does, in braces"),
    ],
    options: BuildOptions.options(without: ["queue", "priority", "count"]),
    examples: [
      .init(
        "delay 10ms --count 2; queue barrier; delay 5ms --name after; wait; why after",
        "two, then the barrier, then one"),
      .init(
        "delay 5ms; queue barrier network { echo \"all before is done\" }; wait", "with a body"),
    ],
    searchTerms: ["addBarrierBlock", "fence", "order", "join"], blockIsBody: true)

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    let body = invocation.call.block("body")
    let captured = invocation.context.captured()
    return try invocation.build(kind: "barrier", isBarrier: true) { name in
      guard let body else {
        return DelayOperation(name: name, kind: "barrier", duration: .zero, log: session.log)
      }
      return session.blockOperation(body, captured, name: name, kind: "barrier")
    }
  }
}
