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
  func handOver() {
    if let place {
      SlotRunner.hand(operation, at: place, isCancelled: isCancelled)
    } else {
      SlotRunner.runAlone(operation)
    }
  }
}
