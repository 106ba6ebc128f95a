public import Foundation

extension ObservableOperation {
  /// Makes it wait until a Foundation operation has finished, wherever that runs.
  ///
  /// Each operation that is waited for takes a thread until it has finished, unless it was added to
  /// an ``InspectableQueue``.
  ///
  /// - Parameters:
  ///   - operation: What must finish first.
  ///   - policy: What happens if that was cancelled.
  /// - Throws: ``DependencyError`` as ``depend(on:policy:)-(ObservableOperation,_)`` does.
  public func depend(
    on operation: Operation, policy: FailurePolicy = .run
  ) throws(DependencyError) {
    if let own = operation as? ObservableOperation {
      return try depend(on: own, policy: policy)
    }
    if let names = ForeignPath.names(from: operation, to: self, engine: engine) {
      throw .cycle(path: [displayName] + names)
    }
    let representative = engine.foreign.representative(of: operation, engine: engine)
    do {
      try depend(on: representative, policy: policy)
    } catch {
      // No other operation waits for what was only made for this.
      if representative is WatchingOperation, representative.state == .created {
        engine.foreign.forgetWatcher(of: operation)
      }
      throw error
    }
    (representative as? WatchingOperation)?.watch()
  }

  /// The operation to show: for a watching one, the operation of Foundation's that it watches.
  var publicOperation: Operation { (self as? WatchingOperation)?.watched ?? self }

  /// What stands for an operation among those that it depends on.
  func dependency(for operation: Operation) -> ObservableOperation? {
    if let own = operation as? ObservableOperation { return own }
    if let known = engine.foreign.representative(of: operation),
      engine.guarded({ core.upstream.contains(known) })
    {
      return known
    }
    return upstream.map(\.operation).first { other in
      (other as? WatchingOperation)?.watched === operation
        || (other as? WrappedOperation)?.wrapped === operation
    }
  }
}
