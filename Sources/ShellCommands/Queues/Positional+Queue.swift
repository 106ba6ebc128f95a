import ShellLanguage
import ShellSession

extension Positional where Value == QueueName? {
  /// The queue that a command works on; the queue in use where the call names none.
  static var queue: Self { Positional("queue", help: "queue (default: the queue in use)") }
}
