/// The first blockers of operations: what they wait for at first, not followed to its root.
///
/// It says what ``ObservableOperation/waitReasons()`` begins with, at a lower cost, for lists of many
/// operations: those that start before others are looked for once for each queue, so that the
/// blockers of one list are of about the same moment.
public struct FirstBlockers: Sendable {
  /// A place in the order of starting, as it was when the operation was looked at.
  private struct Place: Comparable {
    let turn: Rank.Turn
    let level: Int
    let order: Int

    init(_ operation: ObservableOperation) {
      turn = Rank(operation).turn
      level = ReadyOrder.level(of: operation)
      order = operation.core.order
    }

    static func < (left: Place, right: Place) -> Bool {
      (left.turn, left.level, left.order) < (right.turn, right.level, right.order)
    }
  }

  private typealias Entry = (place: Place, operation: ObservableOperation)

  /// Those that could start, by queue, in the order of starting.
  private var orders: [ObjectIdentifier: [Entry]] = [:]

  /// Creates a look at the present.
  public init() {}

  /// Finds what an operation waits for at first.
  ///
  /// - Parameter operation: The operation.
  /// - Returns: The blocker; nil if nothing keeps it, and if it works. That of a group that executes
  ///   is that it waits for its members.
  public mutating func blocker(of operation: ObservableOperation) -> WaitReason? {
    let engine = operation.engine
    let (findings, unmet) = engine.guardedState { state in
      Self.findings(of: operation, in: state)
    }
    for subject in findings {
      let finding = WaitFinding(subject, depth: 0, origin: nil)
      let reason =
        if case .behind(_, let queue) = subject {
          reason(of: finding, for: operation, on: queue)
        } else {
          finding.reason(in: engine, countingDependencies: unmet)
        }
      if let reason { return reason }
    }
    return nil
  }

  /// The findings of which the first counts that comes to something, in a transaction, and how many
  /// dependencies have not finished.
  private static func findings(
    of operation: ObservableOperation, in state: EngineState
  ) -> ([WaitFinding.Subject], Int) {
    if operation.isKeptByDependencies,
      let edge = operation.core.upstream.first(where: { $0.operation.core.state != .finished })
    {
      return ([.dependency(edge.operation)], max(1, operation.core.unmetDependencies))
    }
    let findings = operation.otherFindings(in: state)
    if findings.isEmpty, operation.core.state == .executing,
      let group = operation as? GroupOperation, !group.innerQueue.core.isEmpty
    {
      return ([.inside(group)], 0)
    }
    return (findings, 0)
  }

  private mutating func reason(
    of finding: WaitFinding, for operation: ObservableOperation, on queue: InspectableQueue
  ) -> WaitReason? {
    let engine = operation.engine
    let place = engine.guardedState { _ in operation.core.isBlocked ? nil : Place(operation) }
    // Those that get an exclusive name first are few, and others for each.
    guard let place else { return finding.reason(in: engine) }
    let order = order(of: queue)
    let count = order.partitioningIndex { !($0.place < place) }
    let first = order.prefix(min(count, Wording.longestList)).map(\.operation)
    return engine.guardedState { finding.reason(naming: first, of: count, in: $0) }
  }

  private mutating func order(of queue: InspectableQueue) -> [Entry] {
    if let known = orders[ObjectIdentifier(queue)] { return known }
    var members = WaitMembers(of: queue) { $0.couldStart(in: $1) }
    var entries: [Entry] = []
    // What was read before the places changed is released without the lock.
    var discarded: [[Entry]] = []
    queue.engine.guardedInPieces { state in
      var steps = 0
      while let member = members.next(&steps, limit: WaitSearch.longestPiece, in: state) {
        if members.count == 1, !entries.isEmpty {
          discarded.append(entries)
          entries = []
        }
        entries.append((Place(member), member))
      }
      return steps < WaitSearch.longestPiece
    }
    withExtendedLifetime(discarded) {}
    entries.sort { $0.place < $1.place }
    orders[ObjectIdentifier(queue)] = entries
    return entries
  }
}

extension Array {
  /// The first index whose element meets a condition that all after it meet; the end if none does.
  fileprivate func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension InspectableQueue {
  /// That all of its slots are taken, with the operations that hold them; nil if one is free.
  public var fullness: WaitReason? {
    let isFull = engine.guarded { core.width > 0 && !core.hasRoom }
    return isFull ? WaitFinding(.full(self), depth: 0, origin: nil).reason(in: engine) : nil
  }
}
