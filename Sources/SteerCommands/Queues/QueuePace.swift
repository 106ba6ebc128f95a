import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `queue pace`: limits how fast a queue starts its operations.
enum QueuePace: Command {
  static let queue = Positional<QueueName?>.queue
  static let time = Positional<DurationOrOff>(
    "time", help: "shortest time between two starts, such as 200ms, or 'off'")

  static let path = ["queue", "pace"]
  static let declaration = CommandDeclaration(
    summary: "Limits a queue to one start in a given time",
    discussion: """
      A pace makes it possible to watch what the queue does. The first operation starts at once; \
      ending a cancelled operation does not count as a start. 'off' removes the pace. While a \
      queue adapts ('queue width auto'), its pace is adapted too, until this command sets it.
      """,
    positionals: [queue, time],
    examples: [
      .init("queue pace 20ms; delay 1ms --count 3; wait; queue pace off", "one start in 20 ms"),
      .init("queue pace network 50ms; queue", "shown with the queues"),
    ],
    searchTerms: ["slow", "rate", "limit", "throttle", "speed", "interval"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    guard queue.driver == nil else {
      throw QueueError.driver(queue: queue.name, reason: "OperationQueue has no pace")
    }
    invocation.jobs.adapting.endPace(queue)
    queue.pace = invocation.call[time].duration ?? .zero
    return .object(QueueObject(queue))
  }
}
