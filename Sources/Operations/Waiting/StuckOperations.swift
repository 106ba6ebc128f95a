/// Operations that no event to come can end, and what all of them wait for in the end.
public struct StuckOperations: Sendable {
  /// What keeps them: a circle, or what only an action from outside ends.
  public let root: WaitReason
  /// The operations, in the order in which they were asked about.
  public internal(set) var operations: [ObservableOperation]
}

extension OperationEngine {
  /// Finds the operations that can't finish without an action from outside, each with one root.
  ///
  /// Circles come first: those that would be left if every queue were resumed and every operation
  /// added and finished. Their members, and what waits for them, have the circle as their root; the
  /// others the nearest paused queue, queue without slots, operation on no queue, or operation whose
  /// work is done. It takes time in proportion to what is waited for, and the lock for a bounded
  /// number of events at a time.
  ///
  /// - Parameters:
  ///   - operations: Operations of this engine.
  ///   - cancelled: The identifiers of operations that something will cancel.
  /// - Returns: The roots, in the order of the operations; each operation is in one of them at most.
  public func stuckOperations(
    among operations: [ObservableOperation], cancelling cancelled: Set<Int> = []
  ) -> [StuckOperations] {
    var found: [StuckOperations] = []
    var places: [WaitFinding.Key: Int] = [:]
    var rootOf: [Int: Int] = [:]
    for expectsIntervention in [true, false] {
      var search = ProgressSearch(
        graph: WaitGraph(
          expectingIntervention: expectsIntervention, cancelling: cancelled, countingStops: true,
          endingLimitedWaits: true))
      let left = operations.filter { rootOf[$0.id] == nil }
      let events = left.map(WaitEvent.finish).filter { !search.canHappen($0, in: self) }
      let (roots, rootOfEvent) = search.roots(of: events)
      let findings = roots.map(finding)
      for operation in left {
        guard let root = rootOfEvent[.finish(operation)], let finding = findings[root] else {
          continue
        }
        if places[finding.key] == nil, let reason = finding.reason(in: self) {
          places[finding.key] = found.count
          found.append(StuckOperations(root: reason, operations: []))
        }
        rootOf[operation.id] = places[finding.key]
      }
    }
    for operation in operations {
      if let root = rootOf[operation.id] { found[root].operations.append(operation) }
    }
    return found
  }

  /// What a root is, for the text of it; nil if it is over.
  private func finding(_ root: ProgressSearch.Root) -> WaitFinding? {
    let subject: WaitFinding.Subject?
    switch root {
    case .circle(let events):
      let operations = events.operations
      let isClosed = operations.count > 1 && operations.first === operations.last
      subject = .cycle(isClosed ? operations.dropLast() : operations)
    case .action(let event):
      subject = guardedState { state in
        guard let operation = event.operation, operation.core.state != .finished else { return nil }
        guard case .start = event else { return operation.finishFinding }
        return operation.otherFindings(in: state).last { $0.needsAction }
      }
    }
    return subject.map { WaitFinding($0, depth: 0, origin: nil) }
  }
}

extension WaitFinding.Subject {
  /// Whether only an action from outside ends it, whatever else happens.
  fileprivate var needsAction: Bool {
    switch self {
    case .obstacle, .readiness, .notOnQueue, .background, .paused, .widthZero: true
    default: false
    }
  }
}
