public import Foundation
import OpshLocking
import OpshSupport
import Synchronization

/// A clock that stands still while something runs, and jumps to what is due next when nothing does.
///
/// While it is in use, whatever the engine's operations do happens one thing at a time, in an order that
/// nothing but the program decides: carriers of operations and the handlers of timers are called by
/// the thread that drives the clock, and bodies that block, which have threads of their own, run
/// only while that thread waits for them. So ten minutes of delays take no time, and every run is
/// like the other.
///
/// One thread drives it, by ``advance(by:)``, ``run(until:)``, or step by step by ``runNext(_:)`` and
/// ``passTime(until:)``; a body that would wait calls ``rest(until:wakesOnEvents:)``.
///
/// ```swift
/// let engine = OperationEngine()
/// engine.virtualClock.begin()
/// let queue = InspectableQueue(name: "network", engine: engine)
/// try queue.addOperation(DelayOperation(duration: .seconds(600), engine: engine))
/// engine.virtualClock.run()
/// ```
public final class VirtualClock: Sendable {
  /// Whether the engine goes by this clock.
  public var isInUse: Bool { inUse.load(ordering: .relaxed) }

  /// The day that the clock begins at, so that dates are the same in every run.
  public static let startDate: Date = Date(timeIntervalSince1970: 1_717_200_000)

  private let inUse = Atomic(false)
  private let time: Atomic<Int64>
  private let start: EngineStart
  private let state = Locked(State())
  /// Signalled by a body that stops running, for the thread that drives.
  private let returned = DispatchSemaphore(value: 0)

  init(start: EngineStart) {
    self.start = start
    time = Atomic(start.nanoseconds)
  }

  // MARK: Time

  /// The present time.
  public var now: ContinuousClock.Instant { start.instant(at: nanoseconds) }

  /// The present time as a date.
  public var date: Date {
    Self.startDate.addingTimeInterval(Double(nanoseconds - start.nanoseconds) / 1e9)
  }

  var nanoseconds: Int64 { time.load(ordering: .relaxed) }

  /// The latest time that it goes to, in nanoseconds: 290 years after the engine was created, however
  /// long the machine has been up, if that leaves room for the transitions that follow.
  private var latest: Int64 {
    let years = Int64(290 * 365.25 * 86_400) * 1_000_000_000
    return min(start.nanoseconds.addingClamped(years), Int64.max - (1 << 40))
  }

  /// Whether what is next to happen comes after some 290 years, when its numbers end: it never
  /// will.
  public var hasEnded: Bool {
    state.withLock { state in state.timers.nextDeadline.map { $0 > latest } ?? false }
  }

  /// There is something that is to happen later.
  package var hasTimers: Bool { state.withLock { $0.hasTimer(until: .max) } }

  /// Whether it can go to a time.
  public func reaches(_ instant: ContinuousClock.Instant) -> Bool {
    nanoseconds(at: instant) <= latest
  }

  func nanoseconds(at instant: ContinuousClock.Instant) -> Int64 {
    start.nanoseconds.addingClamped((instant - start.instant).wholeNanoseconds)
  }

  /// Whether time has passed on it, or could have.
  public var hasBegun: Bool { nanoseconds != start.nanoseconds }

  /// Has it give the slots of an engine when everything has happened that is due at one time.
  func attach(to engine: OperationEngine) {
    state.withLock { $0.engine = engine }
  }

  /// Puts it in use.
  ///
  /// Nothing may be under way then; the caller sees to that.
  ///
  /// - Parameter instant: What time it is to show; nil for the start of the log.
  public func begin(at instant: ContinuousClock.Instant? = nil) {
    if let instant {
      skip(to: instant)
    } else {
      let engine = state.withLock { $0.engine }
      engine?.transact { $0.moveSetupToStart() }
    }
    inUse.store(true, ordering: .sequentiallyConsistent)
  }

  /// Ends the use of the virtual clock, and discards what was scheduled.
  ///
  /// Bodies that rest run on, each by itself. The engine's time never goes back: until the system's clock
  /// has come to where this one stood, entries are a nanosecond apart, and what counts from
  /// an entry (delays before a start, limits of time, paces) comes late by what was skipped.
  public func end() {
    inUse.store(false, ordering: .sequentiallyConsistent)
    var old = State()
    state.withLock { state in
      swap(&old, &state)
      state.engine = old.engine
    }
    old.hold?.end()
    for suspended in old.suspended { suspended.scheduled.turn.signal() }
    old.paused?.turn.signal()
    while let job = old.jobs.popFirst() { job.scheduled?.turn.signal() }
    // A body that has returned has signalled that, or is about to; the next one's return is another.
    if old.isBodyOut, old.running == nil { returned.wait() }
  }

  /// Moves the time forwards without running what is due; it never goes back, nor further than it
  /// ``reaches(_:)``.
  package func skip(to instant: ContinuousClock.Instant) {
    raise(to: min(nanoseconds(at: instant), latest))
  }

  private func raise(to nanoseconds: Int64) {
    time.max(nanoseconds, ordering: .relaxed)
  }

  /// The time of a transaction, later than that of the one before.
  func next(after last: Int64) -> Int64 {
    raise(to: last.addingClamped(1))
    return nanoseconds
  }

  // MARK: What is to happen

  /// Enqueues a call on the driving thread.
  func enqueue(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.jobs.append(.call(body)) }
  }

  func insert(_ token: TimerQueue.Token, at deadline: Int64) {
    state.withLock { $0.timers.insert(token, at: deadline) }
  }

  /// Enqueues `work`, which runs on a thread of its own.
  func startBody(
    _ work: @escaping @Sendable () -> Void, quality: QualityOfService = .default
  ) {
    let scheduled = ScheduledBody()
    BodyThreadPool.of(quality).run { [self] in
      scheduled.turn.wait()
      work()
      yieldTurn(scheduled)
    }
    state.withLock { $0.jobs.append(.resume(scheduled)) }
  }

  // MARK: The thread that drives

  /// Runs the next call or body that is due at the present time.
  ///
  /// - Parameter poll: Called repeatedly while a body runs; an error from it ends the wait for the
  ///   body, which continues.
  /// - Returns: Whether something was due.
  /// - Throws: What `poll` throws.
  @discardableResult
  public func runNext(_ poll: () throws -> Void) rethrows -> Bool {
    try awaitBody(poll)
    if continueInstant() { return true }
    let body = state.withLock { state in
      let body = state.popBody()
      if body != nil { (state.running, state.isBodyOut) = (body, true) }
      return body
    }
    guard let body else { return endHolds() ? try runNext(poll) : false }
    body.turn.signal()
    try awaitBody(poll)
    return true
  }

  /// A body was interrupted between two statements, or timers of the present time may be due that have
  /// not run.
  package var isInterrupted: Bool { state.withLock { $0.paused != nil || $0.instantEnd != nil } }

  /// Runs the next part of what was interrupted.
  ///
  /// - Parameter poll: As of ``runNext(_:)``.
  /// - Returns: Whether there was one.
  /// - Throws: What `poll` throws.
  package func goOn(_ poll: () throws -> Void) rethrows -> Bool {
    state.withLock { $0.paused == nil } ? continueInstant() : try runNext(poll)
  }

  /// Runs the next call or body that is due at the present time, however long a body takes.
  ///
  /// - Returns: Whether something was due.
  @discardableResult
  public func runNext() -> Bool { runNext {} }

  /// Resumes bodies that wait for a change, or advances the time to the next timer and runs it.
  ///
  /// Call it when nothing is due any more.
  ///
  /// - Parameter limit: The latest time to go to; nil for none.
  /// - Returns: Whether there was something; if not, the time is as it was, and ``hasEnded`` says
  ///   whether something would come later than it can go to.
  @discardableResult
  public func passTime(until limit: ContinuousClock.Instant? = nil) -> Bool {
    guard beginInstant(until: limit) else { return false }
    while continueInstant() {}
    return true
  }

  /// Resumes bodies that wait for a change, or advances the time to the next timer and runs that one.
  ///
  /// The rest that is due at that time follows with ``continueInstant()``.
  ///
  /// - Parameter limit: The latest time to go to; nil for none.
  /// - Returns: Whether there was something.
  package func beginInstant(until limit: ContinuousClock.Instant? = nil) -> Bool {
    if wakeSuspended() { return true }
    let latest = min(limit.map(nanoseconds(at:)) ?? .max, self.latest)
    guard let (deadline, token) = state.withLock({ $0.takeTimer(until: latest) }) else {
      return false
    }
    raise(to: deadline)
    // All that is due at this time happens before a slot is given.
    let end = min(nanoseconds.addingClamped(Self.simultaneity.wholeNanoseconds), self.latest)
    state.withLock { $0.instantEnd = end }
    beginHold(ifTimerUntil: end)
    call(token.take())
    return true
  }

  /// Runs what follows from the last timer, one call at a time, then the next timer that is due at the
  /// same time.
  ///
  /// - Returns: Whether there was something; bodies run after all timers of one time.
  package func continueInstant() -> Bool {
    if runCall() { return true }
    guard let end = state.withLock({ $0.instantEnd }) else { return false }
    guard let (deadline, token) = state.withLock({ $0.takeTimer(until: end) }) else {
      endInstant()
      return false
    }
    raise(to: deadline)
    if state.withLock({ $0.hold == nil }) { beginHold(ifTimerUntil: end) }
    call(token.take())
    return true
  }

  private func endInstant() {
    let now = nanoseconds
    let isSettled = state.withLock { state in
      guard let end = state.instantEnd.take() else { return false }
      return state.hasNoJobs && !state.isMoreDue(until: max(end, now))
    }
    if isSettled { endHold() }
  }

  /// Runs the next thing that follows from what has happened: a call, or the start of what is given a
  /// slot because all has happened that is due at this time.
  ///
  /// - Returns: Whether there was something; no body and no timer runs.
  package func settleNext() -> Bool {
    if runCall() { return true }
    let mayEnd = state.withLock { state in
      guard state.hasNoJobs else { return false }
      return state.instantEnd.map { end in !state.hasTimer(until: end) } ?? true
    }
    guard mayEnd else { return false }
    if isInterrupted {
      endInstant()
      return true
    }
    return endHolds()
  }

  /// Runs the next job if it is a call.
  private func runCall() -> Bool {
    guard let body = state.withLock({ $0.popCall() }) else { return false }
    call(body)
    return true
  }

  /// Times that are no further apart are one time: transitions at one time are a nanosecond apart,
  /// in their order.
  package static let simultaneity: Duration = .microseconds(1)

  /// Calls what is due; what an operation adds to its group by that starts with the rest.
  private func call(_ body: (@Sendable () -> Void)?) {
    state.withLock { $0.isCalling = true }
    body?()
    state.withLock { state in
      state.isCalling = false
      state.hasMoved = true
    }
  }

  // MARK: What happens at one time

  /// Has no slot given for now if another timer is due by then.
  private func beginHold(ifTimerUntil end: Int64) {
    let engine = state.withLock { state -> OperationEngine? in
      guard state.hold == nil else {
        state.roundsLeft -= 1
        return nil
      }
      state.roundsLeft = State.mostRounds
      return state.isMoreDue(until: end) ? state.engine : nil
    }
    guard let hold = engine?.leaseHold() else { return }
    state.withLock { $0.hold = hold }
  }

  /// Gives slots again, because a statement follows, before all bodies have run that are due at this
  /// time: what it adds starts at once.
  package func endHold() {
    guard isInUse else { return }
    let hold = state.withLock { $0.isCalling ? nil : $0.hold.take() }
    hold?.end()
  }

  /// Ends all holds, because nothing is due any more: what keeps one waits for a start.
  ///
  /// - Returns: Whether something is due because of that.
  private func endHolds() -> Bool {
    let now = nanoseconds
    let engine = state.withLock { state -> OperationEngine? in
      if state.hold != nil, state.isMoreDue(until: now) { return nil }
      state.hold = nil
      return state.engine
    }
    guard let engine, engine.guardedState({ $0.hasHolds }) else { return false }
    engine.transact { $0.endAllHolds() }
    return state.withLock { !$0.hasNoJobs }
  }

  /// Notes that something may have changed that a suspended body waits for.
  public func noteMove() {
    state.withLock { $0.hasMoved = true }
  }

  /// Resumes all suspended bodies, so that they check again what they wait for.
  public func wakeAll() {
    state.withLock { state in
      for suspended in state.suspended { state.jobs.append(.resume(suspended.scheduled)) }
      state.suspended = []
    }
  }

  private func wakeSuspended() -> Bool {
    state.withLock { state in
      guard state.hasMoved else { return false }
      state.hasMoved = false
      let woken = state.suspended.filter(\.wakesOnEvents)
      state.suspended.removeAll(where: \.wakesOnEvents)
      for suspended in woken { state.jobs.append(.resume(suspended.scheduled)) }
      return !woken.isEmpty
    }
  }

  private func awaitBody(_ poll: () throws -> Void) rethrows {
    guard state.withLock({ $0.isBodyOut }) else { return }
    while returned.wait(timeout: .now() + .milliseconds(20)) == .timedOut { try poll() }
    state.withLock { $0.isBodyOut = false }
  }

  // MARK: Bodies

  /// Lets others run until a time, or until something has happened; to be called by a body.
  ///
  /// - Parameters:
  ///   - limit: When to come back; nil for only when something has happened.
  ///   - wakesOnEvents: Whether to come back also when something has happened before.
  public func rest(until limit: ContinuousClock.Instant?, wakesOnEvents: Bool = true) {
    _ = rests(until: limit, wakesOnEvents: wakesOnEvents)
  }

  /// Lets others run, as ``rest(until:wakesOnEvents:)`` does.
  ///
  /// - Returns: Whether it did; it does not where the clock is not in use, and time passes by itself.
  func rests(until limit: ContinuousClock.Instant? = nil, wakesOnEvents: Bool = true) -> Bool {
    guard isInUse, let scheduled = state.withLock({ $0.running }) else { return false }
    var token: TimerQueue.Token?
    if let limit {
      let alarm = TimerQueue.Token { [weak self, weak scheduled] in
        guard let self, let scheduled else { return }
        state.withLock { $0.wake(scheduled) }
      }
      insert(alarm, at: nanoseconds(at: limit))
      token = alarm
    }
    defer { token?.cancel() }
    let rests = state.withLock { state in
      // The clock may have been put out of use since; then nothing would wake it.
      guard state.running === scheduled else { return false }
      state.suspended.append(SuspendedBody(scheduled: scheduled, wakesOnEvents: wakesOnEvents))
      return true
    }
    guard rests else { return false }
    yieldTurn(scheduled)
    scheduled.turn.wait()
    return true
  }

  /// Lets the thread that drives go on between two statements of a body, which is what runs next.
  ///
  /// To be called by a body; it does nothing where the clock is not in use.
  package func pauseBody() {
    let paused = state.withLock { state -> ScheduledBody? in
      guard let scheduled = state.running, isInUse else { return nil }
      state.paused = scheduled
      return scheduled
    }
    guard let paused else { return }
    yieldTurn(paused)
    paused.turn.wait()
  }

  private func yieldTurn(_ scheduled: ScheduledBody) {
    let wasRunning = state.withLock { state in
      guard state.running === scheduled else { return false }
      state.running = nil
      return true
    }
    if wasRunning { returned.signal() }
  }
}
