extension ObservableOperation {
  /// How long after it was added the operation may become ready.
  ///
  /// It counts like one more dependency, which ends by itself, and like those it no longer counts
  /// once the operation was cancelled. Setting it later than adding does nothing.
  public var startDelay: Duration {
    get { read { .nanoseconds($0.extras?.startDelay ?? 0) } }
    set {
      let delay = max(0, newValue.wholeNanoseconds)
      log.guarded {
        if core.state == .created { core.withExtras { $0.startDelay = delay } }
      }
    }
  }

  /// How long it may execute, all attempts together; nil for as long as it takes.
  ///
  /// When the time is over, a ``ConcurrentOperation`` fails at once with
  /// ``OperationError/timedOut(limit:)``. Any other is cancelled, and fails with that error when
  /// its body returns. A pause before a further attempt that would last beyond the limit is not begun:
  /// the operation ends with the failure then. Setting it after the start does nothing.
  public var timeLimit: Duration? {
    get {
      let limit = read { $0.extras?.timeLimit ?? 0 }
      return limit > 0 ? .nanoseconds(limit) : nil
    }
    set {
      let limit = newValue.map { max(1, $0.wholeNanoseconds) } ?? 0
      log.guarded {
        if core.takesDependencies { core.withExtras { $0.timeLimit = limit } }
      }
    }
  }

  /// How often and when it begins again if it fails; nil for never.
  ///
  /// It counts for operations that can fail: a ``ConcurrentOperation`` or ``BlockingOperation``.
  public var retryPolicy: RetryPolicy? {
    get { read { $0.extras?.retryPolicy } }
    set {
      let old = log.guarded {
        core.withExtras { extras -> RetryPolicy? in
          let old = extras.retryPolicy
          extras.retryPolicy = newValue
          return old
        }
      }
      // What the old one captured is let go here, without the lock.
      withExtendedLifetime(old) {}
    }
  }

  /// Has the delay end at its time.
  func startDelayTimer(until end: Int64) {
    keepTimer(until: end) { $0.delayIsOver() }
  }

  private func delayIsOver() {
    log.transact { domain in
      guard let extras = core.extras, extras.delayEnds != 0 else { return }
      extras.delayEnds = 0
      let delay = Wording.duration(.nanoseconds(extras.startDelay))
      Scheduler.removeCondition(
        self,
        cause: core.upstream.isEmpty ? .text("delay of \(delay) is over") : nil,
        in: &domain)
    }
  }

  /// Has the operation end at its latest time.
  func startTimeLimit(until end: Int64) {
    keepTimer(until: end) { $0.timeLimitReached() }
  }

  /// Cancels it because its time is over; the body decides when it ends.
  func stopForTime() {
    announceCancelling()
    log.transact { domain in
      guard core.state == .executing, !core.isFinishing, !core.isCancelled,
        let extras = core.extras, extras.verdict == nil
      else { return }
      let error = OperationError.timedOut(limit: .nanoseconds(extras.timeLimit))
      extras.verdict = error
      markCancelled(reason: error.message, in: &domain)
    }
  }

  /// Calls a handler later, unless the operation has finished by then.
  func keepTimer(until end: Int64, _ handler: @escaping @Sendable (ObservableOperation) -> Void) {
    let token = log.timers.schedule(at: end) { handler(self) }
    let isTooLate = log.guarded {
      guard core.state != .finished else { return true }
      core.withExtras { extras in
        extras.timers.removeAll(where: \.isCancelled)
        extras.timers.append(token)
      }
      return false
    }
    if isTooLate { token.cancel() }
  }

  /// Says when a failed operation begins again, if it does; in a transaction.
  ///
  /// A pause that would last beyond the time limit is not begun: the failure says more than that the
  /// time was over.
  func nextAttempt(after failure: OperationFailure) -> NextAttempt? {
    guard let extras = core.extras, let policy = extras.retryPolicy, !core.isCancelled,
      extras.verdict == nil, core.attempts <= policy.limit
    else { return nil }
    let number = core.attempts + 1
    let delay = policy.delay(after: core.attempts, chance: log.drawChance())
    let start = log.nanoseconds().addingClamped(delay.wholeNanoseconds)
    if extras.timeLimit > 0, start >= core.times.executing.addingClamped(extras.timeLimit) {
      extras.endOfAttempts =
        "no attempt \(number) of \(policy.attempts): a pause of \(Wording.duration(delay)) "
        + "does not fit into the time limit"
      return nil
    }
    return NextAttempt(number: number, delay: delay, start: start)
  }

  /// Begins the next attempt in its time.
  func retry(_ next: NextAttempt, after failure: OperationFailure) {
    log.transact { domain in
      core.withExtras { $0.attemptPause = (next.number, next.start, failure.code) }
      guard next.delay > .zero, core.state == .executing, !core.isFinishing,
        let policy = core.extras?.retryPolicy
      else { return }
      beginPause(
        reason: "pauses \(Wording.duration(next.delay)) before attempt \(next.number) of "
          + "\(policy.attempts): \(failure.code)", in: &domain)
    }
    keepTimer(until: next.start) { operation in
      operation.log.transact { domain in
        guard operation.core.state == .executing, !operation.core.isFinishing else { return }
        operation.core.withExtras { $0.attemptPause = nil }
        let delay = Wording.duration(next.delay)
        operation.beginAttempt(
          reason: "attempt \(next.number) after \(failure.code), waited \(delay)", in: &domain)
        operation.runAgain(in: &domain)
      }
    }
  }

  /// What an executing operation waits for that has failed and is to begin again; nil otherwise.
  public var attemptPause: AttemptPause? {
    let now = log.nanoseconds()
    return log.guarded { pauseInTransaction(at: now) }
  }

  func pauseInTransaction(at now: Int64) -> AttemptPause? {
    guard core.state == .executing, !core.isFinishing, let pause = core.extras?.attemptPause,
      let policy = core.extras?.retryPolicy
    else { return nil }
    return AttemptPause(
      attempt: pause.attempt, limit: policy.attempts,
      remaining: .nanoseconds(max(0, pause.end - now)), code: pause.code)
  }

  private func runAgain(in domain: inout Domain) {
    let place = core.queue.map { SlotRunner.Place(of: self, on: $0) }
    domain.effects.append(Start(operation: self, place: place))
  }
}

/// A further attempt at the work of an operation.
struct NextAttempt {
  /// The first one is 1.
  let number: Int
  /// How long the pause before it is.
  let delay: Duration
  /// When it begins, in nanoseconds of the log.
  let start: Int64
}
