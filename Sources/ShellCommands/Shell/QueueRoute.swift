import CommandParts
import OpshNetworking
import Operations
import ShellLanguage
package import ShellSession
import OpshTerminal

/// `queue route`: sets the queue of each kind of operations.
enum QueueRoute: Command {
  static let kind = Positional<String?>(
    "kind", .choice(CommandRegistry.routes), help: "kind of operations")
  static let queue = Positional<QueueName?>(
    "queue", .oneOf([.choice(["none"]), .name("queue")]),
    help: "queue of new operations of this kind, or 'none'")

  static let path = ["queue", "route"]
  static let declaration = CommandDeclaration(
    summary: "Shows or sets the default queue of the operations of an API",
    discussion: """
      Routes keep work of the system apart from work of the user. '--queue' overrides a route, and \
      so does the group that an operation is built in. Without a route an operation is added to \
      the queue in use, a group of 'quotes sync' or 'quotes read' to the queue 'quotes'; 'none' \
      removes a route.
      """,
    positionals: [kind, queue],
    examples: [
      .init(
        "queue route answers system; fetch answers --pagesize 1; fetch questions --pagesize 1; wait",
        "answers on one queue, questions on another"),
      .init("queue route", "all routes"),
    ],
    searchTerms: ["manager", "default", "api", "network", "system", "direct"],
    traits: [.worksInReplay])

  static let completions = [
    ParameterCompletion(queue) { _, _ in
      [CompletionCandidate("none", summary: "remove the route")]
    }
  ]

  static func run(_ invocation: Invocation) throws -> Value {
    guard let kind = invocation.call[Self.kind] else {
      if invocation.isJSON {
        for kind in CommandRegistry.routes { print(kind, invocation) }
        return .null
      }
      var table = Table(columns: [.init("kind"), .init("queue")])
      for kind in CommandRegistry.routes {
        let queue = invocation.jobs.queues.route(of: kind)
        table.rows.append([
          StyledText(kind),
          queue.map { StyledText(VisibleText.escape($0.name)) }
            ?? StyledText("\(invocation.jobs.queues.inUse.name), the one in use", style: .dim),
        ])
      }
      invocation.print(table)
      return .null
    }
    guard let name = invocation.call[Self.queue] else {
      let queue = invocation.jobs.queues.route(of: kind)
      if invocation.isJSON {
        print(kind, invocation)
      } else {
        invocation.print(StyledText(VisibleText.escape(queue?.name ?? "none")))
      }
      return queue.map { .object(QueueObject($0)) } ?? .null
    }
    try invocation.refuseInReplay()
    if name.value.text == "none" {
      invocation.jobs.queues.setRoute(of: kind, to: nil)
      return .null
    }
    let queue = try invocation.queue(Self.queue)
    guard invocation.jobs.group(of: queue) == nil else {
      throw invocation.call.failure(
        .queueOfGroup, "'\(queue.name)' is the queue of a group and goes with it", at: Self.queue)
    }
    invocation.jobs.queues.setRoute(of: kind, to: queue)
    return .object(QueueObject(queue))
  }

  /// Prints a route as an object.
  private static func print(_ kind: String, _ invocation: Invocation) {
    let queues = invocation.jobs.queues
    let route = queues.route(of: kind)
    invocation.object(
      .route,
      [
        "kind": .string(kind), "queue": .string((route ?? queues.inUse).name),
        "set": .boolean(route != nil),
      ])
  }
}

extension ObjectKind {
  package static let route = ObjectKind(
    type: "route", commands: "`queue route` and `queue route KIND`, one for each kind",
    keys: [
      ("kind", "the kind of operations"), ("queue", "the name of the queue of new ones"),
      ("set", "whether it is a route; else it is the queue in use"),
    ])
}
