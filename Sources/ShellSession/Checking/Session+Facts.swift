import Foundation
import Operations
import Processes
import ShellLanguage

extension Session {
  /// What is known of operations and queues before anything runs.
  var facts: HostFacts {
    facts(
      operations: Set(operations.names), queues: Set(allQueues.map(\.name)),
      openGroups: Set(unfinishedGroups.filter(\.isOpen).map(\.displayName)))
  }

  /// What is known where a script runs in a session of its own, in which nothing exists yet.
  var factsOfNewSession: HostFacts { facts(operations: [], queues: [], openGroups: []) }

  private func facts(
    operations: Set<String>, queues: Set<String>, openGroups: Set<String>
  ) -> HostFacts {
    let programs = configuration.programPlace
    return HostFacts(
      namespaces: [
        "operation": .init(
          names: operations, properties: Self.operationShape,
          otherWords: Set(OperationRegistry.reservedNames),
          help: "'--name' gives an operation its name", shownBy: "show",
          helpForLiteral: Self.help(forDuration:)),
        "queue": .init(
          names: queues.union(QueueRegistry.standingNames), properties: Self.queueShape,
          isLasting: true, help: "'queue new NAME' makes one", shownBy: "queue show"),
        "open group": .init(
          names: openGroups, properties: [:], otherWords: Set(OperationRegistry.reservedNames),
          help: "'group NAME --open { … }' makes one"),
      ],
      collections: ["ops": "operation", "queues": "queue"],
      isProgram: { word in !word.contains("/") && (try? programs.find(word)) != nil })
  }

  /// The properties of an operation.
  private static let operationShape = Dictionary(
    OperationProperty.all.map { ($0.name, $0.kind) }, uniquingKeysWith: { $1 })

  /// The properties of a queue.
  private static let queueShape: [String: StaticKind] = [
    "name": .oneOf(.string), "paused": .oneOf(.boolean), "width": .oneOf(.number),
    "pending": .oneOf(.number), "ready": .oneOf(.number), "executing": .oneOf(.number),
    "finished": .oneOf(.number), "operations": .oneOf(.list), "pace": .oneOf(.duration, .null),
  ]
}
