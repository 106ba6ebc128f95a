import Foundation
import Networking
package import Operations
package import ShellOutput

/// An operation as data: the common source of the keys in `--json`, `--where` and `$name.property`.
package struct OperationDescription {
  package let operation: ObservableOperation
  package let clock: SessionClock

  package init(operation: ObservableOperation, clock: SessionClock) {
    self.operation = operation
    self.clock = clock
  }

  /// The keys of the JSON object in order.
  static let propertyNames = [
    "id", "name", "kind", "queue", "state", "cancelled", "outcome", "error", "priority", "qos",
    "dependencies", "dependents", "created", "ready", "started", "finished", "attempts", "bytes",
    "status", "items",
  ]

  package var fields: JSONFields {
    JSONFields(
      Self.propertyNames.map { JSONValue.Member(name: $0, value: property($0) ?? .null) })
  }

  /// The value of a key, nil for an unknown key.
  ///
  /// Constant time, except for the two lists of edges.
  func property(_ name: String) -> JSONValue? {
    switch name {
    case "id": .number(operation.id)
    case "name": .string(operation.displayName)
    case "kind": .string(operation.kind)
    case "queue": .optional(operation.queueName)
    case "state": .string(operation.state.rawValue)
    case "cancelled": .boolean(operation.isCancelled)
    case "outcome": .optional(operation.outcome?.name)
    case "error": error
    case "priority": .string(operation.queuePriority.shellName)
    case "qos": .string(operation.qualityOfService.shellName)
    case "dependencies":
      .array(
        operation.upstream.map { edge in
          JSONValue.members([
            "id": .number(edge.operation.id), "name": .string(edge.operation.displayName),
            "policy": .string(edge.policy.rawValue),
          ])
        })
    case "dependents": .array(operation.downstream.map { Self.reference(to: $0).value })
    case "created", "ready", "started", "finished":
      time(named: name).flatMap { $0.map { .seconds(clock.elapsed($0)) } } ?? .null
    case "attempts": .number(operation.attempts)
    case "bytes": .optional(metrics?.bytesReceived)
    case "status": .optional(metrics?.statusCode)
    case "items": .optional(metrics?.itemCount)
    default: nil
    }
  }

  /// `{id, name}`, the reference to an operation in other objects.
  package static func reference(to operation: ObservableOperation) -> JSONFields {
    reference(to: operation.identity)
  }

  /// `{id, name}` of an operation that may have been dropped.
  package static func reference(to identity: OperationIdentity) -> JSONFields {
    ["id": .number(identity.id), "name": .string(identity.name)]
  }

  private var metrics: (any NetworkOperationMetrics)? {
    operation.networkMetrics
  }

  private var error: JSONValue {
    guard case .failed(let failure)? = operation.outcome else { return .null }
    return JSONValue.members(["code": .string(failure.code), "message": .string(failure.message)])
  }

  /// The instant of a key, nil before it has been reached; double nil for other keys.
  func time(named name: String) -> ContinuousClock.Instant?? {
    switch name {
    case "created": .some(operation.timestamps.created)
    case "ready": .some(operation.timestamps.ready)
    case "started": .some(operation.timestamps.executing)
    case "finished": .some(operation.timestamps.finished)
    default: nil
    }
  }
}
