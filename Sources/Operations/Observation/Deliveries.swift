import Synchronization

/// Counts the registries of a log that have notices which their observers have not all had.
///
/// A count ends without the lock of the log: what tells a notice runs beside all else, and would
/// otherwise have to queue up for the lock merely to say that it is done.
struct Deliveries: ~Copyable {
  private let count = Atomic(0)
  /// Whether somebody wants to be woken when all observers have caught up.
  private let isWatched = Atomic(false)

  var areUnderWay: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  /// Says whether `end` is to report the last one; whoever sets this looks at the count afterwards.
  func watch(_ isWatched: Bool) {
    self.isWatched.store(isWatched, ordering: .sequentiallyConsistent)
  }

  func begin() {
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
  }

  /// - Returns: Whether that was the last one, and somebody watches.
  func end() -> Bool {
    let isLast = count.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0
    return isLast && isWatched.load(ordering: .sequentiallyConsistent)
  }
}
