import Dispatch

extension VirtualClock: Clock {
  /// The smallest difference between two times: 1 ns.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until the time has come, which only the thread that drives the clock brings.
  ///
  /// - Parameters:
  ///   - deadline: The time.
  ///   - tolerance: Not used: the clock is exact.
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func sleep(
    until deadline: ContinuousClock.Instant, tolerance: Duration? = nil
  ) async throws {
    guard deadline > now else { return try Task.checkCancellation() }
    let gate = Gate()
    let token = TimerQueue.Token { gate.open() }
    insert(token, at: nanoseconds(at: deadline))
    await withTaskCancellationHandler {
      await withCheckedContinuation { gate.enter($0) }
    } onCancel: {
      token.cancel()
      gate.open()
    }
    try Task.checkCancellation()
  }

  /// Lets a time pass, and runs all that is due meanwhile, in order.
  ///
  /// - Parameter duration: How long.
  public func advance(by duration: Duration) { advance(to: now + duration) }

  /// Lets the time pass until an instant, and runs all that is due until then, in order.
  ///
  /// - Parameter instant: The time; it never goes back, nor further than it ``reaches(_:)``.
  public func advance(to instant: ContinuousClock.Instant) {
    while runNext() || passTime(until: instant) {}
    skip(to: instant)
  }

  /// Runs all that is due, and lets time pass, until a condition holds or nothing is left to happen.
  ///
  /// - Parameter condition: Asked before each step.
  /// - Returns: Whether the condition holds.
  @discardableResult
  public func run(until condition: () -> Bool = { false }) -> Bool {
    while !condition() {
      guard runNext() || passTime() else { return condition() }
    }
    return true
  }
}

extension VirtualClock: TaskExecutor {
  /// Enqueues a part of an asynchronous function, which is then one of the things that happen one at
  /// a time.
  ///
  /// - Parameter job: The part.
  public func enqueue(_ job: consuming ExecutorJob) {
    let part = UnownedJob(job)
    let run: @Sendable () -> Void = { part.runSynchronously(on: self.asUnownedTaskExecutor()) }
    // A function may outlive the use of the clock.
    guard !isInUse else { return enqueue(run) }
    ThreadStarter.perform { DispatchQueue.global().async(execute: run) }
  }
}
