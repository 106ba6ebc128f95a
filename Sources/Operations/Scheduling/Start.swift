import OpshSupport

/// An operation whose work is to begin, and where.
struct Start {
  let operation: ObservableOperation
  /// Nil for one that was started by hand and is on no queue.
  let place: SlotRunner.Place?
  /// Whether it was cancelled before it could use its slot, and only has to end.
  var isCancelled = false

  /// Whether the thread that decided it may end one that was cancelled: on the virtual clock no other
  /// one runs, and what has no time to pass is not put off until something waits.
  var endsInline: Bool {
    operation.engine.virtualClock.isInUse && place.map { $0.queue.executor == nil } == true
  }

  /// Hands it over to another thread, or, on the virtual clock, puts it in line.
  ///
  /// - Parameter lease: The hold that lasts until one that was cancelled has ended.
  func handOver(holding lease: StartHold.Lease? = nil) {
    if let place {
      SlotRunner.hand(operation, at: place, isCancelled: isCancelled, holding: lease)
    } else {
      SlotRunner.runAlone(operation)
    }
  }
}

/// Starts in their order.
struct StartList {
  private var starts = FIFO<Start>()
  /// How many of them were cancelled and only have to end.
  private(set) var cancelledCount = 0

  var isEmpty: Bool { starts.isEmpty }
  var first: Start? { starts.first }

  mutating func append(_ start: Start) {
    starts.append(start)
    if start.isCancelled { cancelledCount += 1 }
  }

  mutating func append(_ other: StartList) {
    starts.append(other.starts)
    cancelledCount += other.cancelledCount
  }

  mutating func putBack(_ start: Start) {
    starts.putBack(start)
    if start.isCancelled { cancelledCount += 1 }
  }

  mutating func popFirst() -> Start? {
    guard let start = starts.popFirst() else { return nil }
    if start.isCancelled { cancelledCount -= 1 }
    return start
  }
}
