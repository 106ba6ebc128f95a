import CommandParts
import Foundation
import Operations
import ShellLanguage
import ShellSession
import OpshTerminal

/// `queue show`: shows a queue and its operations.
enum QueueShow: Command {
  static let queue = Positional<QueueName?>.queue

  static let path = ["queue", "show"]
  static let declaration = CommandDeclaration(
    summary: "Shows a queue and its unfinished operations",
    positionals: [queue],
    examples: [
      .init("queue pause; delay 10ms --count 2; queue show; queue resume", "two are ready")
    ],
    searchTerms: ["inspect", "status", "operations"], traits: [.inspects])

  static func canLookBack(_ call: CommandCall) -> Bool { true }

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    if invocation.isJSON {
      invocation.object("queue", queue.allFields)
      QueueList.printAdapting(of: queue, invocation)
    } else {
      invocation.print(
        QueueList.table([queue], inUse: invocation.jobs.queues.inUse, width: invocation.width))
      QueueList.printAdapting(of: queue, invocation)
      if queue.effectiveQualityOfService != .default {
        let text = QualityText.text(of: queue, in: invocation.jobs)
        invocation.print("its operations without a quality of service have \(text)")
      }
      if let link = queue.driver as? FoundationLink {
        invocation.print(
          link.hasEnded
            ? "its process has ended: 'queue remove \(queue.name)' removes it"
            : "it runs on Foundation's OperationQueue, in a process of its own")
      }
      let operations = queue.operations
      if !operations.isEmpty {
        invocation.print("")
        invocation.print(
          OperationTable.table(
            operations, in: invocation.jobs, width: invocation.width))
      }
    }
    return .object(QueueObject(queue))
  }
}
