import CommandParts
import Foundation
import OpshJSON
import Operations
import ShellLanguage
import ShellSession

/// `qos`: sets the quality of service of operations.
enum QoS: Command {
  static let operation = Positional<[OperationName]>.steeredOperations
  static let level = Positional<QualityOfService>("level", help: "new quality of service")

  static let path = ["qos"]
  static let declaration = CommandDeclaration(
    summary: "Sets the quality of service of operations",
    discussion: """
      Sets the nice value of the thread that runs the body of a 'block', from its start: utility \
      is 2 above that of opsh, background 10; userInitiated and userInteractive are 2 below, if the \
      system permits it. A group hands it on to its members; requests, delays and programs have no such \
      thread. An operation without one takes that of its queue ('queue qos'). It does not \
      change the order on the queue; 'priority' does. 'help qos' has the rule.
      """,
    positionals: [operation, level], options: [Invocation.condition],
    examples: [
      .init("queue pause; delay 10ms; qos last background; show last; queue resume", "background")
    ],
    searchTerms: ["quality", "service", "thread", "nice"])

  static func run(_ invocation: Invocation) throws -> Value {
    let operations = try invocation.operations(operation)
    let level = invocation.call[Self.level]
    invocation.run.drainIfInterpreter()
    for operation in operations {
      let (state, old) = (operation.state, operation.qualityOfService)
      operation.qualityOfService = level
      guard old != level, state != .finished else { continue }
      invocation.screen.show(
        SteeringEffect(
          .operation(operation, state), "qualityOfService", from: .string(old.shellName),
          to: .string(level.shellName), text: "qos \(old.shellName) → \(level.shellName)",
          reason: state == .executing ? "it executes already" : ""))
    }
    try invocation.tellFinished(of: operation)
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }
}
