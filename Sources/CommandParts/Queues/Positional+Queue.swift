package import ShellLanguage
package import ShellSession

extension Positional where Value == QueueName? {
  /// The queue that a command works on; the queue in use where the call names none.
  package static var queue: Positional<QueueName?> {
    Positional("queue", help: "queue (default: the queue in use)")
  }

  /// The queues that a command works on: one, or `all`.
  package static var queues: Positional<QueueName?> {
    Positional(
      "queue", .oneOf([.name("queue"), .choice(["all"])]),
      help: "queue, or 'all' of them (default: the queue in use)")
  }
}
