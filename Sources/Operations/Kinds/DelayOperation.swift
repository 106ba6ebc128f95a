/// An operation that lets some time pass, without holding a thread meanwhile.
public final class DelayOperation: ConcurrentOperation<Void>, @unchecked Sendable {
  // @unchecked because the superclass is, and `timerCount` is read and written only in transactions
  // of `log`.

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
  ///   - log: Where its transitions are recorded; the same as its queue's.
  ///   - completionHandler: What to call with the result, once.
  public init(
    name: String? = nil, kind: String = "delay", duration: Duration, log: EventLog = .shared,
    completionHandler: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    self.duration = duration
    super.init(name: name, kind: kind, log: log, completionHandler: completionHandler)
  }

  /// Starts the timer.
  public override func execute() {
    let number = log.guarded {
      timerCount += 1
      return timerCount
    }
    keepTimer(until: log.nanoseconds().addingClamped(max(0, duration.wholeNanoseconds))) {
      // Somebody may have failed that attempt, and the time is another one's.
      guard let delay = $0 as? DelayOperation,
        delay.log.guarded({ delay.timerCount == number })
      else { return }
      delay.finish(.success(()))
    }
  }

  override func beginsHere(followedBy effects: inout Effects) -> Bool {
    // There everything has its turn.
    !log.virtualClock.isInUse && executeHere()
  }
}
