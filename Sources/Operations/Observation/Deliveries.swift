import Synchronization

/// Counts an engine's operations and queues that have changes to deliver to observers.
///
/// It needs no lock. With the lock of the engine for each notice the benchmark
/// `engine/independent/COUNT/total-observer` takes a fifth longer.
struct Deliveries: ~Copyable {
  private let count = Atomic(0)
  /// Whether the log has a wake-up handler, to be called when the count is zero.
  private let isWatched = Atomic(false)

  var areUnderWay: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  /// Sets whether `end` reports the last one; the caller looks at the count afterwards.
  func watch(_ isWatched: Bool) {
    self.isWatched.store(isWatched, ordering: .sequentiallyConsistent)
  }

  func begin() {
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
  }

  /// - Returns: Whether that was the last one, and the log has a wake-up handler.
  func end() -> Bool {
    let isLast = count.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0
    return isLast && isWatched.load(ordering: .sequentiallyConsistent)
  }
}
