extension OperationEngine {
  /// Returns whether any of the operations can finish without an action from outside.
  ///
  /// An executing operation can finish; so can a ready one on a queue that is not suspended, and a
  /// pending one if all its unmet dependencies can. An operation that waits on a suspended queue, on
  /// a width of 0, or for an operation that is on no queue can't. For a body that waits, a group, a
  /// barrier, and an operation that waits for a slot or a name, the answer follows from what it waits
  /// for. An operation in a cycle never finishes. A time limit ends what it applies to, also the
  /// operations of a group.
  ///
  /// It visits each event once, without recursion, and takes the lock for a bounded number of them
  /// at a time. If something happens meanwhile, which ``EventLog/count`` shows, the answer may be
  /// wrong.
  ///
  /// - Parameters:
  ///   - operations: Operations of this engine.
  ///   - id: Of operations with a greater ``ObservableOperation/id``, the bodies count as ones that
  ///     do not wait, because their waits are refused if they can't end; nil if no wait is refused.
  ///   - expectsIntervention: Whether actions from outside may follow: resuming queues, adding
  ///     operations to them, finishing operations. Then only operations that wait for one another
  ///     can't finish.
  ///   - cancelled: The identifiers of operations that something will cancel.
  /// - Returns: Whether one of them can finish; false if there are no operations.
  public func canFinish(
    anyOf operations: some Sequence<ObservableOperation>, refusingWaitsAfter id: Int? = nil,
    expectingIntervention expectsIntervention: Bool = false, cancelling cancelled: Set<Int> = []
  ) -> Bool {
    var search = ProgressSearch(
      graph: WaitGraph(
        expectingIntervention: expectsIntervention, cancelling: cancelled, refusingWaitsAfter: id,
        countingStops: true))
    return operations.contains { search.canHappen(.finish($0), in: self) }
  }
}

extension ObservableOperation {
  /// Its state can change without an action from outside, though it may never finish.
  package var canChange: Bool {
    switch state {
    case .created, .executing: canFinish
    case .pending:
      isCancelled
        || upstream.allSatisfy { $0.operation.state == .finished || $0.operation.canFinish }
    case .ready: engine.canStart(self)
    case .finished: false
    }
  }
}

extension OperationEngine {
  /// Returns whether an operation can start without an action from outside.
  fileprivate func canStart(_ operation: ObservableOperation) -> Bool {
    var search = ProgressSearch(graph: WaitGraph(countingStops: true))
    return search.canHappen(.start(operation), in: self)
  }
}

/// Decides which events can happen by themselves.
struct ProgressSearch {
  /// What an event that can't happen comes to, from event to event.
  enum Root {
    /// An event that needs an action from outside.
    case action(WaitEvent)
    /// Events of which each requires the next, and the last the first.
    case circle([WaitEvent])

    var events: [WaitEvent] {
      switch self {
      case .action(let event): [event]
      case .circle(let events): events
      }
    }
  }

  private var graph: WaitGraph
  private var verdicts: [WaitEvent: Bool] = [:]
  /// The events that require each of those that were looked at.
  private var dependents: [WaitEvent: [WaitEvent]] = [:]
  /// The events that can't happen, and what they require; nothing for those that need an action.
  private var stuck: [WaitEvent: [WaitEvent]] = [:]

  init(graph: WaitGraph) {
    self.graph = graph
  }

  mutating func canHappen(_ event: WaitEvent, in engine: OperationEngine) -> Bool {
    if let known = verdicts[event] { return known }
    decide(from: event, in: engine)
    return verdicts[event] ?? false
  }

  /// Decides all events that one event requires.
  ///
  /// It collects them first, then follows the events that can happen at once to the events they
  /// enable. An event that this never reaches can't happen.
  private mutating func decide(from root: WaitEvent, in engine: OperationEngine) {
    /// How many further events an event needs; nil for one that needs an action from outside.
    var missing: [WaitEvent: Int?] = [:]
    var required: [WaitEvent: [WaitEvent]] = [:]
    var possible: [WaitEvent] = []
    var open = [root]
    engine.guardedInPieces { state in
      var steps = 0
      while steps < WaitSearch.longestPiece {
        guard let event = open.popLast() else { return true }
        guard verdicts[event] == nil, missing[event] == nil else { continue }
        let needs = graph.needs(of: event, in: state)
        steps += 1 + needs.events.count
        let further: [WaitEvent]
        switch needs {
        case .nothing:
          (missing[event], further) = (0, [])
        case .intervention:
          (missing[event], further) = (.some(nil), [])
        case .all(let all):
          further = all.filter { verdicts[$0] != true }
          missing[event] = further.count
        case .any(let any):
          further = any.contains { verdicts[$0] == true } ? [] : any
          missing[event] = min(1, further.count)
        }
        if missing[event] == 0 { possible.append(event) }
        required[event] = further
        for need in further {
          dependents[need, default: []].append(event)
          open.append(need)
        }
      }
      return false
    }
    while let event = possible.popLast() {
      guard verdicts.updateValue(true, forKey: event) != true else { continue }
      for dependent in dependents[event] ?? [] {
        guard case .some(.some(let count)) = missing[dependent], count > 0 else { continue }
        missing[dependent] = count - 1
        if count == 1 { possible.append(dependent) }
      }
    }
    for event in missing.keys where verdicts[event] == nil {
      verdicts[event] = false
      stuck[event] = required[event]
    }
  }

  /// Finds the roots of events that can't happen, each once.
  ///
  /// - Parameter events: Events of which it was decided that they can't happen.
  /// - Returns: The roots, and for each event the nearest one: those of actions come before circles.
  func roots(of events: [WaitEvent]) -> (roots: [Root], places: [WaitEvent: Int]) {
    let actions = stuck.filter(\.value.isEmpty).keys
      .sorted { ($0.operation?.id ?? 0) < ($1.operation?.id ?? 0) }
    var roots = actions.map(Root.action)
    var places: [WaitEvent: Int] = [:]
    spread(roots.enumerated().map { ($1, $0) }, to: &places)
    for event in events where places[event] == nil {
      // All that it requires has no root yet, for it would have the same one.
      var path: [WaitEvent] = []
      var positions: [WaitEvent: Int] = [:]
      var next: WaitEvent? = event
      while let event = next, positions[event] == nil {
        positions[event] = path.count
        path.append(event)
        next = stuck[event]?.first { stuck[$0] != nil }
      }
      guard let start = next.flatMap({ positions[$0] }) else { continue }
      roots.append(.circle(Array(path[start...])))
      spread([(roots[roots.count - 1], roots.count - 1)], to: &places)
    }
    return (roots, places)
  }

  /// Gives those roots to all that requires them and has none, the nearest first.
  private func spread(_ roots: [(Root, Int)], to places: inout [WaitEvent: Int]) {
    var open: [WaitEvent] = []
    for (root, place) in roots {
      for event in root.events where places[event] == nil {
        places[event] = place
        open.append(event)
      }
    }
    var index = 0
    while index < open.count {
      let event = open[index]
      index += 1
      for dependent in dependents[event] ?? []
      where stuck[dependent] != nil && places[dependent] == nil {
        places[dependent] = places[event]
        open.append(dependent)
      }
    }
  }
}
