import Foundation
import Operations
import ShellLanguage

extension Session {
  /// What is known of operations and queues before anything runs.
  var facts: HostFacts {
    facts(operations: Set(operations.names), queues: Set(allQueues.map(\.name)))
  }

  /// What is known where a script runs in a session of its own, in which nothing exists yet.
  var factsOfNewSession: HostFacts { facts(operations: [], queues: []) }

  private func facts(operations: Set<String>, queues: Set<String>) -> HostFacts {
    HostFacts(
      namespaces: [
        "operation": .init(
          names: operations, properties: Self.operationShape,
          help: "'--name' gives an operation its name"),
        "queue": .init(
          names: queues.union(QueueRegistry.standingNames), properties: Self.queueShape,
          isLasting: true, help: "'queue new NAME' makes one"),
      ],
      collections: ["ops": "operation", "queues": "queue"],
      reservedNames: Set(OperationRegistry.reservedNames + QueueRegistry.reservedNames))
  }

  /// The properties of an operation; what is not told here can be anything.
  private static let operationShape: [String: StaticKind] = {
    var shape = Dictionary(
      OperationObject.propertyNames.map { ($0, StaticKind.unknown) }, uniquingKeysWith: { $1 })
    let outcomes = ["succeeded", "failed", "cancelled", "skipped"]
    let known: [String: StaticKind] = [
      "id": .oneOf(.number), "name": .oneOf(.string), "kind": .oneOf(.string),
      "queue": .oneOf(.string, .null), "state": .words(OperationState.allCases.map(\.rawValue)),
      "cancelled": .oneOf(.boolean), "outcome": .words(outcomes, orNull: true),
      "error": .oneOf(.record, .null),
      "priority": .words(Operation.QueuePriority.shellNames.map(\.name)),
      "qos": .words(QualityOfService.shellNames.map(\.name)), "dependencies": .oneOf(.list),
      "dependents": .oneOf(.list), "created": .oneOf(.number, .null),
      "ready": .oneOf(.number, .null), "started": .oneOf(.number, .null),
      "finished": .oneOf(.number, .null), "attempts": .oneOf(.number),
      "bytes": .oneOf(.number, .null), "status": .oneOf(.number, .null),
      "items": .oneOf(.number, .null), "wait": .oneOf(.number, .null),
      "waiting": .oneOf(.number, .null), "duration": .oneOf(.number, .null),
      "running": .oneOf(.number, .null), "progress": .oneOf(.number, .null),
      "url": .oneOf(.string, .null), "bandwidth": .oneOf(.number, .null),
      "timings": .oneOf(.record, .null), "headers": .oneOf(.record, .null),
    ]
    shape.merge(known) { $1 }
    for setting in OperationSetting.all { shape[setting.name] = setting.kind }
    for flag in OperationObject.flagNames { shape[flag] = .oneOf(.boolean) }
    return shape
  }()

  /// The properties of a queue.
  private static let queueShape: [String: StaticKind] = [
    "name": .oneOf(.string), "paused": .oneOf(.boolean), "width": .oneOf(.number),
    "pending": .oneOf(.number), "ready": .oneOf(.number), "executing": .oneOf(.number),
    "finished": .oneOf(.number), "operations": .oneOf(.list), "pace": .oneOf(.duration, .null),
  ]
}
