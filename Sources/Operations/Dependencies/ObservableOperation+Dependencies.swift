extension ObservableOperation {
  /// What it depends on, in the order in which the dependencies were added, finished or not.
  public var upstream: [DependencyEdge] { read { Array($0.upstream) } }

  /// What depends on it and is still alive, in the order in which the dependencies were added.
  public var downstream: [ObservableOperation] {
    engine.guarded { core.downstream.alive() }
  }

  /// Makes it wait until another operation has finished.
  ///
  /// Doing so again changes the policy. The other operation may be on another queue, on none, or
  /// finished already. An operation that was `ready` becomes `pending` again. The dependencies of
  /// a cancelled operation do not count.
  ///
  /// - Parameters:
  ///   - operation: What must finish first.
  ///   - policy: What happens if that does not succeed.
  /// - Throws: ``DependencyError`` if it would wait for itself, directly or in a cycle, or runs
  ///   already; nothing has changed then.
  public func depend(
    on operation: ObservableOperation, policy: FailurePolicy = .run
  ) throws(DependencyError) {
    try depend(on: operation, policy: policy, input: nil)
  }

  /// Makes it wait, and adds what it does just before it begins, in one step.
  func depend(
    on operation: ObservableOperation, policy: FailurePolicy, input: (@Sendable () -> Void)?
  ) throws(DependencyError) {
    guard operation.engine === engine else {
      throw .differentLogs(name: displayName, other: operation.displayName)
    }
    let observers = try engine.transact { (state) throws(DependencyError) -> ObserverRegistry? in
      guard let observers = core.observers else {
        try link(to: operation, policy: policy, input: input, in: &state)
        return nil
      }
      // A prior notice of what is then refused would be wrong, so the check comes first; it is
      // repeated in the second transaction, because the world may have changed.
      try checkDependency(on: operation, in: &state)
      return observers
    }
    guard let observers else { return }
    let isNew = engine.guarded { !core.upstream.contains(operation) }
    if isNew { announce([.dependencies]) }
    let turnsUnready = engine.guarded {
      guard core.isReady, !core.isCancelled, observers.hasObserver(of: .isReady, with: .prior)
      else { return false }
      guard operation.core.state == .finished else { return isNew }
      // One on a queue ends, and stays ready until then.
      return core.state == .created && Scheduler.decides(policy, on: operation, for: self)
    }
    if turnsUnready { announce([.isReady]) }
    try engine.transact { (state) throws(DependencyError) in
      try link(to: operation, policy: policy, input: input, in: &state)
    }
  }

  private func link(
    to operation: ObservableOperation, policy: FailurePolicy, input: (@Sendable () -> Void)?,
    in state: inout EngineState
  ) throws(DependencyError) {
    try checkDependency(on: operation, in: &state)
    if let input {
      guard !operation.core.isValueDropped else {
        throw .valueDropped(
          name: identityInTransaction.name, other: operation.identityInTransaction.name)
      }
      core.withExtras { $0.inputs.add(of: operation.id, take: input) }
    }
    if let position = core.upstream.position(of: operation) {
      let old = core.upstream[position].policy
      if policy != old { state.note(.dependency(operation.id, old: old, new: policy), of: self) }
      state.link(self, to: operation, policy)
      Scheduler.policyChanged(policy, on: operation, for: self, in: &state)
      return
    }
    let old = observedDependencies
    let wasReady = core.isReady
    state.link(self, to: operation, policy)
    state.note(.dependency(operation.id, old: nil, new: policy), of: self)
    noteDependencies(old: old, in: &state)
    Scheduler.edgeAdded(
      from: operation, to: self, policy: policy, wasReady: wasReady, in: &state)
  }

  /// Makes it no longer wait for another operation.
  ///
  /// - Parameter operation: What it need not wait for any more.
  /// - Returns: Whether it depended on that operation.
  /// - Throws: ``DependencyError/tooLate(name:state:)`` if it runs or has finished, or
  ///   ``DependencyError/alreadyStarting(name:)``.
  @discardableResult
  public func removeDependency(
    on operation: ObservableOperation
  ) throws(DependencyError) -> Bool {
    let (isPresent, isLast) = engine.guarded {
      let isPresent = core.takesDependencies && core.upstream.contains(operation)
      let isLast =
        isPresent && !core.isReady && core.unmet == 1 && core.extras?.dependencyFailure == nil
      return (isPresent, isLast && operation.core.state != .finished)
    }
    if isPresent { announce(isLast ? [.dependencies, .isReady] : [.dependencies]) }
    return try engine.transact { (state) throws(DependencyError) -> Bool in
      guard core.takesDependencies else {
        throw refusalOfChange
      }
      let old = observedDependencies
      guard let policy = state.unlink(self, from: operation) else { return false }
      state.note(.dependency(operation.id, old: policy, new: nil), of: self)
      state.actions.released += core.extras?.inputs.remove(of: operation.id) ?? []
      noteDependencies(old: old, in: &state)
      Scheduler.edgeChanged(to: operation, of: self, in: &state)
      if operation.core.state != .finished {
        let name = operation.identityInTransaction.name
        Scheduler.conditionRemoved(
          self, cause: .text("no longer depends on \(name)"), isAnnounced: isLast, in: &state)
      }
      return true
    }
  }

  /// Makes it wait for another operation in place of one, which ends when the other one does.
  func replaceDependency(on old: ObservableOperation, by new: ObservableOperation) {
    engine.transact { state in
      guard core.takesDependencies, old.core.state != .finished, new.core.state != .finished,
        !core.upstream.contains(new), let position = core.upstream.position(of: old),
        state.order.makeRoom(for: self, after: new) == nil
      else { return }
      let before = observedDependencies
      let policy = core.upstream[position].policy
      // First the new one, so that it does not become ready in between.
      state.link(self, to: new, policy)
      state.note(.dependency(new.id, old: nil, new: policy), of: self)
      state.unlink(self, from: old)
      state.note(.dependency(old.id, old: policy, new: nil), of: self)
      noteDependencies(old: before, in: &state)
    }
  }

  func upstreamPolicy(of operation: ObservableOperation) -> FailurePolicy? {
    read { $0.upstream.policy(of: operation) }
  }

  /// Why its dependencies cannot change any more, in a transaction.
  private var refusalOfChange: DependencyError {
    let name = identityInTransaction.name
    if core.state == .ready, core.isClaimed, !core.isFinishing {
      return .alreadyStarting(name: name)
    }
    return .tooLate(
      name: name, state: core.isFinishing && core.state != .finished ? .executing : core.state)
  }

  /// The dependencies, if an observer needs their list before a change; copying them
  /// for each new one would take the square of their number.
  private var observedDependencies: [DependencyEdge] {
    core.observers?.hasObserver(of: .dependencies, with: .old) == true ? Array(core.upstream) : []
  }

  private func noteDependencies(old: [DependencyEdge], in state: inout EngineState) {
    core.observers?.note(
      .dependencies, old: { .operations(old.map(\.operation)) },
      new: { .operations(core.upstream.map(\.operation)) }, in: &state)
  }

  /// Refuses what can never be waited for.
  private func checkDependency(
    on operation: ObservableOperation, in state: inout EngineState
  ) throws(DependencyError) {
    guard operation !== self else {
      throw .selfDependency(name: identityInTransaction.name)
    }
    // Checked before the state, because a cycle is wrong at any time, and the error should say so.
    if let path = state.order.makeRoom(for: self, after: operation) {
      throw .cycle(path: path.map(\.identityInTransaction.name))
    }
    guard core.takesDependencies else {
      throw refusalOfChange
    }
  }

  /// The dependency that stopped it, because it did not succeed and the policy on it was not `run`;
  /// nil if none did.
  public final var stoppingDependency: ObservableOperation? {
    read { core in
      guard let extras = core.extras, extras.failedDependency != 0,
        core.state == .finished, extras.dependencyFailure != nil
      else { return nil }
      return core.upstream.first { $0.operation.id == extras.failedDependency }?.operation
    }
  }
}
