package import ShellLanguage
package import ShellSession

extension Positional where Value == QueueName? {
  /// The queue that a command works on; the queue in use where the call names none.
  package static var queue: Positional<QueueName?> {
    Positional("queue", help: "queue (default: the queue in use)")
  }
}
