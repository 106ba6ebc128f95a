/// Decides when the operations of a queue start, in place of the queue.
///
/// The queue starts nothing by itself then; the driver calls ``InspectableQueue/start(_:)`` for each.
/// Its methods are called on any thread, with no lock held, and must not block.
package protocol QueueDriver: AnyObject, Sendable {
  /// Why the queue can't take operations; nil if it can.
  func refusal(of operations: [ObservableOperation]) -> String?
  /// Called after the queue was given another class of service.
  func didSetQuality()
  /// Called after operations were added.
  func didAdd(_ operations: [ObservableOperation])
}

extension InspectableQueue {
  /// Starts a ready operation of a driven queue, whatever its width and whether it is suspended; a
  /// cancelled one ends without running.
  ///
  /// It may be called on any thread, and takes constant time.
  ///
  /// - Parameter operation: The operation.
  /// - Returns: Whether it was ready and is on this queue.
  package func start(_ operation: ObservableOperation) -> Bool {
    engine.transact { state in
      guard core.isDriven, operation.core.queue === self, operation.core.isStartable else {
        return false
      }
      Scheduler.start(operation, on: self, in: &state)
      return true
    }
  }

  /// The operations that hold all threads of the pool by which the driver starts others.
  ///
  /// None while a thread is free. To be set by the driver.
  package var poolHolders: [ObservableOperation] {
    get { read { $0.holdersOfPool } }
    set {
      engine.transact { state in
        let ids = newValue.map(\.id)
        if core.poolHolders != ids { state.decide(.poolHolders(ids), of: self) }
      }
    }
  }

  /// Fails an operation of a driven queue that has not started, because the driver has ended.
  ///
  /// It may be called on any thread, and takes constant time.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - error: What it fails with.
  /// - Returns: Whether it was on this queue and had not started.
  package func end(_ operation: ObservableOperation, with error: OperationError) -> Bool {
    engine.transact { state in
      guard core.isDriven, operation.core.queue === self,
        operation.core.state == .pending || operation.core.state == .ready,
        operation.core.takesDependencies
      else { return false }
      operation.core.withExtras { $0.dependencyFailure = error }
      state.decide(.stopped(0), of: operation)
      state.finishWithoutRunning(operation)
      return true
    }
  }
}

extension QueueCore {
  /// Those of ``poolHolders`` that execute, in the same order.
  var holdersOfPool: [ObservableOperation] {
    let executing = slots.compactMap { $0 }
    return poolHolders.compactMap { id in executing.first { $0.id == id } }
  }
}
