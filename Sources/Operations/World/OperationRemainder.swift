/// What is known of an operation beyond its log and its settings.
package struct OperationRemainder: Sendable {
  /// When it was created, since its engine was.
  package var created: Duration
  /// The thread on which it began.
  package var thread: OperationThread?

  package init(created: Duration) { self.created = created }

  /// Reads an operation.
  package init(of operation: ObservableOperation) {
    let engine = operation.engine
    created = (operation.timestamps.created ?? engine.startInstant) - engine.startInstant
    thread = operation.thread
  }
}
