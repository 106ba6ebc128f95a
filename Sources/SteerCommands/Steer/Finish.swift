import CommandParts
import Operations
import OpshProcesses
package import ShellLanguage
import ShellSession

/// `finish`: ends an operation that `async` has built.
enum Finish: Command {
  static let operation = Positional<OperationName>(
    "operation", help: "id, name, 'last', or '$self' in its own body")
  static let value = Positional<Value?>("value", help: "value of the operation (default null)")
  static let error = Option<String?>(
    "error", help: "message of the failure that it ends with"
  ).excluding(value, because: "an operation ends with a value or with an error, not both")

  static let path = ["finish"]
  static let declaration = CommandDeclaration(
    summary: "Finishes an operation that was built with 'async'",
    discussion: """
      The operation succeeds with the value, or fails with '--error'. It must be executing: finishing \
      it before its queue has started it, or a second time, is an error. One that ignores a cancel, \
      or has outrun its time limit, ends as cancelled or timed out all the same. All other kinds \
      finish by themselves.
      """,
    positionals: [operation, value], options: [error],
    examples: [
      .init(
        "async upload { echo sending }; delay 20ms; on last finished { finish upload 200 }; "
          + "wait; result upload", "with a value"),
      .init(
        "async upload { finish upload --error \"disk full\" }; wait --any-outcome; show upload",
        "with a failure, in its own body"),
    ],
    searchTerms: ["complete", "end", "done", "isFinished", "didChangeValue", "async"],
    traits: [.waits])

  static func isOffered(_ operation: ObservableOperation) -> Bool {
    operation is any FinishableOperation && operation.state == .executing
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let operation = try invocation.operation(operation)
    let name = operation.displayName
    guard let operation = operation as? any FinishableOperation else {
      throw call.failure(
        .notFinishable, "'\(name)' can't be finished: it finishes \(end(of: operation))",
        at: Self.operation)
    }
    let result: Result<Value, any Error> =
      call[error].map { .failure(OperationFailure(.script, $0)) }
      ?? .success(call[value] ?? .null)
    let caller = invocation.info.operation
    // As in Foundation, where nothing comes between 'isExecuting' and the work.
    let isAboutToBegin = { operation.state == .executing && !operation.hasBegun }
    if isAboutToBegin(), try invocation.run.wait(isBrief: true, { !isAboutToBegin() }) != .met {
      throw Interruption()
    }
    do throws(AsyncOperation.Refusal) {
      try operation.finishFromOutside(result, by: caller)
    } catch {
      throw failure(error, of: operation, call)
    }
    return .null
  }

  /// When an operation of another kind finishes.
  private static func end(of operation: ObservableOperation) -> String {
    switch operation {
    case is GroupOperation: "when all of its operations have"
    case is DelayOperation: "when its time is over"
    case is BlockingOperation: "when its body returns"
    default: "when its work is done"
    }
  }

  private static func failure(
    _ refusal: AsyncOperation.Refusal, of operation: any FinishableOperation, _ call: CommandCall
  ) -> Diagnostic {
    let name = operation.displayName
    switch refusal {
    case .notStarted:
      return call.failure(
        .finishBeforeStart, "'\(name)' has not started: it is \(operation.state.rawValue)",
        at: Self.operation,
        help: "'why \(name)' says what it waits for; 'cancel \(name)' cancels it")
    case .late where operation.state == .executing:
      return call.failure(
        .finishBeforeStart, "the next attempt of '\(name)' has not started", at: Self.operation,
        help: "'why \(name)' says when it does; 'cancel \(name)' ends it")
    case .finished, .late:
      let outcome = operation.outcome.map { ": \($0.name)" } ?? ""
      return call.failure(
        .alreadyFinished, "'\(name)' has finished already\(outcome)", at: Self.operation)
    case .locked:
      return call.failure(
        .alreadyFinished,
        "'\(name)' is being finished: it holds its lock, and an observer waits for it",
        at: Self.operation, help: "'cancel \(name)' ends it")
    }
  }
}

extension ErrorPage {
  package static let notFinishable = ErrorPage(
    "not-finishable", "The operation finishes by itself",
    "'finish' ends operations that 'async' has built. All other kinds know when they are done.",
    help: "'cancel' ends an operation early", wrong: "delay 10ms\nfinish last",
    right: "async upload { echo sending }\nsleep 10ms\nfinish upload\nwait", proof: .running)

  package static let finishBeforeStart = ErrorPage(
    "finish-before-start", "The operation has not started, so it cannot finish",
    "Its queue must start it first, also if it was cancelled. In Foundation an operation that sets "
      + "'isFinished' before that prints 'went isFinished=YES without being started by the queue it "
      + "is in', and the process may crash.",
    help: "'on OP executing { finish OP }' finishes it then",
    wrong: "queue pause\nasync upload { echo sending }\nfinish upload",
    right: "async upload { echo sending }\non upload executing { finish upload }\nwait",
    proof: .running)
}
