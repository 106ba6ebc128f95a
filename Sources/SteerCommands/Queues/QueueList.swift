import CommandParts
import Foundation
import Operations
import ShellLanguage
import ShellSession
import OpshTerminal

/// `queue`: lists the queues.
enum QueueList: Command {
  static let path = ["queue"]
  static let declaration = CommandDeclaration(
    summary: "Lists the queues",
    discussion: """
      The queue in use, marked with '*', is the default of every command that takes a queue. \
      Further words work on queues: new, add, show, use, pause, resume, width, pace, qos, \
      coalesce, step, barrier, order, drain, cancel, remove, route. An unfinished group has a \
      queue with the name of the group.
      """,
    examples: [.init("queue new slow --width 1; queue", "two queues")],
    searchTerms: ["queues", "list", "width", "status"], traits: [.inspects])

  static func canLookBack(_ call: CommandCall) -> Bool { true }

  static func run(_ invocation: Invocation) throws -> Value {
    let queues = invocation.jobs.allQueues
    if invocation.isJSON {
      for queue in queues {
        invocation.object("queue", queue.allFields)
        printAdapting(of: queue, invocation)
      }
    } else {
      invocation.print(
        table(queues, inUse: invocation.jobs.queues.inUse, width: invocation.width))
      for queue in queues { printAdapting(of: queue, invocation) }
    }
    return .list(queues.map { .object(QueueObject($0)) })
  }

  /// Makes the table, without some columns if the terminal is not wide enough for all.
  static func table(
    _ queues: [InspectableQueue], inUse: InspectableQueue, width: Int?
  ) -> Table {
    // These columns are for the few sessions in which a queue has a pace, or a quality of service.
    let paces = queues.map(\.pace)
    let showsPace = paces.contains { $0 > .zero }
    let qualities = queues.map(\.effectiveQualityOfService)
    let showsQuality = qualities.contains { $0 != .default }
    var table = Table(columns: [
      .init("queue", minimumWidth: 8, isFlexible: true), .init("width", alignment: .trailing),
    ])
    if showsPace { table.columns.append(.init("pace", alignment: .trailing)) }
    if showsQuality { table.columns.append(.init("qos")) }
    table.columns += [
      .init("state"), .init("pending", alignment: .trailing), .init("ready", alignment: .trailing),
      .init("executing", alignment: .trailing), .init("finished", alignment: .trailing),
    ]
    for (queue, (pace, quality)) in zip(queues, zip(paces, qualities)) {
      let snapshot = queue.snapshot
      let name = VisibleText.escape(snapshot.name) + (queue === inUse ? " *" : "")
      var row = [
        StyledText(name, style: .bold), StyledText(QueueText.text(width: snapshot.width)),
      ]
      if showsPace { row.append(StyledText(pace > .zero ? Value.duration(pace).text : "-")) }
      if showsQuality { row.append(StyledText(quality.shellName)) }
      table.rows.append(
        row + [
          QueueText.state(
            isPaused: snapshot.isSuspended, hasEnded: QueueText.hasEnded(queue)),
          StyledText(String(snapshot.pending)), StyledText(String(snapshot.ready)),
          StyledText(String(snapshot.executing)), StyledText(String(snapshot.finished)),
        ])
    }
    // The counts from the end, but what executes last of all.
    let last = table.columns.count - 1
    table.removeColumns(
      [last, last - 2, last - 3] + Array((2..<(last - 4)).reversed()) + [1, last - 1],
      toFit: width)
    return table
  }

  /// Prints that a queue coalesces, and why the limits of one that adapts changed last.
  static func printAdapting(of queue: InspectableQueue, _ invocation: Invocation) {
    if queue.coalescesRequests, !invocation.isJSON {
      invocation.print(
        StyledText(VisibleText.escape("\(queue.name) coalesces equal requests in flight")))
    }
    guard let reason = invocation.jobs.adapting.state(of: queue) else { return }
    invocation.print(
      StyledText(VisibleText.escape("\(queue.name) adapts \(reason)")))
  }
}
