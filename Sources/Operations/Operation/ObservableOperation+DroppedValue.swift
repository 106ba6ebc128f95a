extension ObservableOperation {
  /// Drops the value of a finished operation to free its memory; outcome, error and times stay.
  ///
  /// Afterwards ``isValueDropped`` is true, ``resultValue`` is nil, and
  /// ``ConcurrentOperation/result`` of an operation that succeeded is the failure
  /// ``OperationError/valueDropped(name:)``. Nothing happens before the operation has finished, or
  /// while an unfinished operation depends on it, since that may still take the value.
  ///
  /// It may be called on any thread. It takes time for each operation that depends on this one.
  ///
  /// - Returns: How many unfinished operations depend on it and keep the value; 0 if there are none.
  @discardableResult
  public func dropValue() -> Int {
    let (isDropped, dependents) = engine.transact { state -> (Bool, Int) in
      guard core.state == .finished, !core.isValueDropped else { return (false, 0) }
      let dependents = core.downstream.unfinishedCount
      // From here on nothing can be made to wait for the value: see `link`.
      if dependents == 0 {
        core.isValueDropped = true
        noteFlag(.isValueDropped, true, in: &state)
      }
      return (dependents == 0, dependents)
    }
    if isDropped { releaseValue() }
    return dependents
  }
}
