import Locking
import Networking
import Operations
import PracticeServer
import ShellLanguage

/// The virtual clock: what runs has the time to itself, and the time passes only while all wait.
///
/// The interpreter's thread drives it, and only while a statement waits: between statements no time
/// passes, and nothing else runs. So a script gives the same on a fast machine and on a slow one.
extension Session {
  /// Whether the session goes by the virtual clock.
  var isVirtual: Bool { log.virtualClock.isInUse }

  /// How many times the clock jumps in one wait before each further look at whether it can end is
  /// taken more seldom: with many operations a look is dear.
  private static let closeLooks = 256

  /// Has what is next happen, or, on the thread of a body, gives others the turn.
  ///
  /// - Returns: How the wait ended; nil to look again at what is waited for.
  func restVirtually(
    until deadline: ContinuousClock.Instant?, isSleep: Bool,
    _ jumps: inout Int, isStuck: () -> Bool
  ) throws -> WaitEnd? {
    let virtualClock = log.virtualClock
    guard isOnInterpreterThread else {
      if !reactions.hasNotes, isStuck() { return .stuck }
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
    jumps += 1
    let isCloseLook = jumps <= Self.closeLooks || jumps.isMultiple(of: Self.closeLooks)
    if isCloseLook, !reactions.hasNotes, isStuck() { return .stuck }
    let limit = [deadline, ownRunDeadline].compactMap { $0 }.min()
    if virtualClock.passTime(until: limit) { return nil }
    if let limit, virtualClock.reaches(limit) {
      virtualClock.advance(to: limit)
      return nil
    }
    guard limit == nil, !virtualClock.hasEnded else { throw ClockRefusal.atItsEnd }
    // Nothing can happen by itself any more; only somebody at the keyboard can end the wait.
    guard isInteractive else { return .stuck }
    rest(until: nil)
    return nil
  }

  /// Has everything happen that is due now, and no time pass.
  func letDueRun() {
    guard isVirtual else { return }
    if isOnInterpreterThread {
      while (try? log.virtualClock.runNext({ _ = try answerSignals() })) == true {}
    } else {
      log.virtualClock.rest(until: clock.now)
    }
  }

  /// The end of a session that is given up: bodies see that it ends, and what was cancelled ends.
  ///
  /// - Parameter limit: When to give up, by the system's clock.
  /// - Throws: `BodyEnded` where a body does not come back until then.
  func settleVirtually(until limit: ContinuousClock.Instant) throws {
    let virtualClock = log.virtualClock
    let latest = clock.now + .seconds(2)
    virtualClock.wakeAll()
    while ContinuousClock.now < limit {
      feed.drain()
      if try virtualClock.runNext({ if .now >= limit { throw BodyEnded() } }) { continue }
      var progress = progress()
      let unfinished = operations.unfinished.filter { !$0.isHeldBack }
      guard unfinished.contains(where: { progress.canFinish($0) }),
        virtualClock.passTime(until: latest)
      else { break }
    }
    feed.drain()
  }

  /// Goes by the virtual clock from now on, or by the system's.
  ///
  /// - Throws: `ClockRefusal` where something is under way that goes by the present one.
  func setClock(isVirtual: Bool) throws {
    guard isVirtual != self.isVirtual else { return }
    guard isOnInterpreterThread else { throw ClockRefusal.inBody }
    let unfinished = operations.unfinished
    guard unfinished.isEmpty else {
      throw ClockRefusal(
        code: "clock-in-use",
        message: "the clock can't be changed while something goes by it: "
          + "\(OperationTable.names(unfinished)) unfinished",
        help: "'set clock virtual' belongs at the beginning of a script")
    }
    if isVirtual { try beginVirtualTime() } else { try endVirtualTime() }
  }

  private func beginVirtualTime() throws {
    let services = world.services
    let selections = [services.common.selection] + services.own.values.map(\.selection)
    if let other = selections.first(where: { $0 != .practice }) {
      let error = World.notVirtual(other)
      throw ClockRefusal(
        code: error.code, message: error.message, help: "'endpoint practice' comes before it")
    }
    do {
      try world.goLocal(log: log)
    } catch {
      throw ClockRefusal(
        code: "clock-in-use",
        message: "the clock can't be changed any more: the practice server listens already, "
          + "and serves by the system's clock",
        help: "'set clock virtual' belongs at the beginning of a script")
    }
    // What went by the system's clock must not be later than what comes.
    log.virtualClock.begin(at: operations.count == 0 ? nil : .now)
    if seed == nil { setSeed(1) }
  }

  private func endVirtualTime() throws {
    guard !log.virtualClock.hasBegun else {
      throw ClockRefusal(
        code: "clock-ahead",
        message: "the virtual clock is ahead of the system's by now, and time can't go back",
        help: "another opsh begins with the system's clock")
    }
    log.virtualClock.end()
    world.leaveLocal()
  }

  /// Lets go of bodies that rest on the clock, which nobody drives any more; each ends at its next
  /// statement.
  func endVirtualClock() {
    guard isVirtual else { return }
    endBodies()
    log.virtualClock.end()
  }

  /// From what number chance follows; nil where nobody has set it.
  var seed: UInt64? { state.withLock { $0.seed } }

  /// Has all that is left to chance follow from a number: how long pauses are, and the data and the
  /// faults of the practice server.
  func setSeed(_ seed: UInt64) {
    state.withLock { $0.seed = seed }
    log.setSeed(seed)
    world.server.setSeed(seed)
  }
}

/// That the clock can't be changed now.
struct ClockRefusal: CodedFailure {
  let code: String
  let message: String
  let help: String?

  static let atItsEnd = ClockRefusal(
    code: "clock-ends",
    message: "the virtual clock goes on for 290 years, and what is waited for comes later",
    help: "choose shorter times")

  static let inBody = ClockRefusal(
    code: "clock-in-use", message: "the clock can't be changed by a body, which goes by it",
    help: "'set clock virtual' belongs at the beginning of a script")
}

extension Invocation {
  /// Refuses what the virtual clock can't rule.
  ///
  /// - Parameters:
  ///   - reason: Why it can't.
  ///   - argument: What of the call stands for it.
  /// - Throws: A diagnostic where the session goes by the virtual clock.
  func refuseOnVirtualClock(_ reason: String, at argument: String? = nil) throws {
    guard session.isVirtual else { return }
    throw call.failure(
      "not-virtual", "\(reason), which the virtual clock can't rule", at: argument,
      help: "without 'set clock virtual' it can be done")
  }
}
