import CommandParts
import Operations
package import ShellLanguage
import ShellSession

/// `resume`: continues operations that pause at a phase.
enum Resume: Command {
  static let operation = Positional<[OperationName]>.operations

  static let path = ["resume"]
  static let declaration = CommandDeclaration(
    summary: "Continues operations that 'pause' has paused",
    discussion: """
      One that was to pause and has not come to the phase yet does not pause any more. One that \
      'slow' keeps at its phase goes on, too. Of a group, the operations in it continue. 'queue \
      resume' is for queues.
      """,
    positionals: [operation],
    examples: [
      .init(
        "fetch answers --hold; pause last at headers; start last; sleep 100ms; resume last; wait",
        "goes on with the body")
    ],
    searchTerms: ["continue", "go on", "phase", "unpause"], traits: [.waits])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.tellFinished(of: operation)
    let operations = try invocation.operations(operation)
    let resumed = invocation.jobs.withMembers(operations).filter { $0.resumeAtPhase() }
    let isAll = invocation.call[operation].contains { $0.value.text == "all" }
    guard resumed.isEmpty, !isAll, let first = operations.first(where: { $0.state != .finished })
    else { return .null }
    throw invocation.call.failure(
      .notPaused, "'\(first.displayName)' is not paused at a phase", at: operation,
      help: "'why \(first.displayName)' says what it waits for")
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool {
    operation.finishWait == .phase || !operation.phasePauses.isEmpty
  }
}

extension ErrorPage {
  package static let notPaused = ErrorPage(
    "not-paused", "The operation is not paused at a phase",
    "'pause OP at PHASE' pauses an operation; 'queue resume' is for queues.",
    wrong: "delay 1s --name a\nresume a",
    right: "fetch questions --hold --name a\npause a at body\nresume a\nstart a\nwait",
    proof: .running)
}
