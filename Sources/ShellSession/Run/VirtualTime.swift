import Operations
package import ShellLanguage
import ShellOutput

/// Time that passes only while everything waits.
///
/// The interpreter's thread drives the clock, and only while a statement waits: between statements no
/// time passes, and nothing else runs. So a script behaves the same on a fast machine and on a slow
/// one.
struct VirtualTime: ClockedMode {
  let run: Run

  var isVirtual: Bool { true }
  var isRecorded: Bool { false }
}

/// The time of a recording, which stands still at its end: every question is answered as in the session
/// that was recorded, and nothing runs.
struct RecordedTime: ClockedMode {
  let run: Run

  var isVirtual: Bool { false }
  var isRecorded: Bool { true }
}

/// A mode whose time is that of the engine's virtual clock.
protocol ClockedMode: Mode {
  var run: Run { get }
}

extension ClockedMode {
  var isRepeatable: Bool { true }

  private var virtualClock: VirtualClock { run.jobs.engine.virtualClock }

  /// Whether handlers of what has happened may run.
  private var hasRunnableNotes: Bool { run.jobs.eventHandlers.hasRunnableNotes }

  func pass(
    until limit: ContinuousClock.Instant?, _ wait: inout WaitSteps, isStuck: () -> Bool
  ) throws -> Run.WaitEnd? {
    // Bodies that rest look again whether their waits can end.
    if wait.beginsRest { virtualClock.noteMove() }
    guard run.isOnInterpreterThread else {
      if !hasRunnableNotes, isStuck() { return .stuck }
      virtualClock.rest(until: limit, wakesOnEvents: !wait.isSleep)
      return nil
    }
    do {
      if try finishEvent() || runWhole() { return nil }
    } catch is Interruption {
      return .interrupted
    }
    // No time passes before the handlers of what has happened.
    if hasRunnableNotes || run.screen.feed.hasNews { return nil }
    wait.rounds += 1
    let isCloseLook = wait.rounds <= closeLooks || wait.rounds.isMultiple(of: closeLooks)
    if isCloseLook, !hasRunnableNotes, isStuck() {
      guard run.mayBeSteered else { return .stuck }
      // No time passes while the page has its say.
      wait.rounds -= 1
      run.rest(until: run.nextLookAtSteering)
      return nil
    }
    let limit = [limit, run.ownRunDeadline].compactMap { $0 }.min()
    do {
      if try passInstant(until: limit) { return nil }
    } catch is Interruption {
      return .interrupted
    }
    if run.mayBeSteered, !hasRunnableNotes, isStuck() {
      run.rest(until: run.nextLookAtSteering)
      return nil
    }
    if let limit, virtualClock.reaches(limit) {
      advance(to: limit)
      return nil
    }
    guard limit == nil, !virtualClock.hasEnded else { throw UnplacedError.clockEnds }
    // No event can happen by itself any more; only the user at the keyboard can end the wait.
    guard run.screen.isInteractive else { return .stuck }
    if run.inputs.isRetaking { return .interrupted }
    run.rest(until: nil)
    return nil
  }

  func handleDue(
    by deadline: ContinuousClock.Instant, _ wait: inout WaitSteps
  ) throws -> Run.WaitEnd? {
    guard run.isOnInterpreterThread else {
      // The first time work begins, perhaps with timers that are due at once; the second time these
      // are handled.
      guard wait.yields < 2 else { return .timedOut }
      wait.yields += 1
      virtualClock.rest(until: deadline, wakesOnEvents: false)
      return nil
    }
    do {
      let isDone =
        try !finishEvent() && !runWhole()
        && !passInstant(until: deadline + VirtualClock.simultaneity)
      return isDone ? .timedOut : nil
    } catch is Interruption {
      return .interrupted
    }
  }

  /// Lets the next thing happen: what is due, or else what comes next.
  ///
  /// - Returns: Whether there was something; false if nothing can happen any more by itself.
  func advance() throws -> Bool {
    if try runNext() || hasRunnableNotes || run.screen.feed.hasNews { return true }
    let limit = run.ownRunDeadline
    if beginsInstant(until: limit) { return true }
    guard virtualClock.hasTimers else { return false }
    guard let limit, virtualClock.reaches(limit) else { throw UnplacedError.clockEnds }
    advance(to: limit)
    return true
  }

  /// Runs the next thing that is due, and answers signals; returns whether there was one.
  private func runNext() throws -> Bool {
    let hasRun = try virtualClock.runNext(poll)
    if hasRun { run.inputs.noteMove() }
    return hasRun
  }

  private func advance(to limit: ContinuousClock.Instant) {
    virtualClock.skip(to: limit)
    run.inputs.noteMove()
  }

  private func beginsInstant(until limit: ContinuousClock.Instant?) -> Bool {
    let begins = virtualClock.beginInstant(until: limit)
    if begins { run.inputs.noteMove() }
    return begins
  }

  /// Runs the next thing that is due to its end; returns whether there was one.
  private func runWhole() throws -> Bool {
    guard try runNext() else { return false }
    try finishEvent()
    return true
  }

  private func poll() throws {
    if try run.answerSignals() { throw Interruption() }
  }

  /// Lets the time pass to the next timer, and runs all that is due then; returns whether there was one.
  private func passInstant(until limit: ContinuousClock.Instant?) throws -> Bool {
    guard beginsInstant(until: limit) else { return false }
    try finishEvent()
    return true
  }

  /// Runs the rest of what is due at one time, or of a body that was interrupted, each event followed
  /// by its handlers.
  ///
  /// A wait ends only after that: its condition is that of the whole instant.
  ///
  /// - Returns: Whether there was a rest.
  @discardableResult
  private func finishEvent() throws -> Bool {
    guard virtualClock.isInterrupted else { return false }
    while virtualClock.isInterrupted {
      if run.jobs.eventHandlers.hasHandlers, try run.pump() { throw Interruption() }
      if try virtualClock.goOn(poll) { run.inputs.noteMove() }
    }
    return true
  }

  func runDueEvents() {
    if run.isOnInterpreterThread {
      while (try? virtualClock.runNext({ _ = try run.answerSignals() })) == true {}
      run.drainFeed()
    } else {
      virtualClock.rest(until: run.clock.now)
    }
  }

  func runDueCalls() {
    guard run.isOnInterpreterThread else { return }
    while virtualClock.settleNext() {}
    run.drainFeed()
  }

  func followStatement() {
    // A resting body may have waited for the effect of this statement. A body shows the events that it
    // caused, because no other thread runs meanwhile.
    virtualClock.noteMove()
    if !run.isOnInterpreterThread { run.screen.feed.drain() }
  }

  func settle(cancelledBy requester: String, until limit: ContinuousClock.Instant) throws {
    let latest = run.clock.now + .seconds(2)
    virtualClock.wakeAll()
    while ContinuousClock.now < limit {
      run.jobs.cancelRest(by: requester)
      run.screen.feed.drain()
      try run.performNotes()
      if try virtualClock.runNext({ if .now >= limit { throw BodyEnded() } }) { continue }
      let unfinished = run.jobs.operations.unfinished.filter { !$0.isHeldBack }
      guard run.jobs.engine.canFinish(anyOf: unfinished), virtualClock.passTime(until: latest)
      else { break }
    }
    run.screen.feed.drain()
  }

  func end() {
    run.endBodies()
    virtualClock.end()
  }
}

/// Number of clock jumps in one wait before the stuck check becomes less frequent: with many operations
/// the check is expensive.
private let closeLooks = 256

extension UnplacedError {
  fileprivate static let clockEnds = UnplacedError(
    .clockEnds, "the virtual clock goes on for 290 years, and what is waited for comes later")
}

extension ErrorPage {
  package static let clockEnds = ErrorPage(
    "clock-ends", "The virtual clock does not go that far",
    "It goes on for 290 years. What is to happen later than that never does.",
    help: "choose shorter times", wrong: "set clock virtual\nsleep 2562047h",
    right: "set clock virtual\nsleep 24h", proof: .running)
}
