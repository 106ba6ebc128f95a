import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `pause`: has operations pause at a phase of their work.
enum Pause: Command {
  static let operation = Positional<[OperationName]>.operations
  static let at = Positional<Preposition>("at", help: "the word 'at'")
  static let phase = Positional<OperationPhase>("phase", help: "phase to pause at")

  enum Preposition: String, CaseIterable, ParameterValue {
    case at
  }

  static let path = ["pause"]
  static let declaration = CommandDeclaration(
    summary: "Pauses operations at a phase of their work",
    discussion: """
      The operation pauses when it comes to the phase, once: headers, body, decoding or saving. It \
      stays executing and keeps its slot; 'resume' continues it, 'cancel' and its time limit end \
      it. Of a group, the operations in it pause. A save that pauses takes back what it has \
      written, so that the store stays free, and writes all when it continues. At the end of a \
      script, an operation that is paused is left over: the status is 1.
      """,
    positionals: [operation, at, phase],
    examples: [
      .init(
        "fetch questions --hold; pause last at decoding; start last\n"
          + "sleep 200ms; why last; resume last; wait", "in the middle of its work"),
      .init(
        "quotes sync --hold --name q; pause q at saving; start q\n"
          + "sleep 200ms; cancel q; wait; quotes list", "the store is as before"),
    ],
    searchTerms: [
      "phase", "hold", "breakpoint", "headers", "body", "decoding", "parsing", "saving",
    ])

  static func run(_ invocation: Invocation) throws -> Value {
    let phase = invocation.call[Self.phase]
    let operations = try invocation.operations(operation)
    let paused = try invocation.operations(among: operations, with: phase, at: Self.phase)
    for operation in paused {
      if operation.phase?.phase == phase {
        invocation.screen.remark(
          "'\(operation.displayName)' is in '\(phase.rawValue)' already; it pauses where that begins, "
            + "if it comes to it again")
      }
      operation.pause(at: phase)
    }
    try invocation.tellFinished(of: operation)
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }
}
