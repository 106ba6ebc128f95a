import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `queue barrier`: separates the operations added before it from those added after it.
enum QueueBarrier: BuildCommand {
  static let queue = Positional<QueueName?>.queue
  static let body = Positional<Block?>("body", help: "statements that it runs, in braces")
  static let kind = OperationKind("barrier")

  static let path = ["queue", "barrier"]
  static let declaration = CommandDeclaration(
    summary: "Builds an operation as a barrier of a queue",
    discussion: """
      It starts when every operation added to the queue before it has finished, whatever the \
      priorities. An operation added after it starts when the barrier has finished. Without a \
      block it does nothing else.
      """,
    positionals: [queue, body],
    options: BuildOptions.all(
      without: BuildOptions.queue, BuildOptions.priority, BuildOptions.count),
    examples: [
      .init(
        "delay 10ms --count 2; queue barrier; delay 5ms --name after; wait; why after",
        "two operations, then the barrier, then one operation"),
      .init(
        "delay 5ms; queue barrier network { echo \"all before is done\" }; wait",
        "a barrier with a body"),
    ],
    searchTerms: ["addBarrierBlock", "fence", "order", "join"], traits: [.blockIsBody])

  static func run(_ invocation: Invocation) throws -> Value {
    let body = invocation.call[Self.body]
    let captured = invocation.context.captured()
    return try invocation.build(kind, isBarrier: true) { name in
      guard let body else {
        return DelayOperation(
          name: name, kind: kind.name, duration: .zero, engine: invocation.jobs.engine)
      }
      return invocation.run.blockOperation(body, captured, name: name, kind: kind.name)
    }
  }
}
