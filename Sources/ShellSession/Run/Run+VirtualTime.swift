import Locking
import Operations
import PracticeServer
package import ShellLanguage
import ShellOutput

/// The virtual clock: time passes only while everything waits.
///
/// The interpreter's thread drives it, and only while a statement waits: between statements no time
/// passes, and nothing else runs. So a script behaves the same on a fast machine and on a slow one.
extension Run {
  /// Whether the session uses the virtual clock.
  package var isVirtual: Bool { jobs.engine.virtualClock.isInUse }

  /// Number of clock jumps in one wait before the stuck check becomes less frequent: with many
  /// operations the check is expensive.
  private static let closeLooks = 256

  /// Advances to the next event, or, on a body's thread, yields to other threads.
  ///
  /// - Returns: How the wait ended; nil to check the condition again.
  func advanceOrYield(
    until deadline: ContinuousClock.Instant?, isSleep: Bool,
    _ jumps: inout Int, isStuck: () -> Bool
  ) throws -> WaitEnd? {
    let virtualClock = jobs.engine.virtualClock
    guard isOnInterpreterThread else {
      if !jobs.eventHandlers.hasRunnableNotes, isStuck() { return .stuck }
      virtualClock.rest(until: deadline, wakesOnEvents: !isSleep)
      return nil
    }
    do {
      if try virtualClock.runNext({ if try answerSignals() { throw Interruption() } }) {
        return nil
      }
    } catch is Interruption {
      return .interrupted
    }
    // No time passes before the handlers of what has happened.
    if jobs.eventHandlers.hasRunnableNotes || screen.feed.hasNews { return nil }
    jumps += 1
    let isCloseLook = jumps <= Self.closeLooks || jumps.isMultiple(of: Self.closeLooks)
    if isCloseLook, !jobs.eventHandlers.hasRunnableNotes, isStuck() {
      guard mayBeSteered else { return .stuck }
      // No time passes while the page has its say.
      jumps -= 1
      rest(until: nextLookAtSteering)
      return nil
    }
    let limit = [deadline, ownRunDeadline].compactMap { $0 }.min()
    if virtualClock.passTime(until: limit) { return nil }
    if mayBeSteered, !jobs.eventHandlers.hasRunnableNotes, isStuck() {
      rest(until: nextLookAtSteering)
      return nil
    }
    if let limit, virtualClock.reaches(limit) {
      virtualClock.advance(to: limit)
      return nil
    }
    guard limit == nil, !virtualClock.hasEnded else { throw UnplacedError.clockEnds }
    // No event can happen by itself any more; only the user at the keyboard can end the wait.
    guard screen.isInteractive else { return .stuck }
    rest(until: nil)
    return nil
  }

  /// Handles the next thing that is due by the end of a wait that is reached: what happens exactly
  /// then counts.
  ///
  /// - Parameters:
  ///   - deadline: The end.
  ///   - yields: How often the body that waits has let everything due run.
  /// - Returns: How the wait ended; nil to check the condition again.
  /// - Throws: What ends the session.
  func handleDue(
    by deadline: ContinuousClock.Instant, _ yields: inout Int
  ) throws -> WaitEnd? {
    guard isVirtual else { return .timedOut }
    let virtualClock = jobs.engine.virtualClock
    guard isOnInterpreterThread else {
      // The first time work begins, perhaps with timers that are due at once; the second time these
      // are handled.
      guard yields < 2 else { return .timedOut }
      yields += 1
      virtualClock.rest(until: deadline, wakesOnEvents: false)
      return nil
    }
    do {
      let isDone =
        try !virtualClock.runNext({ if try answerSignals() { throw Interruption() } })
        && !virtualClock.passTime(until: deadline + VirtualClock.simultaneity)
      return isDone ? .timedOut : nil
    } catch is Interruption {
      return .interrupted
    }
  }

  /// Runs everything that is due now, without advancing time, and shows what has happened by it.
  package func runDueEvents() {
    guard isVirtual else { return }
    if isOnInterpreterThread {
      while (try? jobs.engine.virtualClock.runNext({ _ = try answerSignals() })) == true {}
      drainFeed()
    } else {
      jobs.engine.virtualClock.rest(until: clock.now)
    }
  }

  /// Ends a session that is given up: bodies see that it ends, and cancelled operations finish.
  ///
  /// - Parameters:
  ///   - requester: What cancels the operations, also those that bodies still build.
  ///   - limit: When to give up, by the system's clock.
  /// - Throws: `BodyEnded` if a body has not returned by then.
  func settleVirtually(
    cancelledBy requester: String, until limit: ContinuousClock.Instant
  ) throws {
    let virtualClock = jobs.engine.virtualClock
    let latest = clock.now + .seconds(2)
    virtualClock.wakeAll()
    while ContinuousClock.now < limit {
      jobs.cancelRest(by: requester)
      screen.feed.drain()
      try performNotes()
      if try virtualClock.runNext({ if .now >= limit { throw BodyEnded() } }) { continue }
      let unfinished = jobs.operations.unfinished.filter { !$0.isHeldBack }
      guard jobs.engine.canFinish(anyOf: unfinished),
        virtualClock.passTime(until: latest)
      else { break }
    }
    screen.feed.drain()
  }

  /// Switches to the virtual clock, or back to the system's.
  ///
  /// - Throws: An `UnplacedError` if something in progress uses the present clock.
  package func setClock(isVirtual: Bool) throws {
    guard isVirtual != self.isVirtual else { return }
    guard isOnInterpreterThread else { throw UnplacedError.clockInBody }
    let unfinished = jobs.operations.unfinished
    guard unfinished.isEmpty else {
      throw UnplacedError(
        .clockInUse,
        "the clock can't be changed while something uses it: "
          + "\(OperationList.names(unfinished)) unfinished")
    }
    if isVirtual, let queue = jobs.allQueues.first(where: { $0.driver is FoundationLink }) {
      throw UnplacedError(
        .notVirtual, "queue '\(queue.name)' is one of Foundation's, which takes real time",
        help: "'queue remove \(queue.name)' comes before it")
    }
    // All that it counted on has finished.
    jobs.app.endIdleCountdown()
    if isVirtual { try beginVirtualTime() } else { try endVirtualTime() }
  }

  private func beginVirtualTime() throws {
    let services = outside.network.services
    let selections = [services.common.selection] + services.own.values.map(\.selection)
    if let other = selections.first(where: { $0 != .practice }) {
      let error = NetworkEnvironment.notVirtual(other)
      throw UnplacedError(error.page, error.message, help: "'endpoint practice' comes before it")
    }
    do {
      try outside.network.useInProcessServer(engine: jobs.engine)
    } catch {
      throw UnplacedError(
        .clockInUse,
        "the clock can't be changed any more: the practice server listens already, "
          + "and uses the system's clock")
    }
    // Earlier times by the system's clock must not be later than virtual times.
    jobs.engine.virtualClock.begin(at: jobs.operations.count == 0 ? nil : .now)
    outside.keepInMemory()
    if seed == nil { setSeed(1) }
  }

  private func endVirtualTime() throws {
    guard !jobs.engine.virtualClock.hasBegun else {
      throw UnplacedError(
        .clockAhead, "the virtual clock is ahead of the system's by now, and time can't go back")
    }
    jobs.engine.virtualClock.end()
    outside.network.leaveInProcessServer()
    outside.keepInFile()
  }

  /// Resumes bodies that rest on the virtual clock, which no thread drives any more; each ends at
  /// its next statement.
  package func endVirtualClock() {
    guard isVirtual else { return }
    endBodies()
    jobs.engine.virtualClock.end()
  }
}

extension UnplacedError {
  fileprivate static let clockEnds = UnplacedError(
    .clockEnds, "the virtual clock goes on for 290 years, and what is waited for comes later")

  fileprivate static let clockInBody = UnplacedError(
    .clockInUse, "the clock can't be changed by a body, which uses it")
}

extension Invocation {
  /// Throws an error for an option or argument that the virtual clock does not support.
  ///
  /// - Parameters:
  ///   - reason: The reason.
  ///   - parameter: The argument or option that caused it.
  /// - Throws: A diagnostic if the session uses the virtual clock.
  package func refuseOnVirtualClock(_ reason: String, at parameter: some Parameter) throws {
    guard run.isVirtual, !run.isReplay else { return }
    throw call.failure(
      .notVirtual, ClockUse.Refusal(reason, at: parameter).message, at: parameter,
      help: ClockUse.Refusal.help)
  }

  /// Throws an error for a call that the virtual clock does not support.
  package func refuseOnVirtualClock(_ reason: String) throws {
    guard run.isVirtual, !run.isReplay else { return }
    throw call.failure(.notVirtual, ClockUse.Refusal(reason).message, help: ClockUse.Refusal.help)
  }
}

extension ErrorPage {
  package static let clockInUse = ErrorPage(
    "clock-in-use", "The clock can't be changed while something uses it",
    "Unfinished operations, and a practice server that listens, use the present clock.",
    help: "'set clock virtual' belongs at the beginning of a script",
    wrong: "delay 10s\nset clock virtual", right: "set clock virtual\ndelay 10s", proof: .running)

  package static let clockAhead = ErrorPage(
    "clock-ahead", "The virtual clock is ahead of the system's",
    "What happens next would have an earlier time than what has happened already.",
    help: "start opsh again: it begins with the system's clock",
    wrong: "set clock virtual\nsleep 10m\nset clock real", right: "set clock virtual\nsleep 10m",
    proof: .running)

  package static let clockEnds = ErrorPage(
    "clock-ends", "The virtual clock does not go that far",
    "It goes on for 290 years. What is to happen later than that never does.",
    help: "choose shorter times", wrong: "set clock virtual\nsleep 2562047h",
    right: "set clock virtual\nsleep 24h", proof: .running)
}
