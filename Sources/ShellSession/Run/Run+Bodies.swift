import OpshLocking
package import Operations
import OpshProcesses
package import ShellLanguage
import OpshSystemCalls

extension Run {
  /// Makes an operation with statements as its body.
  package func blockOperation(
    _ body: Block, _ captured: CapturedContext, name: String, kind: String,
    forgetsSignal: Bool = false
  ) -> BlockingOperation {
    BlockingOperation(name: name, kind: kind, engine: jobs.engine) { operation in
      try self.runBody(body, of: operation, captured, forgetsSignal: forgetsSignal)
    }
  }

  /// Runs a body on the calling thread, which is its operation's.
  ///
  /// - Parameters:
  ///   - body: The statements.
  ///   - operation: The operation.
  ///   - captured: What the body sees of the variables around it.
  ///   - forgetsSignal: Whether it then waits for a signal that nothing sends, until the session ends.
  /// - Returns: Its value.
  /// - Throws: `BodyError` for the error that ended it, or `OperationFailure` if the session ends.
  package func runBody(
    _ body: Block, of operation: ObservableOperation, _ captured: CapturedContext,
    forgetsSignal: Bool = false
  ) throws -> Value {
    defer { jobs.bodies.setPlace(nil, of: operation.id) }
    let values = operation.upstream.map { edge in
      let handler = (edge.operation as? any FinishableOperation)?.lateHandler
      return handler?.hidesValue(from: operation) == true ? .null : Value(resultOf: edge.operation)
    }
    // One that was lost is an error for a body that reads '$input', not an element like others.
    let input = values.first(where: \.isLost) ?? .list(values)
    do {
      defer { pauseAfterStatement() }
      let value = try captured.run(
        body,
        bindings: [
          "self": .object(OperationObject(operation, clock: clock)), "input": input,
        ], userInfo: ContextInfo(operation: operation, group: operation.group))
      guard forgetsSignal else { return value }
      operation.setFinishWait(.signal)
      // On the queue 'main' it blocks the thread that everything else needs.
      let end = try wait(isStuck: { isOnInterpreterThread }) { false }
      guard end == .stuck else { throw Interruption() }
      throw OperationFailure(
        code: "never-ends", message: "the body waits for a signal that nothing sends")
    } catch let diagnostic as Diagnostic {
      jobs.bodies.setCalls(diagnostic.calls, of: operation.id)
      throw BodyError(diagnostic: diagnostic)
    } catch let end as SessionEnd {
      requestEnd(end)
      // It ends itself, too, which is no failure.
      ObservableOperation.cancelAll([operation], by: "'quit'")
      throw OperationFailure.sessionEnding
    } catch is BodyEnded {
      throw OperationFailure.sessionEnding
    } catch let interruption as Interruption {
      // Of a body on the queue 'main', which runs where Ctrl-C is read.
      screen.remark(interruption.message)
      ObservableOperation.cancelAll([operation], by: "Ctrl-C")
      // It ends the statement that waits, too.
      jobs.eventHandlers.noteInterruption()
      throw OperationFailure.sessionEnding
    }
  }

  /// Watches the bodies of 'async', which may go on after their operations have finished.
  package var bodyWatch: AsyncOperation.BodyWatch {
    AsyncOperation.BodyWatch(willBegin: { [jobs] in jobs.bodies.begin($0) }, didEnd: bodyDidEnd)
  }

  /// Reports the error of a body whose operation had finished before, and can't fail any more.
  @Sendable private func bodyDidEnd(_ operation: ObservableOperation, _ error: (any Error)?) {
    if let error = error as? BodyError {
      var diagnostic = error.diagnostic
      diagnostic.message =
        "'\(operation.displayName)' was finished before its body failed: \(diagnostic.message)"
      screen.report(diagnostic)
      if !screen.isInteractive { jobs.failures.note(status: diagnostic.exitStatus) }
    }
    jobs.bodies.end(operation)
    // No event says that a body has ended whose operation had finished.
    wakeUp.signal()
  }
}

extension OperationFailure {
  /// What a body fails with that is ended because the session ends.
  package static let sessionEnding = OperationFailure(.script, "the session is ending")
}

/// The error that ended a body: what its operation fails with.
struct BodyError: CodedError {
  let diagnostic: Diagnostic

  var code: String { diagnostic.code }
  var topic: String { diagnostic.topic }

  /// The message with its place, which is not that of the operation.
  var message: String {
    "\(diagnostic.message) (\(diagnostic.source.name):\(diagnostic.line))"
  }
}

extension ErrorPage {
  package static let script = ErrorPage(
    "script", "The script itself says that it failed",
    "'fail' ends a body or a script with a message of its own.", wrong: "fail \"no data\"",
    right: "try { fail \"no data\" } catch e { echo $e.message }", proof: .running)
}
