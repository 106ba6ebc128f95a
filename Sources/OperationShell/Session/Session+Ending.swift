import Locking
import Operations
import Terminal

extension Session {
  /// From now on every body ends at its next statement.
  func endBodies() {
    state.withLock { $0.endsBodies = true }
  }

  /// Like `settle`, but past the point where signals and handlers matter: only shows what comes.
  func settleQuietly(until deadline: ContinuousClock.Instant) throws {
    if isVirtual { return try settleVirtually(until: deadline) }
    while ContinuousClock.now < deadline {
      let seen = log.count
      wakeUp?.drain()
      feed.drain()
      var progress = progress()
      let unfinished = operations.unfinished.filter { !$0.isHeldBack }
      guard unfinished.contains(where: { progress.canFinish($0) }) else { return }
      if log.count == seen { rest(until: deadline) }
    }
    feed.drain()
  }
}
