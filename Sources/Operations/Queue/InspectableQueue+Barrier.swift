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
    try add([operation], asBarrier: true)
  }

  /// The unfinished barriers, in the order in which they were added.
  public var barriers: [ObservableOperation] { engine.guarded { core.barriers } }

  /// Adds a block as a barrier; it runs on a thread of its own.
  ///
  /// The queue of a group that has finished ignores it.
  ///
  /// - Parameter block: What to do.
  public func addBarrierBlock(_ block: @escaping @Sendable () -> Void) {
    let operation = BlockingOperation(kind: "barrier", engine: engine) { _ in
      block()
      return nil
    }
    try? addBarrier(operation)
  }
}
