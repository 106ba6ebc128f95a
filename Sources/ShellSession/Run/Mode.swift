import Operations

/// How time passes in a run: what real, virtual and recorded time do differently stands in a type for
/// each of them.
package protocol Mode: Sendable {
  /// Whether each run prints the same, so that nothing may depend on the speed of the machine: no time
  /// passes but while everything waits.
  var isRepeatable: Bool { get }

  /// Whether the clock is the virtual one, which can't control what takes real time.
  var isVirtual: Bool { get }

  /// Whether the session shows a recording: nothing runs and nothing changes.
  var isRecorded: Bool { get }

  /// Lets something happen during a wait: sleeps until it may have, or makes it happen.
  ///
  /// - Parameters:
  ///   - limit: When to look again although nothing has happened: an instant of the system's clock,
  ///     or of the virtual one while that is in use.
  ///   - wait: The wait so far.
  ///   - isStuck: Returns whether its condition can never be met.
  /// - Returns: How the wait ended; nil to check the condition again.
  /// - Throws: What ends the session.
  func pass(
    until limit: ContinuousClock.Instant?, _ wait: inout WaitSteps, isStuck: () -> Bool
  ) throws -> Run.WaitEnd?

  /// Handles the next thing that is due by the end of a wait that is reached: what happens exactly
  /// then counts.
  ///
  /// - Parameters:
  ///   - deadline: The end.
  ///   - wait: The wait so far.
  /// - Returns: How the wait ended; nil to check the condition again.
  /// - Throws: What ends the session.
  func handleDue(
    by deadline: ContinuousClock.Instant, _ wait: inout WaitSteps
  ) throws -> Run.WaitEnd?

  /// Runs everything that is due now, without letting time pass, and shows what has happened by it.
  func runDueEvents()

  /// Runs what follows from what has happened, but no body and no timer: a started group begins.
  ///
  /// Commands that look at operations call it, so that these are as on the other clock.
  func runDueCalls()

  /// Lets resting bodies see the effect of a statement, and shows what it caused.
  func followStatement()

  /// Ends a session that is given up: bodies see that it ends, and cancelled operations finish.
  ///
  /// - Parameters:
  ///   - requester: What cancels the operations, also those that bodies still build.
  ///   - limit: When to give up, by the system's clock.
  /// - Throws: What a note throws, and `BodyEnded` if a body has not returned by then.
  func settle(cancelledBy requester: String, until limit: ContinuousClock.Instant) throws

  /// Resumes bodies that rest on a clock which no thread drives any more; each ends at its next
  /// statement.
  func end()
}

/// How far one wait has come.
package struct WaitSteps {
  /// Whether only the deadline ends it, so that events need not be checked.
  let isSleep: Bool
  /// Whether the interpreter begins to rest until an event comes.
  var beginsRest = false
  /// The number of entries of the log before the condition was checked.
  var seen = 0
  /// How often the condition was checked again.
  var rounds = 0
  /// How often the body that waits has let everything due run.
  var yields = 0

  init(isSleep: Bool) { self.isSleep = isSleep }
}

extension Run {
  /// How time passes.
  package var mode: any Mode {
    guard jobs.engine.virtualClock.isInUse else { return RealTime(run: self) }
    return jobs.engine.recorded == nil ? VirtualTime(run: self) : RecordedTime(run: self)
  }
}
