/// An operation whose work is to begin, and where.
struct Start {
  let operation: ObservableOperation
  /// Nil for one that was started by hand and is on no queue.
  let place: SlotRunner.Place?
  /// Whether it was cancelled before it could use its slot, and only has to end.
  var isCancelled = false

  /// Hands it over to another thread, or, on the virtual clock, puts it in line.
  func handOver() {
    if let place {
      SlotRunner.hand(operation, at: place, isCancelled: isCancelled)
    } else {
      SlotRunner.runAlone(operation)
    }
  }
}
