import Operations
import Testing

extension Bench {
  func group(_ name: String = "group", width: Int = -1) -> GroupOperation {
    GroupOperation(name: name, maxConcurrentOperationCount: width, engine: engine)
  }

  /// A blocking operation that waits at a gate.
  func gated(_ name: String, at gate: Gate) -> BlockingOperation {
    BlockingOperation(name: name, engine: engine) { _ in
      gate.pass()
      return nil
    }
  }

  /// The names of those that finished, in that order.
  var finished: [String] {
    entries.filter { $0.event == .transition && $0.to == .finished }.map(\.operation.name)
  }

  /// The place in the log of a transition to that state.
  func place(_ name: String, _ state: OperationState) -> Int? {
    entries.last { $0.operation.name == name && $0.event == .transition && $0.to == state }?
      .sequence
  }

  /// How many attempts at the work the log knows of.
  func attemptEntries(_ name: String) -> [String] {
    entries.filter { $0.operation.name == name && $0.event == .attempt }.map(\.reason)
  }
}

extension ObservableOperation {
  /// The reasons why it waits, in short.
  var waitCodes: [String] {
    waitReasons().map { "\($0.code.rawValue) \($0.subject.joined(separator: ","))" }
  }
}

/// Waits until an operation has finished, and fails the test if it does not.
func finish(
  _ operation: ObservableOperation, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(
    operation.waitUntilFinished(timeout: .seconds(120)),
    "\(operation.displayName) is \(operation.state), \(operation.waitCodes)",
    sourceLocation: sourceLocation)
}
