public import Foundation

extension InspectableQueue {
  /// Adds a Foundation operation, wrapped.
  ///
  /// What it depends on at this moment counts for what wraps it, so that it holds no slot while it
  /// waits.
  ///
  /// - Parameters:
  ///   - operation: What to run; one of ours is added as it is.
  ///   - name: What to call it.
  /// - Returns: What was added.
  /// - Throws: ``QueueError`` if it cannot be added, has finished, is on a queue already, or waits
  ///   for itself in a cycle.
  @discardableResult
  public func addOperation(
    _ operation: Operation, name: String? = nil
  ) throws(QueueError) -> ObservableOperation {
    if let own = operation as? ObservableOperation {
      try addOperation(own)
      return own
    }
    let title = name ?? operation.name ?? String(describing: type(of: operation))
    if operation.isFinished { throw .finished(name: title) }
    if operation.isExecuting { throw .executing(name: title) }
    if ForeignState.isTaken(operation) {
      throw .alreadyOnQueue(name: title, queue: "a Foundation queue")
    }
    if let names = ForeignPath.names(from: operation, to: operation, engine: engine) {
      throw .cycle(path: names)
    }
    let wrapper = WrappedOperation(operation, name: name, engine: engine)
    if let other = engine.foreign.enter(wrapper) {
      throw .alreadyOnQueue(name: title, queue: other.queue?.name ?? "another queue")
    }
    // What cannot be waited for here is waited for by the wrapper, when its turn has come.
    for upstream in operation.dependencies { try? wrapper.depend(on: upstream) }
    if operation.isCancelled { wrapper.cancel() }
    do {
      try addOperation(wrapper as ObservableOperation)
    } catch {
      engine.foreign.forget(wrapper)
      throw error
    }
    // Those that waited for it before it was on a queue of ours wait for what is there now.
    if let watcher = engine.foreign.watcher(of: operation) {
      for dependent in watcher.downstream {
        dependent.replaceDependency(on: watcher, by: wrapper)
      }
    }
    return wrapper
  }
}
