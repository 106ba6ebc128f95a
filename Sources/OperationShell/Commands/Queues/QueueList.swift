import Operations
import ShellLanguage
import Terminal

/// `queue`: all queues at a glance.
enum QueueList: Command {
  static let signature = CommandSignature(
    path: ["queue"],
    summary: "Lists the queues",
    discussion: """
      The one in use, marked with '*', is meant wherever a queue's name is left out. Further \
      words work on queues: new, show, use, pause, resume, width, pace, step, barrier, order, \
      drain, cancel, remove, route. An unfinished group has a queue that is called like the group.
      """,
    examples: [.init("queue new slow --width 1; queue", "two queues")],
    searchTerms: ["queues", "list", "width", "status"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queues = invocation.session.allQueues
    if invocation.isJSON {
      for queue in queues {
        invocation.object("queue", queue.fields)
        tellPace(of: queue, invocation)
      }
    } else {
      invocation.print(table(queues, inUse: invocation.session.queues.inUse))
      for queue in queues { tellAdapting(of: queue, invocation) }
    }
    return .list(queues.map { .object(QueueObject($0)) })
  }

  static func table(_ queues: [InspectableQueue], inUse: InspectableQueue) -> Table {
    // Few queues have a pace.
    let paces = queues.map(\.pace)
    let showsPace = paces.contains { $0 > .zero }
    var table = Table(columns: [.init("queue"), .init("width", alignment: .trailing)])
    if showsPace { table.columns.append(.init("pace", alignment: .trailing)) }
    table.columns += [
      .init("state"), .init("pending", alignment: .trailing), .init("ready", alignment: .trailing),
      .init("executing", alignment: .trailing), .init("finished", alignment: .trailing),
    ]
    for (queue, pace) in zip(queues, paces) {
      let snapshot = queue.snapshot
      let name = VisibleText.escape(snapshot.name) + (queue === inUse ? " *" : "")
      var row = [
        StyledText(name, style: .bold), StyledText(QueueWidth.text(snapshot.width)),
      ]
      if showsPace { row.append(StyledText(pace > .zero ? Value.duration(pace).text : "-")) }
      table.rows.append(
        row + [
          snapshot.isSuspended
            ? StyledText("paused", style: TextStyle(color: .yellow)) : StyledText("running"),
          StyledText(String(snapshot.pending)), StyledText(String(snapshot.ready)),
          StyledText(String(snapshot.executing)), StyledText(String(snapshot.finished)),
        ])
    }
    return table
  }

  /// With `--json` the pace is a text of its own, because the keys of a queue's object are fixed.
  static func tellPace(of queue: InspectableQueue, _ invocation: Invocation) {
    if queue.pace > .zero { invocation.print(StyledText(QueuePace.text(of: queue))) }
    tellAdapting(of: queue, invocation)
  }

  /// Whether it adapts its width, and what it last went by.
  static func tellAdapting(of queue: InspectableQueue, _ invocation: Invocation) {
    guard let reason = invocation.session.adapting.state(of: queue) else { return }
    invocation.print(
      StyledText(VisibleText.escape("\(queue.name) adapts its width: \(reason)")))
  }
}
