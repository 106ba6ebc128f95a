import CommandParts
import Operations
import OpshJSON
import ShellSession

extension Invocation {
  /// Shows a changed property of a queue among the transitions, with what its slots hold now.
  func show(
    _ old: JSONValue, _ new: JSONValue, _ keyPath: String, of queue: InspectableQueue,
    text: String
  ) {
    guard old != new else { return }
    screen.show(
      SteeringEffect(
        .queue(queue), keyPath, from: old, to: new, text: text, reason: Verdict.slots(of: queue)))
  }
}
