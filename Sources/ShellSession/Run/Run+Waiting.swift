import COpshSystem
import Foundation
import OpshLocking
import Operations
import ShellOutput
import OpshSupport
import Synchronization
import OpshSystemCalls
import OpshTerminal

extension Run {
  /// How a wait ended.
  package enum WaitEnd: Sendable {
    case met
    case timedOut
    /// Ctrl-C at the prompt; in a script it ends the run instead.
    case interrupted
    /// No event that could satisfy the condition can happen any more.
    case stuck
  }

  /// Waits on the calling thread until `condition` holds.
  ///
  /// The interpreter's thread shows events, runs handlers and answers signals meanwhile. The
  /// condition is checked after every event, never on a timer.
  ///
  /// - Parameters:
  ///   - deadline: When to give up; nil waits for ever.
  ///   - isBrief: Whether it ends in a moment, perhaps by something of which no event tells, and
  ///     statements follow.
  ///   - isSleep: Whether only the deadline ends the wait, so that events need not be checked.
  ///   - progress: What the status line shows if the wait takes long.
  ///   - nextLook: Returns the time at which the condition may change although no event happens.
  ///   - isStuck: Returns whether an unmet condition can never be met.
  ///   - condition: The condition.
  /// - Returns: How the wait ended.
  /// - Throws: What ends the session, what a handler throws, and what `condition` throws.
  package func wait(
    until deadline: ContinuousClock.Instant? = nil, isBrief: Bool = false, isSleep: Bool = false,
    progress: WaitTargets? = nil,
    nextLook: () -> ContinuousClock.Instant? = { nil },
    isStuck: () -> Bool = { false }, _ condition: () throws -> Bool
  ) throws -> WaitEnd {
    var steps = WaitSteps(isSleep: isSleep)
    var line = progress.flatMap { ProgressLine(of: $0, in: self, on: screen) }
    let start = ContinuousClock.now
    defer {
      line?.remove()
      rememberWait(since: start)
      // The statement that follows sees what it adds start at once.
      if isOnInterpreterThread { jobs.engine.virtualClock.endHold() }
    }
    var restsForEvents = false
    while true {
      steps.seen = jobs.engine.log.count
      if try pump() { return .interrupted }
      let mode = mode
      // Asked before the condition: one that is met in time counts, also if this thread comes late.
      let isDue = deadline.map { clock.now >= $0 } ?? false
      if try condition() {
        // A body that ends the session may have met it.
        try throwRequestedEnd()
        waitForObservers()
        return .met
      }
      if let deadline, isDue {
        if let end = try mode.handleDue(by: deadline, &steps) { return end }
        continue
      }
      let look = nextLook() ?? (isBrief && !mode.isRepeatable ? clock.now + .milliseconds(1) : nil)
      // Sleeping is done by the system's clock.
      let due = [deadline, look].compactMap { $0 }.min().map(clock.systemInstant(at:))
      let limit = [due, line?.draw()].compactMap { $0 }.min()
      let restedBefore = restsForEvents
      restsForEvents = look == nil && !isSleep && !isBrief && isOnInterpreterThread
      steps.beginsRest = restsForEvents && !restedBefore
      if restsForEvents { interpreterRests.store(true, ordering: .releasing) }
      defer { if restsForEvents { interpreterRests.store(false, ordering: .releasing) } }
      if let end = try mode.pass(until: limit, &steps, isStuck: isStuck) { return end }
    }
  }

  private func rememberWait(since start: ContinuousClock.Instant) {
    guard isOnInterpreterThread else { return }
    let length = ContinuousClock.now - start
    screen.state.withLock { $0.prompt.longestWait = max($0.prompt.longestWait, length) }
  }

  /// Whether all observers have been called for all events, and those of their notes have been handled
  /// that can be during this wait.
  var observersHaveHeard: Bool {
    !jobs.engine.isDelivering && !screen.feed.hasNews && !jobs.eventHandlers.hasRunnableNotes
  }

  /// Waits until the observers that are being called have returned.
  ///
  /// Their notes are handled before the next statement, on a fast machine and on a slow one.
  private func waitForObservers() {
    let end = ContinuousClock.now + .milliseconds(100)
    while isOnInterpreterThread, jobs.engine.isDelivering, .now < end {
      rest(until: .now + .milliseconds(1))
    }
  }

  /// Handles what is due: events, handlers, signals, and the time limits of the run.
  ///
  /// On a body's thread it only checks for the request to end.
  ///
  /// - Parameters:
  ///   - runsHandlers: Whether handlers run too; otherwise they run after the statement.
  ///   - limit: The maximum number of events; nil for all.
  /// - Returns: Whether the user pressed Ctrl-C at the prompt.
  /// - Throws: What ends the session, and what a handler throws.
  @discardableResult
  package func pump(runsHandlers: Bool = true, limit: Int? = nil) throws -> Bool {
    try throwRequestedEnd()
    try screen.sink.value?.attend()
    guard isOnInterpreterThread else {
      if interrupt.endsBodies { throw BodyEnded() }
      return false
    }
    screen.output.printPage()
    wakeUp.drain()
    if try answerSignals() { return true }
    drainFeed(limit: limit)
    try takeDueInputs()
    if runsHandlers, jobs.eventHandlers.hasNotes {
      try performNotes()
      drainFeed(limit: limit)
    }
    screen.output.writeDue()
    screen.live.value?.drawDue()
    // A signal that stopped the draining is answered before any wait.
    let isInterrupted = try answerSignals() || jobs.eventHandlers.takeInterruption()
    if hasTimedOut { throw SessionEnd(cause: .timeout) }
    if screen.output.writeError != 0 {
      throw SessionEnd(cause: .outputLost(screen.output.writeError))
    }
    return isInterrupted
  }

  /// Throws the end of the session that a body has asked for; only on the interpreter's thread.
  ///
  /// It is thrown once: a `quit` that waits lets bodies go on, and the session wait for them.
  package func throwRequestedEnd() throws {
    if interrupt.isRaised, isOnInterpreterThread, let end = interrupt.takeEnd() { throw end }
  }

  /// Runs handlers and observers that are due; their text goes where that of the session goes, not
  /// to the file or program of the statement that waits.
  package func performNotes() throws {
    try screen.sink.with(nil) {
      try jobs.eventHandlers.performNotes { subject, time in
        // On the virtual clock the system's time must not show.
        guard !mode.isRepeatable else { return }
        drainFeed()
        let waiting = jobs.eventHandlers.waitingSubjects.filter { $0 != subject }
        guard !waiting.isEmpty else { return }
        let names = waiting.prefix(3).joined(separator: ", ")
        let more = waiting.count > 3 ? " and \(waiting.count - 3) more" : ""
        screen.remark(
          "the handler of \(subject) held up: \(names)\(more) for \(DurationText(time))")
      }
    }
  }

  /// Called while one command creates very many objects: answers signals, but shows nothing and
  /// runs no handlers.
  package func checkSignals() throws {
    try throwRequestedEnd()
    guard interrupt.isLookDue(), isOnInterpreterThread else { return }
    // One command may cause more than should wait until its end.
    writeRecording(through: 0)
    if try answerSignals() { throw Interruption() }
  }

  /// Work while a line is typed: the editor handles signals, this handles the rest.
  package func pumpAtPrompt() throws {
    try throwRequestedEnd()
    if jobs.eventHandlers.hasNotes {
      // A statement of a handler drains the wake-up, although the lines before it are not shown yet.
      defer { wakeUp.signal() }
      try performNotes()
      // No statement runs.
      _ = jobs.eventHandlers.takeInterruption()
    }
    let isOver = runDeadline.map { .now >= $0 } ?? false
    if isOver || hasTimedOut { throw SessionEnd(cause: .timeout) }
  }

  /// Called again and again while a pipe or a slow file blocks the thread: shows events and answers
  /// signals, but runs no handlers.
  ///
  /// - Throws: What ends the session or the statement.
  package func attendBlocked() throws {
    if try pump(runsHandlers: false) { throw Interruption() }
  }

  /// Answers pending signals, and ends a run that takes too long by the system's clock: on the
  /// virtual clock no time passes during an endless loop.
  ///
  /// - Returns: Whether the user pressed Ctrl-C at the prompt.
  func answerSignals() throws -> Bool {
    var isInterrupted = takesInterruption()
    for signal in signals?.read() ?? [] {
      if try answer(signal) {
        isInterrupted = true
        if inputs.isRetaking {
          inputs.breakOff()
        } else {
          inputs.add(.interruption, at: mark)
        }
      }
    }
    if mode.isRepeatable, let runDeadline, .now >= runDeadline { throw SessionEnd(cause: .timeout) }
    return isInterrupted
  }

  /// When `--timeout` expires by the session's own clock; nil if only real time counts.
  var ownRunDeadline: ContinuousClock.Instant? {
    mode.isRepeatable && configuration.limitsOnlyRealTime ? nil : timeLimit
  }

  /// Whether `--timeout` has expired by the clock that the session goes by.
  private var hasTimedOut: Bool {
    ownRunDeadline.map { mode.isRepeatable ? clock.now >= $0 : .now >= $0 } ?? false
  }

  /// When `--timeout` expires by the virtual clock if the session goes by it, which a `reset` turns back.
  private var timeLimit: ContinuousClock.Instant? {
    guard mode.isRepeatable else { return runDeadline }
    return configuration.timeout.map { clock.startInstant + $0 - spentTime }
  }

  /// When `--timeout` expires.
  package var runDeadline: ContinuousClock.Instant? {
    configuration.timeout.map { startInstant + $0 }
  }

  /// - Returns: Whether it was an interrupt that only stops the current command.
  private func answer(_ signal: SignalEvent) throws -> Bool {
    switch signal {
    case .interrupt:
      if screen.isInteractive {
        screen.output.ending.begin()
        screen.output.endInterruptedLine()
        screen.giveUpBacklog()
        return true
      }
      screen.output.ending.begin()
      throw SessionEnd(cause: .signal(signal.number))
    // Ctrl-\ at a prompt without the editor, and while a program has the terminal.
    case .quit where screen.isInteractive && screen.output.isEditing: break
    case .terminate, .hangUp, .quit, .alarm, .user1, .user2:
      screen.output.ending.begin()
      throw SessionEnd(cause: .signal(signal.number))
    case .stop:
      let fullScreen = screen.state.withLock { $0.fullScreen }
      fullScreen?.leave()
      SignalMask.stopProcess()
      fullScreen?.resume()
    case .resume:
      screen.state.withLock { $0.fullScreen }?.resume()
    case .windowChange:
      break
    }
    return false
  }

  /// Sleeps until something may have changed, or until a time of the system's clock.
  func rest(until deadline: ContinuousClock.Instant?) {
    var timeout = deadline.map { max($0 - .now, .zero) }
    guard isOnInterpreterThread else {
      // A body has no descriptor of its own to sleep on; the log's wake-up belongs to the
      // interpreter. A short sleep costs little, because few bodies wait.
      Thread.sleep(forTimeInterval: min(timeout?.seconds ?? 0.005, 0.005))
      return
    }
    if let runDeadline {
      let left = max(runDeadline - .now, .zero)
      timeout = min(timeout ?? left, left)
    }
    if let patience { timeout = min(timeout ?? patience, patience) }
    let descriptors = [wakeUp.fileDescriptor, signals?.fileDescriptor].compactMap { $0 }
    _ = try? Poller.wait(
      fileDescriptors: descriptors + (screen.sink.value?.descriptors ?? []), timeout: timeout)
  }

  /// Sleeps until a program has output, the session has work to do, or the time is over.
  ///
  /// - Parameters:
  ///   - readable: Descriptors to wait for until they are readable or closed; negative ones are
  ///     ignored.
  ///   - writable: A descriptor to wait for until it is writable.
  ///   - patience: The longest time to sleep.
  package func rest(
    onReading readable: [Int32], writing writable: Int32 = -1, atMost patience: Duration
  ) {
    var (readable, patience) = (readable, patience)
    if isOnInterpreterThread {
      readable += [wakeUp.fileDescriptor, signals?.fileDescriptor].compactMap { $0 }
      if let runDeadline { patience = min(patience, max(runDeadline - .now, .zero)) }
      if let due = self.patience { patience = min(patience, due) }
    } else {
      // The session's descriptors belong to another thread.
      patience = min(patience, .milliseconds(20))
    }
    readable += screen.sink.value?.descriptors ?? []
    var entries = readable.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    entries.append(pollfd(fd: writable, events: Int16(POLLOUT), revents: 0))
    // Rounded up; otherwise the last millisecond would be spent polling.
    let milliseconds = Int32(clamping: Int64(patience.seconds * 1000) + 1)
    _ = poll(&entries, nfds_t(entries.count), milliseconds)
  }

  /// Shows and dispatches all pending events, until none is left or a signal arrives.
  ///
  /// - Parameter limit: The maximum number of events; nil for all.
  package func drainFeed(limit: Int? = nil) {
    guard let signals else { return screen.feed.drain(limit: limit) }
    screen.feed.drain(limit: limit) { signals.isPending }
  }

  /// Shows pending events on the interpreter's thread; does nothing on a body's thread.
  package func drainIfInterpreter() {
    if isOnInterpreterThread { screen.feed.drain() }
  }

  /// The longest time that the interpreter's thread may sleep without a wake-up; nil for ever.
  package var patience: Duration? {
    // New entries do not wake a reader that has unread ones.
    if screen.feed.hasNews { return .zero }
    return screen.output.hasDueLines || screen.live.value != nil ? LineEditor.frameInterval : nil
  }
}
