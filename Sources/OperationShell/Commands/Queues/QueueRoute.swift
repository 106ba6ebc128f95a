import Operations
import ShellLanguage
import Terminal

/// `queue route`: which queue the operations of each API go to.
enum QueueRoute: Command {
  static let signature = CommandSignature(
    path: ["queue", "route"],
    summary: "Shows or sets which queue the operations of an API go to by themselves",
    discussion: """
      Each API manager has its queue, so that work of the system and work of the user are apart. \
      '--queue' is stronger than a route, and so is the group that an operation is built in. \
      Without a route an operation goes to the queue in use; 'none' takes a route away.
      """,
    positionals: [
      .init("kind", .choice(QueueRegistry.routeKinds), .optional, help: "what is built"),
      .init("queue", .name("queue"), .optional, help: "where it goes, or 'none'"),
    ],
    examples: [
      .init(
        "queue route answers system; fetch answers --pagesize 1; fetch questions --pagesize 1; wait",
        "answers on one queue, questions on another"),
      .init("queue route", "all routes"),
    ],
    searchTerms: ["manager", "default", "api", "network", "system", "direct"])

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    guard let kind = invocation.call.string("kind") else {
      var table = Table(columns: [.init("kind"), .init("queue")])
      for kind in QueueRegistry.routeKinds {
        let queue = session.queues.route(of: kind)
        table.rows.append([
          StyledText(kind),
          queue.map { StyledText(VisibleText.escape($0.name)) }
            ?? StyledText("\(session.queues.inUse.name), the one in use", style: .dim),
        ])
      }
      invocation.print(table)
      return .null
    }
    guard invocation.call.has("queue") else {
      let queue = session.queues.route(of: kind)
      invocation.print(StyledText(VisibleText.escape(queue?.name ?? "none")))
      return queue.map { .object(QueueObject($0)) } ?? .null
    }
    if invocation.call.string("queue") == "none" {
      session.queues.setRoute(of: kind, to: nil)
      return .null
    }
    let queue = try invocation.queue()
    guard session.group(of: queue) == nil else {
      throw invocation.call.failure(
        "queue-of-group", "'\(queue.name)' is the queue of a group and goes with it", at: "queue")
    }
    session.queues.setRoute(of: kind, to: queue)
    return .object(QueueObject(queue))
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    argument == "queue" ? [CompletionCandidate("none", summary: "take the route away")] : []
  }
}
