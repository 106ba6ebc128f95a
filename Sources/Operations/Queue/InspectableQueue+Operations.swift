import Dispatch

extension InspectableQueue {
  /// Adds an operation.
  ///
  /// It becomes `pending`, then `ready` if it waits for nothing, and executes when a slot is free
  /// for it.
  ///
  /// - Parameter operation: An operation that is on no queue and was not started.
  /// - Throws: ``QueueError`` if it cannot be added; nothing has changed then.
  public func addOperation(_ operation: ObservableOperation) throws(QueueError) {
    try add([operation])
  }

  /// Adds operations all together, so that the one with the highest priority starts first.
  ///
  /// - Parameters:
  ///   - operations: Operations that are on no queue and were not started.
  ///   - waitUntilFinished: Whether to return only when all of them have finished.
  /// - Throws: ``QueueError`` if one of them cannot be added, or an operation of this queue wants
  ///   to wait; none has been added then.
  public func addOperations(
    _ operations: [ObservableOperation], waitUntilFinished: Bool
  ) throws(QueueError) {
    if waitUntilFinished, isCalledFromInside { throw .waitFromInside(queue: name) }
    try add(operations)
    guard waitUntilFinished else { return }
    for operation in operations { operation.waitUntilFinished(timeout: nil) }
  }

  /// Adds a block as a ``BlockingOperation``, which runs it on a thread of its own.
  ///
  /// The queue of a group that has finished ignores it.
  ///
  /// - Parameter block: What to do.
  public func addOperation(_ block: @escaping @Sendable () -> Void) {
    let operation = BlockingOperation(engine: engine) { _ in
      block()
      return nil
    }
    try? add([operation])
  }

  func add(
    _ operations: [ObservableOperation], asBarrier isBarrier: Bool = false
  ) throws(QueueError) {
    guard !operations.isEmpty else { return }
    engine.virtualClock.endHold()
    // Outside the transaction: the name of a stranger stands under another lock.
    for operation in operations where operation.engine !== engine {
      throw .differentLogs(name: operation.displayName, queue: name)
    }
    if let text = driver?.refusal(of: operations) { throw .driver(queue: name, reason: text) }
    let (isObserved, expectant) = engine.guarded {
      (core.observers != nil, operations.filter { $0.core.hasPriorObservers })
    }
    if isObserved || !expectant.isEmpty {
      // What will be refused is not announced.
      try engine.transact { (state) throws(QueueError) in try check(operations, in: &state) }
      if isObserved { announceOperations() }
      for operation in expectant { announceAdding(operation) }
    }
    try engine.transact { (state) throws(QueueError) in
      try check(operations, in: &state)
      if isBarrier {
        for operation in operations {
          state.decide(.barrier, of: operation)
          operation.noteFlag(.isBarrier, true, in: &state)
        }
      }
      admit(operations, in: &state)
    }
    driver?.didAdd(operations)
  }

  /// Announces what else of an operation changes because it is added.
  private func announceAdding(_ operation: ObservableOperation) {
    let (turnsUnready, isCancelled) = engine.guarded {
      (
        operation.core.isDelayed && operation.core.isReady,
        core.membership?.isCancelled == true
      )
    }
    if turnsUnready { operation.announce([.isReady]) }
    if isCancelled { operation.announceCancelling() }
  }

  private func check(
    _ operations: [ObservableOperation], in state: inout EngineState
  ) throws(QueueError) {
    if let membership = core.membership {
      if membership.isClosed { throw .groupFinished(name: core.name) }
      try checkGroups(operations, in: &state)
      for operation in operations {
        let conflict = ExclusiveConflict(
          adding: operation, to: self, released: &state.actions.released)
        if let conflict { throw conflict.error }
      }
    }
    for operation in operations {
      // The name is made in the error alone: nearly every operation passes here, and making it for
      // each of them cost a twelfth of the whole life of an empty one.
      switch operation.core.state {
      case .created:
        break
      case .finished:
        throw .finished(name: operation.identityInTransaction.name)
      case .pending, .ready, .executing:
        let name = operation.identityInTransaction.name
        if let queue = operation.core.queue {
          throw .alreadyOnQueue(name: name, queue: queue.core.name)
        }
        if operation.core.state == .executing { throw .executing(name: name) }
        throw .alreadyOnQueue(name: name, queue: "a group that is gone")
      }
    }
    guard operations.count > 1 else { return }
    var seen: Set<Int> = []
    for operation in operations where !seen.insert(operation.id).inserted {
      throw .addedTwice(name: operation.identityInTransaction.name)
    }
  }

  /// Refuses a group around this queue: it would wait for itself.
  private func checkGroups(
    _ operations: [ObservableOperation], in state: inout EngineState
  ) throws(QueueError) {
    // Around this queue is only what has something in it, or what the queue is of. The others pass at
    // once, so that groups are put into one another in linear time, from the outside too.
    let suspects = operations.filter {
      guard let inner = ($0 as? GroupOperation)?.innerQueue else { return false }
      return inner === self || !inner.core.isEmpty
    }
    guard !suspects.isEmpty else { return }
    let around = enclosingGroups
    state.actions.released += around as [AnyObject]
    for operation in suspects {
      guard let place = around.firstIndex(where: { $0 === operation }) else { continue }
      let path = [operation] + around[..<place].reversed() + [operation]
      throw .cycle(path: path.map(\.identityInTransaction.name))
    }
  }

  /// The groups that what is on it is in, from the inside to the outside; in a transaction, and the
  /// caller must let go of them outside.
  var enclosingGroups: [ObservableOperation] {
    var groups: [ObservableOperation] = []
    var queue: InspectableQueue? = self
    while let group = queue?.core.membership?.group {
      groups.append(group)
      queue = group.core.queue
    }
    return groups
  }

  private func admit(_ operations: [ObservableOperation], in state: inout EngineState) {
    let old = core.observedOperations
    let oldCount = core.unfinished.count
    if let group = core.membership?.group {
      // An open one waits for nothing else now.
      if group.core.extras?.finishWait == .close { state.decide(.finishWait(nil), of: group) }
      state.actions.released.append(group)
    }
    for operation in operations { Scheduler.admit(operation, to: self, in: &state) }
    if core.membership?.isCancelled == true {
      let request = CancelRequest(by: "group '\(core.name)'")
      for operation in operations { operation.markCancelled(by: request, in: &state) }
    }
    if core.observers != nil { noteOperations(old: old, oldCount: oldCount, in: &state) }
  }

  /// Lets go of all operations, as the queue of a group that is gone does; returns what
  /// ``QueueCore/abandonAll()`` does.
  func abandonAll() -> (kept: UpstreamEdges, timers: [TimerQueue.Token]) {
    if read({ $0.observers != nil && !$0.isEmpty }) { announceOperations() }
    return engine.transact { state in
      let old = core.observedOperations
      let oldCount = core.unfinished.count
      core.unfinished.forEach { state.exclusives.unblock($0) }
      let abandoned = core.abandonAll()
      if oldCount > 0, core.observers != nil {
        noteOperations(old: old, oldCount: oldCount, in: &state)
      }
      for waiter in core.takeWaiters() { state.actions.append(.resume(waiter)) }
      return abandoned
    }
  }

  /// Asks all unfinished operations to stop, in the order in which they were added.
  ///
  /// They are all marked before the first one stops, so that none starts in between.
  public func cancelAllOperations() {
    ObservableOperation.cancelAll(operations, by: "queue '\(name)'")
  }

  /// Waits until no unfinished operation is left.
  ///
  /// An operation of this queue cannot wait for that, because it is one of them.
  ///
  /// - Parameter timeout: How long to wait at most; nil for ever.
  /// - Returns: Whether the queue was empty; false also if an operation of this queue asked.
  @discardableResult
  public func waitUntilAllOperationsAreFinished(timeout: Duration? = nil) -> Bool {
    if isCalledFromInside { return false }
    let semaphore = DispatchSemaphore(value: 0)
    let waiter = Waiter { semaphore.signal() }
    let isEmpty = engine.guarded {
      if !core.isEmpty { core.addWaiter(waiter) }
      return core.isEmpty
    }
    if isEmpty || Waiter.block(on: semaphore, timeout: timeout) { return true }
    return engine.guarded {
      core.removeWaiter(waiter)
      return core.isEmpty
    }
  }

  /// Whether the caller runs inside an operation of this queue.
  private var isCalledFromInside: Bool {
    ObservableOperation.isInside { $0.queue === self }
  }
}
