extension Scheduler {
  /// Starts ready operations as long as there are free slots.
  static func schedule(_ queue: InspectableQueue, in state: inout EngineState) {
    while queue.core.hasFreeSlot, isDue(queue, in: &state),
      let operation = takeNext(of: queue, in: &state)
    {
      start(operation, on: queue, in: &state)
      // What follows from the end of a cancelled one comes before the next start.
      if queue.core.cancelledCount > 0 { return state.needsScheduling(queue) }
    }
  }

  /// Ends the next operation of the queue if it was cancelled and there is a slot for it.
  ///
  /// - Returns: Whether there was one.
  static func endNextIfCancelled(on queue: InspectableQueue, in state: inout EngineState) -> Bool {
    guard queue.core.cancelledCount > 0, queue.core.hasFreeSlot,
      let next = queue.core.next(released: &state.actions.released), next.core.isCancelled,
      state.exclusives.next(on: queue).map({ Rank(next) < Rank($0) }) ?? true,
      let operation = queue.core.takeNext(released: &state.actions.released)
    else { return false }
    start(operation, on: queue, in: &state)
    return true
  }

  /// Whether the pace of the queue lets something start now; if not, a timer comes back to it.
  private static func isDue(_ queue: InspectableQueue, in state: inout EngineState) -> Bool {
    guard queue.core.pace > 0 else { return true }
    let wait = queue.core.nextStart - state.time()
    guard wait > 0 else { return true }
    // Whose turn it would be. A cancelled one does not start, it only ends.
    let next = queue.core.next(released: &state.actions.released)
    guard next?.core.isCancelled != true, next != nil || state.exclusives.next(on: queue) != nil
    else { return true }
    if queue.core.paceTimer != queue.core.nextStart {
      queue.core.paceTimer = queue.core.nextStart
      state.actions.append(.delayQueue(queue, queue.core.nextStart))
    }
    return false
  }

  /// Takes the operation whose turn it is; those that have to wait for their names are set aside.
  private static func takeNext(
    of queue: InspectableQueue, in state: inout EngineState
  ) -> ObservableOperation? {
    while true {
      if let waiting = state.exclusives.next(on: queue),
        queue.core.next(released: &state.actions.released).map({ Rank(waiting) < Rank($0) }) ?? true
      {
        takeBack(waiting, in: &state)
        return waiting
      }
      guard let operation = queue.core.takeNext(released: &state.actions.released) else {
        return nil
      }
      guard !operation.core.isCancelled, !operation.exclusiveNamesInTransaction.isEmpty else {
        return operation
      }
      guard let name = state.exclusives.unavailableName(for: operation) else { return operation }
      state.decide(.setAside(name), of: operation)
    }
  }

  /// Gives the operation a slot, whose number it returns.
  @discardableResult
  static func start(
    _ operation: ObservableOperation, on queue: InspectableQueue, in state: inout EngineState
  ) -> Int {
    if operation.endsUnrun {
      state.decide(.claimed(true), of: operation)
      let slot = Int(operation.core.slot)
      endCancelled(operation, on: queue, in: &state)
      return slot
    }
    if operation.core.hasPriorObservers,
      operation.keysOfStart.contains(where: { operation.core.hasPriorObservers(of: $0) })
    {
      state.decide(.claimed(true), of: operation)
      state.actions.append(.announceStart(operation, isStep: queue.core.isSuspended))
    } else {
      execute(operation, in: &state)
    }
    return Int(operation.core.slot)
  }

  /// Ends a cancelled operation that has a slot.
  static func endCancelled(
    _ operation: ObservableOperation, on queue: InspectableQueue, in state: inout EngineState
  ) {
    guard !state.endUnrun(operation, .cancelled) else { return }
    state.actions.append(
      Start(
        operation: operation, place: SlotRunner.Place(of: operation, on: queue),
        isCancelled: true))
  }

  /// Takes the slot back from an operation that did not start after all.
  static func takeBack(
    _ operation: ObservableOperation, on queue: InspectableQueue, in state: inout EngineState
  ) {
    state.decide(.claimed(false), of: operation)
    state.needsScheduling(queue)
  }

  /// Starts the next operation of a suspended queue.
  ///
  /// - Parameters:
  ///   - queue: The queue.
  ///   - known: How many are ready at each level, if nothing has changed since the step before; it is
  ///     counted otherwise.
  ///   - state: What the running transaction changes.
  /// - Returns: What was decided and why; nil if nothing can start.
  static func step(
    _ queue: InspectableQueue, knowing known: inout [Int]?, in state: inout EngineState
  ) -> InspectableQueue.Decision? {
    // Until it is known what is about to become ready, it is not known whose turn it is.
    guard queue.core.hasRoom, queue.core.announcingCount == 0,
      queue.core.membership?.isHeld != true
    else { return nil }
    let counts = known ?? queue.core.readyCounts()
    let entryCount = queue.core.readyEntryCount
    let moves = state.exclusives.moves
    guard let operation = takeNext(of: queue, in: &state) else { return nil }
    // Those that turned out to wait for a name were passed over.
    let passes = state.exclusives.moves != moves
    var competing = counts
    if passes, operation.core.extras?.isBarrier != true {
      competing = queue.core.readyCounts()
      competing[ReadyOrder.level(of: operation)] += 1
    }
    let isCancelled = operation.endsUnrun
    var reason = reason(for: operation, among: competing)
    var leftAside: [String] = []
    if queue.core.blockedCount > 0, !isCancelled {
      leftAside.append("what waits for an exclusive name")
    }
    if operation.core.extras?.isBarrier != true, queue.core.hasBarriers {
      leftAside.append("the barrier and what comes after it")
    }
    if !leftAside.isEmpty { reason += ", leaving aside \(leftAside.joined(separator: ", and "))" }
    known = nil
    if !counts.isEmpty, state.exclusives.moves == moves,
      queue.core.readyEntryCount == entryCount - 1
    {
      // It alone was taken.
      known = counts
      known?[ReadyOrder.level(of: operation)] -= 1
      // From here on they are few enough to be counted one by one.
      if queue.core.readyEntryCount == QueueCore.longestCount { known = nil }
    }
    state.note(.step, of: queue)
    let slot = start(operation, on: queue, in: &state)
    return InspectableQueue.Decision(
      operation: operation.identityInTransaction, slot: slot, reason: reason,
      isOfCancelled: isCancelled)
  }

  /// Says why it is this operation's turn; `counts` are those that were ready at each level, the
  /// highest first.
  private static func reason(for operation: ObservableOperation, among counts: [Int]) -> String {
    if operation.endsUnrun { return "it was cancelled, and ends without running" }
    if operation.core.extras?.isBarrier == true {
      return "everything added before this barrier has finished"
    }
    let level = ReadyOrder.level(of: operation)
    let equals = counts[level] - 1
    let others = counts.reduce(0, +) - counts[level]
    let priority = operation.core.priority.name
    // Of many, some may not be able to start any more.
    let about = equals + others >= QueueCore.longestCount ? "about " : ""
    switch (equals, others) {
    case (...0, ...0):
      return "it is the only one that is ready"
    case (1..., ...0):
      return "it comes first of \(about)\(equals + 1) ready with priority \(priority)"
    case (...0, _):
      return "it has the highest priority, \(priority), of \(about)\(others + 1) ready"
    default:
      return "priority \(priority) is the highest, and it comes first of the \(about)\(equals + 1) "
        + "with it"
    }
  }
}
