import Foundation
import Operations
import OpshProcesses
package import ShellLanguage

extension Jobs {
  /// What is known of operations and queues before anything runs.
  ///
  /// - Parameter programs: Where programs are looked for.
  /// - Returns: The names and the properties.
  func facts(programs: ProgramPlace) -> HostFacts {
    Self.facts(
      operations: Set(operations.names), queues: Set(allQueues.map(\.name)),
      openGroups: Set(unfinishedGroups.filter(\.isOpen).map(\.displayName)), programs: programs)
  }

  /// What is known of those operations and queues that have one of several names.
  ///
  /// It takes no longer in a session with 100,000 operations.
  func facts(among words: Set<String>) -> HostFacts {
    Self.facts(
      operations: words.filter { operations.operation(named: $0) != nil },
      queues: words.filter { queue(named: $0) != nil },
      openGroups: words.filter { word in
        (operations.operation(named: word) as? GroupOperation).map {
          $0.isOpen && $0.state != .finished
        } ?? false
      }, isProgram: { _ in false })
  }

  /// What is known where a script runs in a session of its own, in which nothing exists yet.
  static func factsOfNewSession(programs: ProgramPlace) -> HostFacts {
    facts(operations: [], queues: [], openGroups: [], programs: programs)
  }

  private static func facts(
    operations: Set<String>, queues: Set<String>, openGroups: Set<String>, programs: ProgramPlace
  ) -> HostFacts {
    facts(
      operations: operations, queues: queues, openGroups: openGroups,
      isProgram: { word in !word.contains("/") && (try? programs.find(word)) != nil })
  }

  private static func facts(
    operations: Set<String>, queues: Set<String>, openGroups: Set<String>,
    isProgram: @escaping @Sendable (String) -> Bool
  ) -> HostFacts {
    HostFacts(
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
      isProgram: isProgram)
  }

  /// What a property of operations or queues can be; nil if neither has it.
  package static func kind(ofProperty name: String) -> StaticKind? {
    operationShape[name] ?? queueShape[name]
  }

  /// The properties of an operation.
  private static let operationShape = Dictionary(
    OperationProperty.all.map { ($0.name, $0.kind) }, uniquingKeysWith: { $1 })

  /// The properties of a queue.
  private static let queueShape: [String: StaticKind] = [
    "name": .oneOf(.string), "paused": .oneOf(.boolean), "width": .oneOf(.number),
    "pending": .oneOf(.number), "ready": .oneOf(.number), "executing": .oneOf(.number),
    "finished": .oneOf(.number), "operations": .oneOf(.list), "pace": .oneOf(.duration, .null),
    "qos": .words(QualityOfService.shellNames.map(\.name)),
  ]
}
