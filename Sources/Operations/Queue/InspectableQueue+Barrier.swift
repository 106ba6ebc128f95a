extension InspectableQueue {
  /// Adds an operation as a barrier.
  ///
  /// It starts when everything that was added before it has finished, whatever the priorities, and
  /// nothing that is added later starts before it has finished. Unlike Foundation's, it does so on
  /// an empty or suspended queue too, it counts among the ``operations``, and it may be any
  /// operation.
  ///
  /// - Parameter operation: An operation that is on no queue and was not started.
  /// - Throws: ``QueueError`` if it cannot be added; nothing has changed then.
  public func addBarrier(_ operation: ObservableOperation) throws(QueueError) {
    let isNew = operation.log.guarded {
      guard operation.core.state == .created, operation.core.extras?.isBarrier != true else {
        return false
      }
      operation.core.withExtras { $0.isBarrier = true }
      return true
    }
    do {
      try addOperation(operation)
    } catch {
      if isNew { operation.log.guarded { operation.core.extras?.isBarrier = false } }
      throw error
    }
  }

  /// Adds a block as a barrier; it runs on a thread of its own.
  ///
  /// - Parameter block: What to do.
  public func addBarrierBlock(_ block: @escaping @Sendable () -> Void) {
    let operation = BlockingOperation(kind: "barrier", log: log) { _ in
      block()
      return nil
    }
    // A new operation of the same log is never refused by a queue that is not a group's.
    try? addBarrier(operation)
  }
}
