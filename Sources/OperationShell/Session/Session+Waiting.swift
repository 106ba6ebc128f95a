import CSystem
import Foundation
import Locking
import Operations
import ShellLanguage
import Terminal

extension Session {
  /// How a wait ended.
  enum WaitEnd: Sendable {
    case met
    case timedOut
    /// Ctrl-C at the prompt; in a script it ends the run instead.
    case interrupted
    /// Nothing that could meet the condition can happen any more.
    case stuck
  }

  /// Waits on the calling thread until `condition` holds.
  ///
  /// The interpreter's thread shows events, runs handlers and answers signals meanwhile. The
  /// condition is asked again after every event, never on a timer.
  ///
  /// - Parameters:
  ///   - deadline: When to give up; nil waits for ever.
  ///   - isSleep: Whether only the deadline ends it, so that no event need be looked at.
  ///   - nextLook: Asked for the time at which the condition may change although nothing happens.
  ///   - isStuck: Asked when the condition does not hold: whether it never can.
  ///   - condition: What is waited for.
  /// - Returns: How it ended.
  /// - Throws: What ends the session, what a handler throws, and what `condition` throws.
  func wait(
    until deadline: ContinuousClock.Instant? = nil, isSleep: Bool = false,
    nextLook: () -> ContinuousClock.Instant? = { nil },
    isStuck: () -> Bool = { false }, _ condition: () throws -> Bool
  ) throws -> WaitEnd {
    var jumps = 0
    while true {
      let seen = log.count
      if try pump() { return .interrupted }
      if try condition() {
        letObserversHear()
        return .met
      }
      if let deadline, clock.now >= deadline { return .timedOut }
      let limit = [deadline, nextLook()].compactMap { $0 }.min()
      if isVirtual {
        let end = try restVirtually(
          until: limit, isSleep: isSleep, &jumps, isStuck: isStuck)
        if let end { return end }
        continue
      }
      // Only a look at which nothing moved can say that nothing will.
      if log.count == seen, observersHaveHeard, isStuck(), log.count == seen {
        return .stuck
      }
      if log.count == seen, !reactions.hasNotes { rest(until: limit) }
    }
  }

  /// Whether all observers know all that has happened, and what they left to be done is done.
  var observersHaveHeard: Bool {
    !log.isDelivering && !feed.hasNews && !reactions.hasNotes
  }

  /// Waits for those who are being told of what has just happened: what they leave to be done is
  /// done before the next statement, on a quick machine and on a slow one.
  private func letObserversHear() {
    let end = ContinuousClock.now + .milliseconds(100)
    while isOnInterpreterThread, log.isDelivering, .now < end {
      rest(until: .now + .milliseconds(1))
    }
  }

  /// Does what is due: events, handlers, signals, and the limits of the run.
  ///
  /// On the thread of a body only the request to end is looked at.
  ///
  /// - Parameter runsHandlers: Whether handlers run too; else they wait for the end of the statement.
  /// - Returns: Whether the user pressed Ctrl-C at the prompt.
  /// - Throws: What ends the session, and what a handler throws.
  @discardableResult
  func pump(runsHandlers: Bool = true) throws -> Bool {
    if let end = state.withLock({ $0.requestedEnd }) { throw end }
    try CurrentSink.value?.attend()
    guard isOnInterpreterThread else {
      if state.withLock({ $0.endsBodies }) { throw BodyEnded() }
      return false
    }
    output.printPage()
    wakeUp?.drain()
    if try answerSignals() { return true }
    drainFeed()
    if runsHandlers, reactions.hasNotes {
      try reactions.performNotes()
      drainFeed()
    }
    output.writeDue()
    // What stopped the draining is answered before anything is waited for.
    let isInterrupted = try answerSignals()
    if let deadline = ownRunDeadline, clock.now >= deadline {
      throw SessionEnd(cause: .timeout)
    }
    if output.writeError != 0 { throw SessionEnd(cause: .outputLost(output.writeError)) }
    return isInterrupted
  }

  /// Answers the signals that have come, and ends a run that takes too long by the system's clock:
  /// on the virtual one no time passes while something runs for ever.
  ///
  /// - Returns: Whether the user pressed Ctrl-C at the prompt.
  func answerSignals() throws -> Bool {
    var isInterrupted = false
    for signal in signals?.read() ?? [] {
      if try answer(signal) { isInterrupted = true }
    }
    if isVirtual, let runDeadline, .now >= runDeadline { throw SessionEnd(cause: .timeout) }
    return isInterrupted
  }

  /// When `--timeout` is over by the session's own clock; nil where only real time counts.
  var ownRunDeadline: ContinuousClock.Instant? {
    isVirtual && configuration.limitsOnlyRealTime ? nil : runDeadline
  }

  /// When `--timeout` is over.
  var runDeadline: ContinuousClock.Instant? {
    configuration.timeout.map { clock.startInstant + $0 }
  }

  /// - Returns: Whether it was an interrupt that only stops the present command.
  private func answer(_ signal: SignalEvent) throws -> Bool {
    switch signal {
    case .interrupt:
      if isInteractive {
        output.endEchoedLine()
        giveUpBacklog()
        return true
      }
      throw SessionEnd(cause: .signal(signal.number))
    case .terminate, .hangUp, .quit:
      throw SessionEnd(cause: .signal(signal.number))
    case .stop:
      SignalMask.stopProcess()
    case .windowChange, .resume:
      break
    }
    return false
  }

  /// Sleeps until something may have changed.
  func rest(until deadline: ContinuousClock.Instant?) {
    var timeout = deadline.map { max($0 - .now, .zero) }
    guard isOnInterpreterThread else {
      // A body has no descriptor of its own to sleep on; the log's wake-up belongs to the
      // interpreter. A short nap costs little, for bodies that wait are few.
      Thread.sleep(forTimeInterval: min(timeout?.seconds ?? 0.005, 0.005))
      return
    }
    if let runDeadline {
      let left = max(runDeadline - .now, .zero)
      timeout = min(timeout ?? left, left)
    }
    if let patience { timeout = min(timeout ?? patience, patience) }
    let descriptors = [wakeUp?.fileDescriptor, signals?.fileDescriptor].compactMap { $0 }
    _ = try? Poller.wait(
      fileDescriptors: descriptors + (CurrentSink.value?.descriptors ?? []), timeout: timeout)
  }

  /// Sleeps until a program has done something, the session has something to do, or it is time to
  /// look again.
  ///
  /// - Parameters:
  ///   - readable: What is waited for until it can be read, or is closed; negative ones are left out.
  ///   - writable: What is waited for until it can be written.
  ///   - patience: How long at most.
  func rest(onReading readable: [Int32], writing writable: Int32 = -1, atMost patience: Duration) {
    var (readable, patience) = (readable, patience)
    if isOnInterpreterThread {
      readable += [wakeUp?.fileDescriptor, signals?.fileDescriptor].compactMap { $0 }
      if let runDeadline { patience = min(patience, max(runDeadline - .now, .zero)) }
      if let due = self.patience { patience = min(patience, due) }
    } else {
      // The session's descriptors are another thread's.
      patience = min(patience, .milliseconds(20))
    }
    readable += CurrentSink.value?.descriptors ?? []
    var entries = readable.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    entries.append(pollfd(fd: writable, events: Int16(POLLOUT), revents: 0))
    // Rounded up, or the last millisecond would be spent asking.
    let milliseconds = Int32(clamping: Int64(patience.seconds * 1000) + 1)
    _ = poll(&entries, nfds_t(entries.count), milliseconds)
  }
}
