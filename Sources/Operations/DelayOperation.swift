import Dispatch
import Locking

/// An operation that lets some time pass, without holding a thread meanwhile.
public final class DelayOperation: ConcurrentOperation<Void>, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant or locked.

  /// How long it takes.
  public let duration: Duration
  private let timer = Locked<(any DispatchSourceTimer)?>(nil)

  // A serial queue of our own: what is sent to a global one waits while blocking bodies keep its
  // few threads busy.
  private static let timers = DispatchQueue(label: "opsh.operations.delay")

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
    let source = DispatchSource.makeTimerSource(flags: .strict, queue: Self.timers)
    source.schedule(
      deadline: .now() + duration.dispatchInterval, leeway: .nanoseconds(0))
    source.setEventHandler { [self] in
      stopTimer()
      finish(.success(()))
    }
    timer.withLock { $0 = source }
    source.activate()
    // Cancelling may have come between the start and the timer.
    if isCancelled { stopTimer() }
  }

  /// Stops the timer.
  public override func cancelExecution() {
    stopTimer()
  }

  /// Lets the timer go, and with it the reference that its handler has to this operation.
  private func stopTimer() {
    let source = timer.withLock { timer in
      let source = timer
      timer = nil
      return source
    }
    source?.setEventHandler(handler: nil)
    source?.cancel()
  }
}
