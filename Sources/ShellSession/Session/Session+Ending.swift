import Locking
import Operations
import Synchronization
import SystemCalls

extension Session {
  /// Makes every body end at its next statement.
  package func endBodies() {
    interrupt.endBodies()
  }

  /// Like `settle`, but after the point where signals and handlers matter: shows events, and ends the
  /// operations of the queue `main`.
  ///
  /// Also waits for bodies that go on after their operations have finished: they end the programs
  /// that they run.
  ///
  /// - Parameters:
  ///   - requester: What cancels the operations, also those that bodies still build.
  ///   - deadline: When to give up.
  /// - Throws: What a note throws.
  package func settleQuietly(
    cancelledBy requester: String, until deadline: ContinuousClock.Instant
  ) throws {
    cancelRest(by: requester)
    endBodies()
    // No statement follows: what bodies wait for and nothing else ends never comes.
    interpreterRests.store(true, ordering: .releasing)
    if isVirtual { return try settleVirtually(cancelledBy: requester, until: deadline) }
    while ContinuousClock.now < deadline {
      let seen = engine.log.count
      cancelRest(by: requester)
      wakeUp?.drain()
      feed.drain()
      try performNotes()
      let unfinished = operations.unfinished.filter { !$0.isHeldBack }
      guard canFinish(anyOf: unfinished) || isAnyBodyRunning else { return }
      if engine.log.count == seen { rest(until: deadline) }
    }
    feed.drain()
  }

  /// Cancels the operations that were not yet.
  func cancelRest(by requester: String) {
    ObservableOperation.cancelAll(
      operations.unfinished.filter { !$0.isCancelled }, by: requester)
  }
}
