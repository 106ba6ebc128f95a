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
      words work on queues: new, show, use, pause, resume, width, order, drain, cancel, remove.
      """,
    examples: [.init("queue new slow --width 1; queue", "two queues")],
    searchTerms: ["queues", "list", "width", "status"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queues = invocation.session.queues.all
    if invocation.isJSON {
      for queue in queues { invocation.object("queue", queue.fields) }
    } else {
      invocation.print(table(queues, inUse: invocation.session.queues.inUse))
    }
    return .list(queues.map { .object(QueueObject($0)) })
  }

  static func table(_ queues: [InspectableQueue], inUse: InspectableQueue) -> Table {
    var table = Table(columns: [
      .init("queue"), .init("width", alignment: .trailing), .init("state"),
      .init("pending", alignment: .trailing), .init("ready", alignment: .trailing),
      .init("executing", alignment: .trailing), .init("finished", alignment: .trailing),
    ])
    for queue in queues {
      let snapshot = queue.snapshot
      let name = VisibleText.escape(snapshot.name) + (queue === inUse ? " *" : "")
      table.rows.append([
        StyledText(name, style: .bold), StyledText(QueueWidth.text(snapshot.width)),
        snapshot.isSuspended
          ? StyledText("paused", style: TextStyle(color: .yellow)) : StyledText("running"),
        StyledText(String(snapshot.pending)), StyledText(String(snapshot.ready)),
        StyledText(String(snapshot.executing)), StyledText(String(snapshot.finished)),
      ])
    }
    return table
  }
}
