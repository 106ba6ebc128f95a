import OpshLocking
import Operations

/// The completion handler of an operation that is seen as finished before the handler was called.
///
/// The handler is what stores the value: who looks at the operation before finds none.
package final class LateHandler: Sendable {
  /// The numbers of the dependents that had started when it was called; nil before that.
  private let early = Locked<Set<Int>?>(nil)

  /// How long after the end it is called: longer than what follows takes to start.
  private static let delay = Duration.milliseconds(50)

  /// Has the handler of an operation, which has not started, called after its end.
  init(of operation: ObservableOperation) {
    operation.addCompletion(.after) { [self, weak operation] in
      guard let operation else { return }
      _ = operation.engine.perform(after: Self.delay) { self.call(of: operation) }
    }
  }

  private func call(of operation: ObservableOperation) {
    let started = operation.downstream.filter { $0.timestamps.started != nil }.map(\.id)
    early.withLock { $0 = Set(started) }
    operation.noteCompletion(
      "the completion handler is called only now, after the end: what had started found no value")
  }

  /// Whether a dependent started before the handler was called.
  func hidesValue(from dependent: ObservableOperation) -> Bool {
    early.withLock { $0?.contains(dependent.id) ?? true }
  }
}
