extension ObservableOperation {
  /// How long after it was added the operation may become ready.
  ///
  /// It counts like one more dependency, which ends by itself, and like those it no longer counts
  /// once the operation was cancelled. Setting it later than adding does nothing.
  public var startDelay: Duration {
    get { read { .nanoseconds($0.extras?.startDelay ?? 0) } }
    set {
      let delay = max(0, newValue.wholeNanoseconds)
      engine.transact { state in
        let old = core.extras?.startDelay ?? 0
        guard core.state == .created, delay != old else { return }
        state.decide(.startDelay(old: .nanoseconds(old), new: .nanoseconds(delay)), of: self)
      }
    }
  }

  /// Whether it waits until the app is in the foreground; cancelling ends that, too.
  ///
  /// Setting it to true later than adding does nothing.
  package var awaitsForeground: Bool {
    get { read { $0.extras?.awaitsForeground ?? false } }
    set {
      engine.transact { state in
        guard core.extras?.awaitsForeground ?? false != newValue,
          newValue ? core.state == .created : core.state != .finished
        else { return }
        let wasReady = core.isReady
        state.decide(.awaitsForeground(newValue), of: self)
        if newValue {
          if wasReady, !core.isReady { Scheduler.lostReadiness(self, in: &state) }
        } else {
          Scheduler.conditionRemoved(
            self, cause: .text("the app is in the foreground"), in: &state)
          state.wakeWaiting()
        }
      }
    }
  }

  /// Has the delay end at its time.
  func startDelayTimer(until end: Int64) {
    keepTimer(until: end) { $0.delayIsOver() }
  }

  private func delayIsOver() {
    engine.transact { state in
      guard let extras = core.extras, extras.delayEnds != 0 else { return }
      state.decide(.delayEnded, of: self)
      let delay = Wording.duration(.nanoseconds(extras.startDelay))
      // Dependencies that it has were met before.
      Scheduler.conditionRemoved(
        self, cause: .text("delay of \(delay) is over"), in: &state)
      // Another dependency may keep it, and no entry says that nothing changes by itself any more.
      state.wakeWaiting()
    }
  }

  /// Whether it has executed for as long as it may; the limit of zero is kept as a nanosecond.
  package var isOverTime: Bool {
    let now = engine.nanoseconds()
    return read { core in
      guard let limit = core.extras?.timeLimit else { return false }
      return now >= core.times.executing.addingClamped(limit - 1)
    }
  }

  /// Whether it will change without an action from outside, even if it can't finish: its start delay is
  /// not over, or it is a group that its time limit will cancel, or whose own end has not yet reached
  /// what is in it.
  ///
  /// Takes time proportional to the size of a group that was cancelled or skipped.
  package var changesByItself: Bool {
    read { core in
      if core.extras?.delayEnds ?? 0 > 0 { return true }
      guard let group = self as? GroupOperation else { return false }
      return core.isCancelled || core.isFinishing
        ? group.innerQueue.core.operations.contains(where: \.isCancellable)
        : core.hasTimeLimit && (core.isClaimed || core.state == .executing)
    }
  }

  /// Calls a handler after a pause inside `executing`, which the log tells of, unless the operation
  /// has finished by then.
  ///
  /// - Parameters:
  ///   - duration: How long.
  ///   - reason: How long and why.
  ///   - handler: What to call; it must not block.
  package func pause(
    for duration: Duration, reason: String, then handler: @escaping @Sendable () -> Void
  ) {
    notePause(for: duration, reason: reason)
    let end = engine.nanoseconds().addingClamped(max(0, duration.wholeNanoseconds))
    keepTimer(until: end) { _ in handler() }
  }

  /// The operation that does its work by this one: what happens to the attempts is also logged for
  /// it.
  package var outer: ObservableOperation? {
    get { read { $0.extras?.outer } }
    set { engine.guarded { core.withExtras { $0.outer = newValue } } }
  }

  /// Has the operation end at its latest time.
  func startTimeLimit(until end: Int64) {
    keepTimer(until: end) { $0.timeLimitReached() }
  }

  /// Cancels it because its time is over; the body decides when it ends.
  func stopForTime() {
    announceCancelling()
    engine.transact { state in
      guard core.state == .executing, !core.isFinishing, !core.isCancelled,
        let extras = core.extras, extras.dependencyFailure == nil
      else { return }
      let error = OperationError.timedOut(limit: .nanoseconds(extras.timeLimit ?? 0))
      extras.dependencyFailure = error
      markCancelled(reason: error.message, in: &state)
    }
  }

  /// Calls a handler later, unless the operation has finished by then.
  func keepTimer(until end: Int64, _ handler: @escaping @Sendable (ObservableOperation) -> Void) {
    let token = engine.timers.schedule(at: end) { handler(self) }
    let isTooLate = engine.guarded {
      guard core.state != .finished else { return true }
      core.withExtras { extras in
        extras.timers.removeAll(where: \.isCancelled)
        extras.timers.append(token)
      }
      return false
    }
    if isTooLate { token.cancel() }
  }

  /// Decides whether another attempt follows a failure; without the lock, because it calls client
  /// code.
  ///
  /// A pause that would last beyond the time limit is not begun: the failure says more than that the
  /// time was over.
  func nextAttempt(after error: any Error) -> NextAttempt? {
    let (known, attempt, end) = read { core -> (RetryPolicy?, Int, Int64) in
      guard let extras = core.extras, core.state == .executing, !core.isFinishing,
        !core.isCancelled, extras.dependencyFailure == nil
      else { return (nil, 0, 0) }
      let limit = extras.timeLimit ?? .max
      return (extras.retryPolicy, core.attempts, core.times.executing.addingClamped(limit))
    }
    let failure = OperationFailure(error)
    guard let policy = known, attempt <= policy.limit, policy.isRetryable(failure) else {
      return nil
    }
    let number = "\(attempt + 1) of \(policy.attempts)"
    switch decideRetry(after: error, attempt: attempt, policy: policy) {
    case .stop(let reason):
      if let reason { endAttempts("no attempt \(number): \(reason)") }
      return nil
    case .after(let delay, let note):
      let start = engine.nanoseconds().addingClamped(delay.wholeNanoseconds)
      guard start < end else {
        let pause = Wording.duration(delay)
        endAttempts("no attempt \(number): a pause of \(pause) does not fit into the time limit")
        return nil
      }
      return NextAttempt(
        number: attempt + 1, limit: policy.attempts, delay: delay, start: start,
        code: failure.code, note: note)
    }
  }

  /// Why a failed operation with a retry policy was not retried, or not again; nil for any other one.
  public var endOfAttempts: String? {
    guard !(self is GroupOperation), case .failed? = outcome else { return nil }
    let (reason, policy, attempts) = read {
      ($0.extras?.endOfAttempts, $0.extras?.retryPolicy, $0.attempts)
    }
    if let reason { return reason }
    guard let policy, policy.limit > 0, attempts > policy.limit else { return nil }
    return "all \(policy.attempts) attempts failed"
  }

  private func endAttempts(_ reason: String) {
    let outer = outer
    engine.guarded { core.withExtras { $0.endOfAttempts = reason } }
    outer?.endAttempts(reason)
  }

  /// Begins the next attempt in its time; the pause before it has begun.
  func retry(_ next: NextAttempt) {
    if let outer { outer.engine.transact { outer.awaitAttempt(next, in: &$0) } }
    keepTimer(until: next.start) { $0.beginAttempt(next) }
  }

  /// Begins the pause before the next attempt.
  func awaitAttempt(_ next: NextAttempt, in state: inout EngineState) {
    guard core.state == .executing, !core.isFinishing else { return }
    if core.extras?.finishWait != nil { state.decide(.finishWait(nil), of: self) }
    let now = state.time()
    state.decide(
      .nextAttempt(
        AttemptPause(
          attempt: next.number, limit: next.limit,
          remaining: .nanoseconds(max(0, next.start - now)), code: next.code + next.note)),
      of: self)
    if next.delay > .zero {
      beginPause(for: next.delay, reason: next.pauseReason, in: &state)
    }
  }

  private func beginAttempt(_ next: NextAttempt) {
    // Before the attempt, after which the outer operation may finish.
    if attemptPause != nil { outer?.noteAttempt(reason: next.reason) }
    engine.transact { state in
      guard core.state == .executing, !core.isFinishing else { return }
      beginAttempt(reason: next.reason, in: &state)
      runAgain(in: &state)
    }
  }

  /// What an executing operation waits for that has failed and will be retried; nil otherwise.
  public var attemptPause: AttemptPause? {
    let now = engine.nanoseconds()
    return engine.guarded { pauseInTransaction(at: now) }
  }

  func pauseInTransaction(at now: Int64) -> AttemptPause? {
    guard core.state == .executing, !core.isFinishing, let next = core.extras?.attemptPause else {
      return nil
    }
    return AttemptPause(
      attempt: next.number, limit: next.limit, remaining: .nanoseconds(max(0, next.start - now)),
      code: next.code + next.note)
  }

  private func runAgain(in state: inout EngineState) {
    let place = core.queue.map { SlotRunner.Place(of: self, on: $0) }
    state.actions.append(Start(operation: self, place: place))
  }
}

/// A further attempt at the work of an operation.
struct NextAttempt {
  /// The first one is 1.
  let number: Int
  /// How many attempts are made at most.
  let limit: Int
  /// How long the pause before it is.
  let delay: Duration
  /// When it begins, in nanoseconds of the engine's clock.
  let start: Int64
  /// The code of the failure before it.
  let code: String
  /// What to add to the code in the reason of the pause.
  let note: String

  var pauseReason: String {
    "pauses \(Wording.duration(delay)) before attempt \(number) of \(limit): \(code)\(note)"
  }

  private static let separator = " after "

  /// The code of the failure that an attempt follows, from the reason of its entry.
  static func code(inReason reason: String) -> String? {
    guard reason.hasPrefix("attempt "), let start = reason.firstRange(of: separator) else {
      return nil
    }
    let rest = reason[start.upperBound...]
    let end = rest.firstRange(of: pauseClause)?.lowerBound ?? rest.endIndex
    return String(rest[..<end])
  }

  private static let pauseClause = " and a pause of "

  var reason: String {
    let pause = delay > .zero ? Self.pauseClause + Wording.duration(delay) : ""
    return "attempt \(number) of \(limit)\(Self.separator)\(code)\(pause)"
  }
}
