package import OpshJSON
package import Operations
package import ShellOutput
import OpshTerminal

/// The effect of a command that steers, which is shown among the transitions.
///
/// ```
///  0.312  questions-4  ready                 priority normal → high, now 1st of 4 on network
///  0.588  network      queue paused          2 of 2 slots taken, 3 waiting
/// ```
package struct SteeringEffect: Sendable {
  /// The operation or queue that changed.
  package enum Subject: Sendable {
    /// With its state before the change.
    case operation(ObservableOperation, OperationState)
    case queue(InspectableQueue)
  }

  package let subject: Subject
  /// The property, as `observe` calls it.
  package let keyPath: String
  package let old: JSONValue
  package let new: JSONValue
  /// The change in words, such as `priority normal → high`.
  package let text: String
  /// The consequence in words; empty where nothing is to be said.
  package let reason: String

  package init(
    _ subject: Subject, _ keyPath: String, from old: JSONValue, to new: JSONValue, text: String,
    reason: String
  ) {
    (self.subject, self.keyPath, self.old, self.new) = (subject, keyPath, old, new)
    (self.text, self.reason) = (text, reason)
  }

  /// The name of the operation or queue.
  var name: String {
    switch subject {
    case .operation(let operation, _): operation.displayName
    case .queue(let queue): queue.name
    }
  }

  /// The keys of its `change` object, after the keys of every object.
  var fields: JSONFields {
    let member: JSONValue.Member =
      switch subject {
      case .operation(let operation, _):
        .init(name: "operation", value: OperationDescription.reference(to: operation).value)
      case .queue(let queue): .init(name: "queue", value: .string(queue.name))
      }
    return Self.changeFields(of: member, keyPath, from: old, to: new, reason: reason)
  }

  /// The keys of a `change` object, after the keys of every object.
  ///
  /// - Parameters:
  ///   - subject: The operation or queue that changed.
  ///   - keyPath: The property.
  ///   - old: The value before.
  ///   - new: The value after.
  ///   - isInitial: Whether it tells of the value at the beginning of an observation.
  ///   - isPrior: Whether it comes before the change.
  ///   - reason: What follows from it; nil for a change that was observed.
  /// - Returns: The keys in their order.
  package static func changeFields(
    of subject: JSONValue.Member, _ keyPath: String, from old: JSONValue, to new: JSONValue,
    isInitial: Bool = false, isPrior: Bool = false, reason: String? = nil
  ) -> JSONFields {
    var fields = JSONFields([subject])
    fields.append("keyPath", .string(keyPath))
    fields.append("initial", .boolean(isInitial))
    fields.append("prior", .boolean(isPrior))
    fields.append("old", old)
    fields.append("new", new)
    if let reason { fields.append("reason", .string(reason)) }
    return fields
  }

  /// The state of the operation, or the change of the queue; and what else there is to say.
  var columns: (change: StyledText, reason: String) {
    switch subject {
    case .operation(let operation, let state):
      return (
        StyledText(state.rawValue, style: .state(state, outcome: operation.outcome)),
        text + (reason.isEmpty ? "" : ", " + reason)
      )
    case .queue: return (StyledText("queue " + text), reason)
    }
  }
}
