import CommandParts
import Operations
import OpshJSON
import ShellLanguage
import ShellSession

extension Invocation {
  /// Pauses or resumes the queues of an argument, and shows which have changed.
  func setSuspended(
    _ isSuspended: Bool, _ text: String, of parameter: some Parameter<QueueName?>
  ) throws -> Value {
    let queues = try queues(parameter)
    run.drainIfInterpreter()
    for queue in queues {
      let old = queue.isSuspended
      queue.isSuspended = isSuspended
      show(.boolean(old), .boolean(isSuspended), "isSuspended", of: queue, text: text)
    }
    return queues.count == 1
      ? .object(QueueObject(queues[0])) : .list(queues.map { .object(QueueObject($0)) })
  }

  /// Shows a changed property of a queue among the transitions, with what follows from it: what its
  /// slots hold now, unless `reason` says something else.
  func show(
    _ old: JSONValue, _ new: JSONValue, _ keyPath: String, of queue: InspectableQueue,
    text: String, reason: String? = nil
  ) {
    guard old != new else { return }
    screen.show(
      SteeringEffect(
        .queue(queue), keyPath, from: old, to: new, text: text,
        reason: reason ?? Verdict.slots(of: queue)))
  }
}
