/// An operation that finishes after a delay, without occupying a thread.
public final class DelayOperation: ConcurrentOperation<Void>, @unchecked Sendable {
  // @unchecked because the superclass is, and `timerCount` is read and written only in transactions
  // of `engine`.

  /// How long it takes.
  public let duration: Duration
  /// How often a timer was started.
  private var timerCount = 0

  /// Creates an operation that takes the given time.
  ///
  /// - Parameters:
  ///   - name: Its name; without one it is called `delay-` and its number.
  ///   - kind: What it does.
  ///   - duration: How long it takes; nothing if it is negative.
  ///   - engine: Its engine; the same as its queue's.
  ///   - completionHandler: What to call with the result, once.
  public init(
    name: String? = nil, kind: String = "delay", duration: Duration,
    engine: OperationEngine = .shared,
    completionHandler: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    self.duration = duration
    super.init(name: name, kind: kind, engine: engine, completionHandler: completionHandler)
  }

  /// Starts the timer.
  public override func execute() {
    let number = engine.guarded {
      timerCount += 1
      return timerCount
    }
    keepTimer(until: engine.nanoseconds().addingClamped(max(0, duration.wholeNanoseconds))) {
      // That attempt may have failed, and the time belongs to another one.
      guard let delay = $0 as? DelayOperation,
        delay.engine.guarded({ delay.timerCount == number })
      else { return }
      delay.finish(.success(()))
    }
  }

  override func beginsInline(followedBy actions: inout DeferredActions) -> Bool {
    // On the virtual clock nothing runs inline.
    !engine.virtualClock.isInUse && executeHere()
  }
}
