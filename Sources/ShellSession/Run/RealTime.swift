import Foundation
import Operations
import OpshSystemCalls

/// Time passes by itself, and a wait sleeps until something has happened.
struct RealTime: Mode {
  let run: Run

  var isRepeatable: Bool { false }
  var isVirtual: Bool { false }
  var isRecorded: Bool { false }

  /// After so many rounds of one wait, events are handled together with those that follow within
  /// ``gatheringTime``: waking this thread takes longer than handling an event.
  private static let eagerRounds = 32
  /// In microseconds.
  private static let gatheringTime: useconds_t = 1000

  func pass(
    until limit: ContinuousClock.Instant?, _ wait: inout WaitSteps, isStuck: () -> Bool
  ) throws -> Run.WaitEnd? {
    let (log, eventHandlers) = (run.jobs.engine.log, run.jobs.eventHandlers)
    var limit = limit
    // Only if no event happened during the check is its result reliable.
    if log.count == wait.seen, run.observersHaveHeard, isStuck(), log.count == wait.seen {
      guard run.mayBeSteered else { return .stuck }
      limit = min(limit ?? run.nextLookAtSteering, run.nextLookAtSteering)
    }
    if log.count == wait.seen, !eventHandlers.hasRunnableNotes { run.rest(until: limit) }
    wait.rounds += 1
    if wait.rounds > Self.eagerRounds, !eventHandlers.hasRunnableNotes {
      usleep(Self.gatheringTime)
    }
    return nil
  }

  func handleDue(
    by deadline: ContinuousClock.Instant, _ wait: inout WaitSteps
  ) -> Run.WaitEnd? {
    .timedOut
  }

  func runDueEvents() {}

  func runDueCalls() {}

  func followStatement() {}

  func settle(cancelledBy requester: String, until limit: ContinuousClock.Instant) throws {
    while ContinuousClock.now < limit {
      let seen = run.jobs.engine.log.count
      run.jobs.cancelRest(by: requester)
      run.wakeUp.drain()
      run.screen.feed.drain()
      try run.performNotes()
      let unfinished = run.jobs.operations.unfinished.filter { !$0.isHeldBack }
      guard run.canFinish(anyOf: unfinished) || !run.jobs.bodies.running.isEmpty else { return }
      if run.jobs.engine.log.count == seen { run.rest(until: limit) }
    }
    run.screen.feed.drain()
  }

  func end() {}
}
