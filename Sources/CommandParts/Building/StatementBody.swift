import Locking
package import Operations
package import ShellLanguage
package import ShellSession

extension Session {
  /// Makes an operation with statements as its body.
  package func blockOperation(
    _ body: Block, _ captured: CapturedContext, name: String, kind: String
  ) -> BlockingOperation {
    BlockingOperation(name: name, kind: kind, engine: engine) { operation in
      try self.runBody(body, of: operation, captured)
    }
  }

  /// Runs a body on the calling thread, which is its operation's.
  ///
  /// - Throws: `BodyError` for the error that ended it, or `OperationFailure` if the session ends.
  package func runBody(
    _ body: Block, of operation: ObservableOperation, _ captured: CapturedContext
  ) throws -> Value {
    defer { state.withLock { $0.bodyPlaces[operation.id] = nil } }
    let values = operation.upstream.map { Value(resultOf: $0.operation) }
    // One that was lost is an error for a body that reads '$input', not an element like others.
    let input = values.first(where: \.isLost) ?? .list(values)
    do {
      return try captured.run(
        body,
        bindings: [
          "self": .object(OperationObject(operation, clock: clock)), "input": input,
        ], userInfo: ContextInfo(operation: operation, group: operation.group))
    } catch let diagnostic as Diagnostic {
      noteCalls(diagnostic.calls, inBodyOf: operation.id)
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
      remark(interruption.message)
      ObservableOperation.cancelAll([operation], by: "Ctrl-C")
      // It ends the statement that waits, too.
      eventHandlers.noteInterruption()
      throw OperationFailure.sessionEnding
    }
  }

  /// Of how many bodies the calls are kept that led to their errors.
  private static let maximumBodyCalls = 1_000

  /// Keeps the calls that led to the error that ended a body, for where its failure is reported.
  private func noteCalls(_ calls: Backtrace, inBodyOf id: Int) {
    guard !calls.isEmpty else { return }
    state.withLock { state in
      if state.callsInBodies.count >= Self.maximumBodyCalls,
        let oldest = state.callsInBodies.keys.min()
      {
        state.callsInBodies[oldest] = nil
      }
      state.callsInBodies[id] = calls
    }
  }

  /// The calls that led to the error that ended the body of an operation.
  package func callsInBody(of id: Int) -> Backtrace? { state.withLock { $0.callsInBodies[id] } }
}

/// The error that ended a body: what its operation fails with.
package struct BodyError: CodedError {
  package let diagnostic: Diagnostic

  package var code: String { diagnostic.code }
  package var topic: String { diagnostic.topic }

  /// The message with its place, which is not that of the operation.
  package var message: String {
    "\(diagnostic.message) (\(diagnostic.source.name):\(diagnostic.line))"
  }
}
