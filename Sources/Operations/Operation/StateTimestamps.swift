/// When an operation entered each state, and when it was cancelled.
public struct StateTimestamps: Sendable, Equatable {
  /// When it was built.
  public var created: ContinuousClock.Instant?
  /// When it was added to a queue.
  public var pending: ContinuousClock.Instant?
  /// When nothing it depends on was left to wait for.
  public var ready: ContinuousClock.Instant?
  /// When it was given a slot.
  public var executing: ContinuousClock.Instant?
  /// When it ended.
  public var finished: ContinuousClock.Instant?
  /// When it was cancelled, which may be long before it ended.
  public var cancelled: ContinuousClock.Instant?

  /// When it started: another name for ``executing``.
  public var started: ContinuousClock.Instant? { executing }

  init(_ times: StateTimes, start: EngineStart) {
    func instant(_ time: Int64) -> ContinuousClock.Instant? {
      time == 0 ? nil : start.instant(at: time)
    }
    created = instant(times.created)
    pending = instant(times.pending)
    ready = instant(times.ready)
    executing = instant(times.executing)
    finished = instant(times.finished)
    self.cancelled = instant(times.cancelled)
  }
}
