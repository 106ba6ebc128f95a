import OpshLocking

extension ObservableOperation {
  /// Declares what its body waits for, until it is called again.
  ///
  /// ``waitReasons()`` names these operations, and ``canFinish`` and ``waitPath(to:_:)`` follow them:
  /// so bodies that wait for one another show as a deadlock. To be called by code of this operation
  /// before it waits, and with none when it goes on. It takes time in proportion to the number of
  /// operations.
  ///
  /// - Parameters:
  ///   - operations: The operations that the body waits for; none if it does not wait.
  ///   - isLimited: Whether the wait has a time limit.
  public final func setAwaited(
    _ operations: [ObservableOperation], withTimeLimit isLimited: Bool = false
  ) {
    changeAwaited(isLimited: isLimited) { $0 = operations }
  }

  /// Adds an operation to those that its body waits for.
  final func addAwaited(_ operation: ObservableOperation) {
    changeAwaited(isLimited: false) { $0.append(operation) }
  }

  /// Removes an operation from those that its body waits for.
  final func removeAwaited(_ operation: ObservableOperation) {
    changeAwaited(isLimited: false) { awaited in
      if let index = awaited.firstIndex(where: { $0 === operation }) { awaited.remove(at: index) }
    }
  }

  private func changeAwaited(
    isLimited: Bool, _ change: (inout [ObservableOperation]) -> Void
  ) {
    let (old, waits) = engine.transact { state in
      let old = core.extras?.awaited ?? []
      var operations = old
      change(&operations)
      let new = operations
      state.exchangeAwaited(of: self, with: &operations, isLimited: isLimited)
      if !old.isEmpty || !new.isEmpty {
        state.note(.awaited(new.map(\.id), isLimited: isLimited), of: self)
      }
      if !new.isEmpty { state.wakeWaiting() }
      return (old, !new.isEmpty)
    }
    // The old ones are released here and not under the lock.
    withExtendedLifetime(old) {}
    // Another body that rests may be in a deadlock now.
    if waits, engine.virtualClock.isInUse { engine.virtualClock.noteMove() }
  }

  /// Declares whether its body waits for something to happen at present, whatever that is.
  ///
  /// Meanwhile, those that wait for its exclusive names, or for its slot, reserve no other names:
  /// what it waits for may need them. Unlike with ``setAwaited(_:)``, nothing else depends on it.
  ///
  /// - Parameter isExpecting: Whether it waits.
  package final func setExpecting(_ isExpecting: Bool) {
    engine.transact { state in
      guard (core.extras?.isExpecting ?? false) != isExpecting,
        !isExpecting || core.state == .executing
      else { return }
      state.decide(.expecting(isExpecting), of: self)
      if isExpecting { state.exclusives.lookAgain() }
    }
  }

  /// The unfinished operations that its body waits for at present.
  public final var awaited: [ObservableOperation] { engine.guarded { awaitedByBody } }

  /// The unfinished operations that its body waits for, in a transaction.
  var awaitedByBody: [ObservableOperation] {
    core.extras?.awaited.filter { $0.core.state != .finished } ?? []
  }
}

extension OperationEngine {
  /// How many operations have a body that waits for others, or a ``FinishWait``.
  public var waitingBodyCount: Int { state.withLock { $0.waitingBodies } }
}
