package import Foundation

/// What is known of an operation beyond the log and its settings: a recording needs it to say why it
/// waits.
package struct OperationRemainder: Sendable {
  /// When it was created, since its engine was.
  package var created: Duration
  /// When this was read, since the engine was created.
  package var recorded: Duration
  package var quality: QualityOfService = .default
  /// How many attempts have begun.
  package var attempts = 0
  /// The attempt that it waits for.
  package var nextAttempt: AttemptPause?
  /// The thread on which it began.
  package var thread: OperationThread?
  /// The number of the dependency whose failure stopped it.
  package var stoppedBy: Int?
  /// Why it goes on executing although its work is done.
  package var finishWait: FinishWait?
  /// Why it will not start, where Foundation's queue holds it.
  package var obstacle: String?

  package init(created: Duration, recorded: Duration) {
    (self.created, self.recorded) = (created, recorded)
  }

  /// Reads an operation.
  package init(of operation: ObservableOperation) {
    let engine = operation.engine
    created = (operation.timestamps.created ?? engine.startInstant) - engine.startInstant
    recorded = engine.now - engine.startInstant
    quality = operation.qualityOfService
    attempts = operation.attempts
    nextAttempt = operation.attemptPause
    thread = operation.thread
    stoppedBy = operation.stoppingDependency?.id
    finishWait = operation.finishWait
    obstacle = operation.obstacle
  }
}
