import OpshLocking
import Operations

/// The completion handler of an operation that is seen as finished before the handler was called.
///
/// The handler is what stores the value: who looks at the operation before finds none.
package final class LateHandler: Sendable {
  private let called = Locked<ContinuousClock.Instant?>(nil)

  /// Has the handler of an operation called after its end.
  ///
  /// - Parameters:
  ///   - operation: The operation, which has not started.
  ///   - delay: How long after the end.
  init(of operation: ObservableOperation, after delay: Duration = .zero) {
    operation.addCompletion(.after) { [self, weak operation] in
      guard let operation else { return }
      guard delay > .zero else { return call(of: operation) }
      _ = operation.engine.perform(after: delay) { self.call(of: operation) }
    }
  }

  private func call(of operation: ObservableOperation) {
    called.withLock { $0 = operation.engine.now }
    operation.noteCompletion(
      "the completion handler is called only now, after the end: what had started found no value")
  }

  /// Whether a dependent started before the handler was called.
  func hidesValue(from dependent: ObservableOperation) -> Bool {
    guard let start = dependent.timestamps.started else { return true }
    return called.withLock { $0.map { start <= $0 } ?? true }
  }
}
