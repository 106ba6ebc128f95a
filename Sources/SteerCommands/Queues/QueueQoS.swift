import CommandParts
import Foundation
import OpshJSON
import Operations
package import ShellLanguage
import ShellSession

/// `queue qos`: sets the quality of service that operations of a queue inherit.
enum QueueQoS: Command {
  static let queue = Positional<QueueName?>.queue
  static let level = Positional<QualityOfService>("level", help: "new quality of service")

  static let path = ["queue", "qos"]
  static let declaration = CommandDeclaration(
    summary: "Sets the quality of service of a queue",
    discussion: """
      An operation without a quality of service of its own takes that of its queue when it begins to \
      execute; a group hands its own on to its members. 'qos' and '--qos' set that of an operation, \
      which then counts. Executing operations keep what they have. The line among the transitions \
      says how many operations take the new one.
      """,
    positionals: [queue, level],
    examples: [
      .init(
        "queue pause; block --name a { sleep 1ms }; queue qos background; show a; queue resume",
        "'a' will work with the quality of service of the queue"),
      .init("queue new bulk; queue qos bulk utility; queue", "of another queue"),
    ],
    searchTerms: ["qualityOfService", "quality", "service", "thread", "nice", "priority"],
    rules: [ArgumentRule { refusal(of: $0.texts(of: queue).first?.text, $0) }])

  private static func refusal(of queue: String?, _ call: CommandCall) -> Diagnostic? {
    guard queue == QueueRegistry.mainName else { return nil }
    return call.failure(
      .fixedQuality,
      "the operations of queue 'main' run on the interpreter's thread, whose quality of service is "
        + "fixed", at: level)
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    if let refusal = refusal(of: queue.name, invocation.call) { throw refusal }
    let (old, new) = (queue.qualityOfService, invocation.call[level])
    invocation.run.drainIfInterpreter()
    queue.qualityOfService = new
    let waiting = queue.operations.filter { $0.state != .executing }
    let own = waiting.filter { $0.qualityOfService != .default }
    invocation.show(
      .string(old.shellName), .string(new.shellName), "qualityOfService", of: queue,
      text: "qos \(old.shellName) → \(new.shellName)",
      reason: effect(on: waiting.count - own.count, otherThan: own.count))
    return .object(QueueObject(queue))
  }

  /// How many waiting operations take it.
  private static func effect(on count: Int, otherThan own: Int) -> String {
    let (takes, has) = (count == 1 ? "takes" : "take", own == 1 ? "has its" : "have their")
    if count + own == 0 { return "for what is added from now on" }
    return "\(count) waiting \(takes) it" + (own == 0 ? "" : ", \(own) \(has) own")
  }
}

extension ErrorPage {
  package static let fixedQuality = ErrorPage(
    "fixed-qos", "The quality of service of the queue 'main' cannot be changed",
    "Its operations run on the interpreter's thread. Foundation's 'OperationQueue.main' is always "
      + "userInteractive, and ignores a change too.",
    help: "'queue new NAME --qos LEVEL' makes another queue", wrong: "queue qos main utility",
    right: "queue qos network utility")
}
