extension ObservableOperation {
  /// What it depends on, in the order in which the dependencies were added, finished or not.
  public var upstream: [DependencyEdge] { read { Array($0.upstream) } }

  /// What depends on it and is still alive, in the order in which the dependencies were added.
  public var downstream: [ObservableOperation] {
    log.guarded { core.downstream.alive() }
  }

  /// Makes it wait until another operation has finished.
  ///
  /// Doing so again changes the policy. The other operation may be on another queue, on none, or
  /// finished already. An operation that was `ready` keeps that state, because states never go
  /// back; its ``isReady`` turns false, and the queue does not start it before its time. The
  /// dependencies of a cancelled operation do not count.
  ///
  /// - Parameters:
  ///   - operation: What must finish first.
  ///   - policy: What happens if that does not succeed.
  /// - Throws: ``DependencyError`` if it would wait for itself, directly or in a circle, or runs
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
    guard operation.log === log else {
      throw .differentLogs(name: displayName, other: operation.displayName)
    }
    let observers = try log.transact { (domain) throws(DependencyError) -> ObserverRegistry? in
      guard let observers = core.observers else {
        try link(to: operation, policy: policy, input: input, in: &domain)
        return nil
      }
      // A prior notice of what is then refused would be wrong, so the check comes first; it is
      // repeated in the second transaction, because the world may have changed.
      _ = try checkDependency(on: operation, in: &domain)
      return observers
    }
    guard let observers else { return }
    let isNew = log.guarded { !core.upstream.contains(operation) }
    if isNew { announce([.dependencies]) }
    let turnsUnready = log.guarded {
      isNew && core.isReady && !core.isCancelled && operation.core.state != .finished
        && observers.hasPrior(.isReady)
    }
    if turnsUnready { announce([.isReady]) }
    try log.transact { (domain) throws(DependencyError) in
      try link(to: operation, policy: policy, input: input, in: &domain)
    }
  }

  private func link(
    to operation: ObservableOperation, policy: FailurePolicy, input: (@Sendable () -> Void)?,
    in domain: inout Domain
  ) throws(DependencyError) {
    let change = try checkDependency(on: operation, in: &domain)
    if let input {
      guard !operation.core.isValueDropped else {
        throw .valueDropped(
          name: identityInTransaction.name, other: operation.identityInTransaction.name)
      }
      let input = OperationInputs.Input(upstream: operation.id, take: input)
      core.withExtras { $0.inputs.append(input) }
    }
    if let position = core.upstream.position(of: operation) {
      core.upstream.setPolicy(policy, at: position)
      Scheduler.policyChanged(policy, on: operation, for: self, in: &domain)
      return
    }
    if let change { domain.order.make(change) }
    let old = observedDependencies
    let serial = operation.core.downstream.append(self)
    core.upstream.append(DependencyEdge(operation: operation, policy: policy, serial: serial))
    noteDependencies(old: old, in: &domain)
    Scheduler.edgeAdded(from: operation, to: self, policy: policy, in: &domain)
  }

  /// Makes it no longer wait for another operation.
  ///
  /// - Parameter operation: What it need not wait for any more.
  /// - Returns: Whether it depended on that operation.
  /// - Throws: ``DependencyError/tooLate(name:state:)`` if it runs or has finished.
  @discardableResult
  public func removeDependency(
    on operation: ObservableOperation
  ) throws(DependencyError) -> Bool {
    let (isPresent, isLast) = log.guarded {
      let isPresent = core.takesDependencies && core.upstream.contains(operation)
      let isLast =
        isPresent && !core.isReady && core.unmet == 1 && core.extras?.verdict == nil
      return (isPresent, isLast && operation.core.state != .finished)
    }
    if isPresent { announce(isLast ? [.dependencies, .isReady] : [.dependencies]) }
    return try log.transact { (domain) throws(DependencyError) -> Bool in
      guard core.takesDependencies else {
        throw .tooLate(name: identityInTransaction.name, state: stateForRefusal)
      }
      let old = observedDependencies
      guard let edge = core.upstream.remove(operation) else { return false }
      operation.core.downstream.remove(self, serial: edge.serial)
      domain.effects.released.append(edge.operation)
      domain.effects.released += core.extras?.inputs.remove(of: operation.id) ?? []
      noteDependencies(old: old, in: &domain)
      Scheduler.edgeChanged(to: operation, of: self, in: &domain)
      if operation.core.state != .finished {
        let name = operation.identityInTransaction.name
        Scheduler.removeCondition(
          self, cause: .text("no longer depends on \(name)"), isAnnounced: isLast, in: &domain)
      }
      return true
    }
  }

  /// Makes it wait for another operation in place of one, which ends when the other one does.
  func replaceDependency(on old: ObservableOperation, by new: ObservableOperation) {
    log.transact { domain in
      guard core.takesDependencies, old.core.state != .finished, new.core.state != .finished,
        !core.upstream.contains(new), let position = core.upstream.position(of: old)
      else { return }
      switch domain.order.canWait(self, for: new, holding: &domain.effects.released) {
      case .closesCycle: return
      case .fits: break
      case .fitsAfter(let change): domain.order.make(change)
      }
      let before = observedDependencies
      let edge = core.upstream[position]
      let serial = new.core.downstream.append(self)
      core.upstream.replace(
        at: position, with: DependencyEdge(operation: new, policy: edge.policy, serial: serial))
      old.core.downstream.remove(self, serial: edge.serial)
      domain.effects.released.append(old)
      noteDependencies(old: before, in: &domain)
    }
  }

  func upstreamPolicy(of operation: ObservableOperation) -> FailurePolicy? {
    read { $0.upstream.policy(of: operation) }
  }

  private var stateForRefusal: OperationState {
    core.state != .finished && (core.isClaimed || core.isFinishing) ? .executing : core.state
  }

  /// The dependencies, if somebody who observes them wants to know them before a change; copying them
  /// for each new one would take the square of their number.
  private var observedDependencies: [DependencyEdge] {
    core.observers?.isOldWanted(.dependencies) == true ? Array(core.upstream) : []
  }

  private func noteDependencies(old: [DependencyEdge], in domain: inout Domain) {
    core.observers?.note(
      .dependencies, old: { .operations(old.map(\.operation)) },
      new: { .operations(core.upstream.map(\.operation)) }, in: &domain)
  }

  /// Refuses what can never be waited for.
  ///
  /// - Returns: What has to change in the order of the operations before the dependency is added.
  private func checkDependency(
    on operation: ObservableOperation, in domain: inout Domain
  ) throws(DependencyError) -> TopologicalOrder.Change? {
    guard operation !== self else {
      throw .selfDependency(name: identityInTransaction.name)
    }
    let answer = domain.order.canWait(self, for: operation, holding: &domain.effects.released)
    // It comes before the state, because a cycle is wrong at any time, and who asked for one should
    // hear that.
    if case .closesCycle(let path) = answer {
      throw .cycle(path: path.map(\.identityInTransaction.name))
    }
    guard core.takesDependencies else {
      throw .tooLate(name: identityInTransaction.name, state: stateForRefusal)
    }
    if case .fitsAfter(let change) = answer { return change }
    return nil
  }
}
