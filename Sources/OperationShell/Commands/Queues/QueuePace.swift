import Operations
import ShellLanguage

/// `queue pace`: how fast a queue starts its operations.
enum QueuePace: Command {
  static let signature = CommandSignature(
    path: ["queue", "pace"],
    summary: "Lets a queue start at most one operation in a given time",
    discussion: """
      So one can watch what it does. The first one starts at once; a cancelled one ends without \
      using up a start. 'off' takes the pace away.
      """,
    positionals: [
      .init("queue", .name("queue"), .optional, help: "the queue; the one in use if left out"),
      .init(
        "time", .oneOf([.duration, .choice(["off"])]),
        help: "the shortest time between two starts, such as 200ms, or 'off'"),
    ],
    examples: [
      .init("queue pace 20ms; delay 1ms --count 3; wait; queue pace off", "one start in 20 ms"),
      .init("queue pace network 50ms; queue", "shown with the queues"),
    ],
    searchTerms: ["slow", "rate", "limit", "throttle", "speed", "interval"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue()
    queue.pace = invocation.call.duration("time") ?? .zero
    return .object(QueueObject(queue))
  }

  /// What is said of a queue with a pace.
  static func text(of queue: InspectableQueue) -> String {
    "queue '\(queue.name)' starts at most one operation in \(Value.duration(queue.pace).text)"
  }
}
