import CommandParts
import Foundation
import OpshJSON
import Operations
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// `priority`: sets the place of operations among the ready ones.
enum Priority: Command {
  static let operation = Positional<[OperationName]>.steeredOperations
  static let level = Positional<Operation.QueuePriority>("level", help: "new priority")

  static let path = ["priority"]
  static let declaration = CommandDeclaration(
    summary: "Sets the priority of operations",
    discussion: """
      Among ready operations the highest priority starts first; equal priorities start in the \
      order of adding; one whose priority is changed comes after those that have the new priority \
      already. Among the transitions a line says which place the operation has now. It has no \
      effect on an operation that executes or has finished; of a finished one the command says so.
      """,
    positionals: [operation, level], options: [Invocation.condition],
    examples: [
      .init(
        "queue pause; delay 10ms --count 3; priority delay-3 high; queue order; queue resume",
        "the third goes first"),
      .init(
        "queue pause; delay 10ms --count 3; priority ready low; queue order; queue resume",
        "all that are ready"),
    ],
    searchTerms: ["order", "urgent", "important", "queuePriority"])

  static func run(_ invocation: Invocation) throws -> Value {
    let operations = try invocation.operations(operation)
    let level = invocation.call[Self.level]
    let changed = operations.map { ($0, $0.state, $0.queuePriority) }.filter {
      $0.1 != .finished && $0.2 != level
    }
    invocation.run.drainIfInterpreter()
    invocation.jobs.engine.withoutStarting {
      for operation in operations { operation.queuePriority = level }
    }
    var places = QueuePlaces()
    for (operation, state, old) in changed {
      invocation.screen.show(
        SteeringEffect(
          .operation(operation, state), "queuePriority", from: .string(old.shellName),
          to: .string(level.shellName),
          text: "priority \(old.shellName) → \(level.shellName)",
          reason: places.text(of: operation)))
    }
    try invocation.tellFinished(of: operation)
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }
}

/// The places of operations in the order in which their queues start them.
private struct QueuePlaces {
  /// For each queue the places of those that hold no slot, by their ids.
  private var places: [ObjectIdentifier: [Int: Int]] = [:]

  /// Says which place an operation has, or why it has none.
  mutating func text(of operation: ObservableOperation) -> String {
    guard operation.state != .executing else { return "it executes already" }
    guard let queue = operation.queue else { return "it is on no queue" }
    let known = places[ObjectIdentifier(queue)] ?? Self.places(on: queue)
    places[ObjectIdentifier(queue)] = known
    guard let place = known[operation.id] else { return "it starts on \(queue.name)" }
    return "now \(OrdinalText.text(place)) of \(GroupedNumber.text(known.count)) on \(queue.name)"
  }

  private static func places(on queue: InspectableQueue) -> [Int: Int] {
    let waiting = queue.predictedOrder().filter { $0.state != .executing }
    return Dictionary(uniqueKeysWithValues: waiting.enumerated().map { ($1.id, $0 + 1) })
  }
}
