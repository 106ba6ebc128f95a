/// An event that others may have to wait for.
enum WaitEvent: Hashable {
  case start(ObservableOperation)
  case finish(ObservableOperation)
  /// It finishes, and no dependency that failed stopped it.
  case run(ObservableOperation)
  /// A dependency that fails ends it unrun, or a group around it.
  case stop(ObservableOperation)
  /// One of the operations that hold the slots of a full queue gives up its slot.
  case freeSlot(InspectableQueue)

  /// Nil for a slot, which any of several operations may free.
  var operation: ObservableOperation? {
    switch self {
    case .start(let operation), .finish(let operation), .run(let operation),
      .stop(let operation):
      operation
    case .freeSlot: nil
    }
  }

  private var identity: (kind: Int, object: ObjectIdentifier) {
    switch self {
    case .start(let operation): (0, ObjectIdentifier(operation))
    case .finish(let operation): (1, ObjectIdentifier(operation))
    case .freeSlot(let queue): (2, ObjectIdentifier(queue))
    case .run(let operation): (3, ObjectIdentifier(operation))
    case .stop(let operation): (4, ObjectIdentifier(operation))
    }
  }

  static func == (one: Self, other: Self) -> Bool { one.identity == other.identity }

  func hash(into hasher: inout Hasher) {
    hasher.combine(identity.kind)
    hasher.combine(identity.object)
  }
}

/// What must happen before an operation of an engine can start or finish, by the engine's rules.
///
/// It is read under the engine's lock, from the findings that ``ObservableOperation/waitReasons()``
/// puts into words. Callers keep the events until the lock is released: theirs may be the last
/// reference to an operation.
struct WaitGraph {
  /// The events that another event requires.
  enum Needs {
    /// It happens without further conditions, perhaps after some time.
    case nothing
    /// It needs an action from outside: resuming a queue, adding the operation to one.
    case intervention
    case all([WaitEvent])
    case any([WaitEvent])

    var events: [WaitEvent] {
      switch self {
      case .nothing, .intervention: []
      case .all(let events), .any(let events): events
      }
    }

    /// The events without which it can't happen.
    var certain: [WaitEvent] {
      if case .any(let events) = self, events.count > 1 { [] } else { events }
    }
  }

  /// Whether to ignore paused queues, taken slots and operations that are on no queue, so that only
  /// the order remains that the rules enforce.
  let isStructural: Bool
  /// Whether actions from outside may follow, so that paused queues, operations that are on no queue,
  /// and those that await a call of finish keep nothing for ever.
  let expectsIntervention: Bool
  /// The identifiers of operations that will be cancelled.
  let cancelled: Set<Int>
  /// The waits of bodies of operations with greater identifiers count as over; nil if none do.
  private let latestHolder: Int?
  /// Whether an operation also counts as possibly ended by the failure of a dependency.
  private let countsStops: Bool
  /// Whether the waits of bodies that have a time limit count as over.
  private let endsLimitedWaits: Bool
  /// Which groups may be stopped, by their ids.
  private var stoppable: [Int: Bool] = [:]
  /// Groups that may have no other reference, kept until the lock is released.
  private var kept: [GroupOperation] = []

  /// - Parameters:
  ///   - isStructural: See ``isStructural``.
  ///   - expectsIntervention: See ``expectsIntervention``.
  ///   - cancelled: See ``cancelled``.
  ///   - latestHolder: The waits of bodies of operations with greater identifiers count as over.
  ///   - countsStops: Whether an operation also counts as possibly ended by the failure of a dependency.
  ///   - endsLimitedWaits: Whether the waits of bodies that have a time limit count as over.
  init(
    isStructural: Bool = false, expectingIntervention expectsIntervention: Bool = false,
    cancelling cancelled: Set<Int> = [], refusingWaitsAfter latestHolder: Int? = nil,
    countingStops countsStops: Bool = false, endingLimitedWaits endsLimitedWaits: Bool = false
  ) {
    self.isStructural = isStructural
    self.expectsIntervention = expectsIntervention || isStructural
    self.cancelled = cancelled
    self.latestHolder = latestHolder
    self.countsStops = countsStops
    self.endsLimitedWaits = endsLimitedWaits
  }

  /// The events that `event` requires, in a transaction.
  mutating func needs(of event: WaitEvent, in state: borrowing EngineState) -> Needs {
    switch event {
    case .start(let operation): startNeeds(of: operation, in: state)
    case .finish(let operation): finishNeeds(of: operation)
    case .run(let operation): runNeeds(of: operation)
    case .stop(let operation): stopNeeds(of: operation)
    case .freeSlot(let queue): .any(queue.core.slots.compactMap { $0.map(WaitEvent.finish) })
    }
  }

  private mutating func finishNeeds(of operation: ObservableOperation) -> Needs {
    let mayBeStopped = countsStops && mayBeStopped(operation)
    return mayBeStopped ? .any([.run(operation), .stop(operation)]) : runNeeds(of: operation)
  }

  /// Whether a dependency that fails may end it, or a group around it.
  private mutating func mayBeStopped(_ operation: ObservableOperation) -> Bool {
    if Self.firstDecider(of: operation) != nil { return true }
    guard let group = group(of: operation) else { return false }
    if let known = stoppable[group.id] { return known }
    // With a list, because groups may be nested deeply.
    var chain = [group]
    while stoppable[chain[chain.count - 1].id] == nil,
      Self.firstDecider(of: chain[chain.count - 1]) == nil,
      let next = self.group(of: chain[chain.count - 1])
    {
      chain.append(next)
    }
    let last = chain[chain.count - 1]
    let mayBe = stoppable[last.id] ?? (Self.firstDecider(of: last) != nil)
    for group in chain { stoppable[group.id] = mayBe }
    return mayBe
  }

  private mutating func stopNeeds(of operation: ObservableOperation) -> Needs {
    var needs: [WaitEvent] = []
    if Self.firstDecider(of: operation) != nil {
      needs = operation.core.upstream.filter(Self.decides).map { .finish($0.operation) }
    }
    if let group = group(of: operation), mayBeStopped(group) { needs.append(.stop(group)) }
    return .any(needs)
  }

  /// The first dependency whose failure ends an operation unrun; nil if it waits for none.
  private static func firstDecider(of operation: ObservableOperation) -> DependencyEdge? {
    guard operation.isKeptByDependencies, operation.core.state != .created else { return nil }
    return operation.core.upstream.first(where: decides)
  }

  private static func decides(_ edge: DependencyEdge) -> Bool {
    edge.policy != .run && edge.operation.core.state != .finished
  }

  /// The group that an operation is in, which is kept.
  private mutating func group(of operation: ObservableOperation) -> GroupOperation? {
    let group = operation.core.queue?.core.membership?.group
    if let group { kept.append(group) }
    return group
  }

  private mutating func runNeeds(of operation: ObservableOperation) -> Needs {
    guard operation.core.state != .finished else { return .nothing }
    // What Foundation runs ends by itself, as far as this engine knows.
    if operation.core.extras?.isForeign == true { return .nothing }
    if operation.isBlockedForGood { return .intervention }
    if !expectsIntervention, operation.needsFinish,
      operation.ignoresCancel || !willBeCancelled(operation)
    {
      return .intervention
    }
    var needs: [WaitEvent] = []
    if operation.core.state != .executing {
      needs = [.start(operation)]
    } else if latestHolder.map({ operation.id <= $0 || operation.hangsInDeadlock }) ?? true,
      !endsLimitedWaits || operation.core.extras?.isAwaitLimited != true
    {
      needs = operation.awaitedByBody.map(WaitEvent.finish)
    }
    if let group = operation as? GroupOperation {
      group.innerQueue.core.unfinished.forEach { needs.append(.finish($0)) }
    }
    return needs.isEmpty ? .nothing : .all(needs)
  }

  /// Whether it will be cancelled, so that dependencies and names do not keep it: at the time limit of a
  /// group around it, or because such a group was just cancelled or skipped.
  private mutating func willBeCancelled(_ operation: ObservableOperation) -> Bool {
    if cancelled.contains(operation.id) { return true }
    var next = operation.core.queue?.core.membership?.group
    while let group = next {
      kept.append(group)
      let isEnding = group.core.isCancelled || group.core.isFinishing
      if isEnding || group.core.hasTimeLimit || cancelled.contains(group.id) { return true }
      next = group.core.queue?.core.membership?.group
    }
    return false
  }

  private mutating func startNeeds(
    of operation: ObservableOperation, in state: borrowing EngineState
  ) -> Needs {
    switch operation.core.state {
    case .finished, .executing: return .nothing
    case .created, .pending, .ready: break
    }
    guard !operation.core.isClaimed, !operation.core.isFinishing else { return .nothing }
    var needs: [WaitEvent] = []
    let willBeCancelled = willBeCancelled(operation)
    if operation.isKeptByDependencies, !willBeCancelled {
      for edge in operation.core.upstream where edge.operation.core.state != .finished {
        needs.append(.finish(edge.operation))
      }
    }
    let findings = operation.otherFindings(in: state)
    for case .group(let group) in findings { kept.append(group) }
    for finding in findings {
      switch finding {
      case .obstacle: return .intervention
      case .readiness:
        guard willBeCancelled else { return .intervention }
      case .notOnQueue, .paused, .widthZero:
        guard expectsIntervention else { return .intervention }
      case .background:
        guard expectsIntervention || willBeCancelled else { return .intervention }
      case .behindBarrier(let barrier): needs.append(.finish(barrier))
      case .barrierWaits(let barrier, let queue):
        queue.core.unfinished.forEach {
          if queue.core.turn(of: $0) < barrier.core.epoch { needs.append(.finish($0)) }
        }
      case .exclusive(_, let holder):
        if !willBeCancelled { needs.append(.finish(holder)) }
      case .group(let group): needs.append(.start(group))
      // These end by themselves, or follow from the slots; a name is reserved only as long as what
      // that waits for works.
      case .delay, .pace, .full, .pool, .behind, .reserved: break
      // These are not among the findings of an operation that waits to start.
      case .dependency, .inside, .betweenAttempts, .hostPause, .awaitsFinish, .phaseHeld,
        .bodyWaits, .cycle:
        break
      }
    }
    // Also while it waits for something else: it will need a slot then.
    if !isStructural, let queue = operation.core.queue, queue.core.width > 0, !queue.core.hasRoom {
      needs.append(.freeSlot(queue))
    }
    return needs.isEmpty ? .nothing : .all(needs)
  }
}

extension WaitGraph {
  /// Returns the events on the path from one event to the first of some that it requires, both ends
  /// included; nil if it requires none of them.
  ///
  /// It takes the lock for a bounded number of events at a time, and visits each event once.
  ///
  /// - Parameters:
  ///   - start: The event to begin with.
  ///   - ends: The events to look for; `start` may be one of them.
  ///   - engine: The engine of the operations.
  /// - Returns: The path.
  mutating func path(
    from start: WaitEvent, to ends: Set<WaitEvent>, in engine: OperationEngine
  ) -> [WaitEvent]? {
    var cameFrom: [WaitEvent: WaitEvent] = [:]
    var queue = [start]
    var next = 0
    var end: WaitEvent?
    engine.guardedInPieces { state in
      var steps = 0
      while end == nil, next < queue.count {
        guard steps < WaitSearch.longestPiece else { return false }
        let event = queue[next]
        next += 1
        let needs = needs(of: event, in: state).certain
        steps += 1 + needs.count
        for need in needs where cameFrom[need] == nil {
          cameFrom[need] = event
          queue.append(need)
          if end == nil, ends.contains(need) { end = need }
        }
      }
      return true
    }
    guard let end else { return nil }
    var path = [end]
    var event = end
    while let previous = cameFrom[event] {
      path.append(previous)
      if previous == start { break }
      event = previous
    }
    return path.reversed()
  }
}

extension Sequence<WaitEvent> {
  /// The operations of the events, each once where several of its events follow one another.
  var operations: [ObservableOperation] {
    var result: [ObservableOperation] = []
    for operation in compactMap(\.operation) where result.last !== operation {
      result.append(operation)
    }
    return result
  }
}

extension ObservableOperation {
  /// What another operation may have to wait for.
  public enum Milestone: Sendable {
    case start
    case finish
  }

  /// Says how the end of this operation depends on another one, by the order that the rules enforce:
  /// dependencies, groups, barriers, exclusive names, and bodies that wait.
  ///
  /// Paused queues, taken slots, and that an operation is on no queue, count for nothing. A new
  /// dependency of `other` on this operation would close a cycle if there is such a path. It takes
  /// time in proportion to what is waited for.
  ///
  /// - Parameters:
  ///   - other: The operation to look for.
  ///   - milestone: What it would have to reach: with `start`, its end counts too.
  /// - Returns: The operations on the shortest path, from this one to the other; each waits for the
  ///   next. Nil if it does not wait for the other.
  public func waitPath(
    to other: ObservableOperation, _ milestone: Milestone = .finish
  ) -> [ObservableOperation]? {
    waitPath(toAnyOf: CollectionOfOne(other), milestone)
  }

  /// Says how the end of this operation depends on one of several others.
  ///
  /// - Parameters:
  ///   - others: The operations to look for.
  ///   - milestone: What one of them would have to reach: with `start`, its end counts too.
  ///   - followsBodies: Whether the waits of bodies count, which may have a time limit, and are
  ///     refused in a deadlock.
  /// - Returns: As of ``waitPath(to:_:)``.
  public func waitPath(
    toAnyOf others: some Collection<ObservableOperation>, _ milestone: Milestone = .finish,
    followingBodies followsBodies: Bool = true
  ) -> [ObservableOperation]? {
    if others.contains(where: { $0 === self }) { return [self] }
    var ends = Set(others.map(WaitEvent.finish))
    if milestone == .start { ends.formUnion(others.map(WaitEvent.start)) }
    var graph = WaitGraph(
      isStructural: true, refusingWaitsAfter: followsBodies ? nil : .min)
    return graph.path(from: .finish(self), to: ends, in: engine)?.operations
  }

  /// Whether it can finish without an action from outside.
  ///
  /// See ``OperationEngine/canFinish(anyOf:refusingWaitsAfter:expectingIntervention:cancelling:)``.
  public var canFinish: Bool { engine.canFinish(anyOf: [self]) }
}
