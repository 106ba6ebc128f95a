import OpshSupport

/// Timers that have not fired, without those that were cancelled.
struct EngineTimers {
  private var timers = TimerHeap<Int64, TimerQueue.Token>()
  /// At this size cancelled timers are removed.
  private var pruneAt = 64

  /// How many timers there are, with cancelled ones that were not removed yet.
  var count: Int { timers.count }

  mutating func insert(_ token: TimerQueue.Token, at deadline: Int64) {
    if timers.count >= pruneAt {
      timers.removeAll(where: \.isCancelled)
      pruneAt = max(64, 2 * timers.count)
    }
    timers.insert(token, at: deadline)
  }

  /// The earliest deadline; cancelled timers before it are removed.
  var nextDeadline: Int64? {
    mutating get {
      while let first = timers.first, first.value.isCancelled { timers.popFirst() }
      return timers.first?.time
    }
  }

  /// Takes the timer with the earliest deadline.
  mutating func popFirst() -> TimerQueue.Token? { timers.popFirst() }
}
