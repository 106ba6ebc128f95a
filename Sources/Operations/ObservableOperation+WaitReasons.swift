extension ObservableOperation {
  /// How many reasons a list holds at most; those in the middle are left out.
  private static let longestList = 64
  private static let rootsKept = 16

  /// Says why it is not running now: the nearest reason first, the root last.
  ///
  /// The reasons of what it depends on are followed down to the root, across queues. The list is
  /// empty if it executes or has finished.
  ///
  /// - Returns: The reasons, all seen at the same moment.
  public func waitReasons() -> [WaitReason] {
    log.guarded {
      var found: [Finding] = []
      var level = [self]
      var seen: Set<Int> = [id]
      var depth = 0
      while !level.isEmpty {
        var next: [ObservableOperation] = []
        for operation in level {
          for edge in operation.openEdges {
            found.append(Finding(subject: .dependency(edge.operation), depth: depth))
            if seen.insert(edge.operation.id).inserted { next.append(edge.operation) }
          }
          found += operation.ownFindings(depth: depth)
        }
        level = next
        depth += 1
      }
      return Self.reasons(found)
    }
  }

  /// What was found, before it is put into words.
  private struct Finding {
    enum Subject {
      case dependency(ObservableOperation)
      case notOnQueue(ObservableOperation)
      case paused(InspectableQueue)
      case widthZero(InspectableQueue)
      case full(InspectableQueue)
      case behind(ObservableOperation, InspectableQueue)
    }

    let subject: Subject
    let depth: Int

    /// The same for findings that say the same; the last of these is kept.
    var key: Key {
      switch subject {
      case .dependency(let operation): Key(code: .dependency, object: .init(operation))
      case .notOnQueue(let operation): Key(code: .notOnQueue, object: .init(operation))
      case .paused(let queue): Key(code: .queuePaused, object: .init(queue))
      case .widthZero(let queue): Key(code: .widthZero, object: .init(queue))
      case .full(let queue): Key(code: .queueFull, object: .init(queue))
      case .behind(let operation, _): Key(code: .higherPriority, object: .init(operation))
      }
    }

    struct Key: Hashable {
      let code: WaitReason.Code
      let object: ObjectIdentifier
    }
  }

  /// The dependencies that it waits for.
  private var openEdges: [DependencyEdge] {
    guard !core.isReady else { return [] }
    return core.upstream.edges.filter { $0.operation.core.state != .finished }
  }

  private func ownFindings(depth: Int) -> [Finding] {
    switch core.state {
    case .executing, .finished:
      return []
    case .created:
      return [Finding(subject: .notOnQueue(self), depth: depth)]
    case .pending, .ready:
      guard let queue = core.queue, !core.isClaimed, !core.isFinishing else { return [] }
      var subjects: [Finding.Subject] = []
      if core.isReady, !queue.core.isSuspended, queue.core.width != 0 {
        // It competes for a slot now.
        if queue.core.hasFreeSlot { return [] }
        subjects = [.behind(self, queue), .full(queue)]
      }
      if queue.core.width == 0 { subjects.append(.widthZero(queue)) }
      if queue.core.isSuspended { subjects.append(.paused(queue)) }
      return subjects.map { Finding(subject: $0, depth: depth) }
    }
  }

  private static func reasons(_ found: [Finding]) -> [WaitReason] {
    var seen: Set<Finding.Key> = []
    var distinct: [Finding] = []
    for finding in found.reversed() where seen.insert(finding.key).inserted {
      distinct.append(finding)
    }
    distinct.reverse()
    if distinct.count > longestList {
      distinct =
        Array(distinct.prefix(longestList - rootsKept)) + Array(distinct.suffix(rootsKept))
    }
    return distinct.compactMap(reason)
  }

  private static func reason(_ finding: Finding) -> WaitReason? {
    let depth = finding.depth
    switch finding.subject {
    case .dependency(let operation):
      let name = operation.identityInTransaction.name
      let state = operation.core.state.rawValue
      return WaitReason(
        code: .dependency, subject: [name], queue: operation.core.queue?.core.name,
        text: "waits for '\(name)', which is \(state)", depth: depth)
    case .notOnQueue(let operation):
      let name = operation.identityInTransaction.name
      return WaitReason(
        code: .notOnQueue, subject: [name], queue: nil,
        text: "'\(name)' is on no queue, so nothing will start it", depth: depth)
    case .paused(let queue):
      return WaitReason(
        code: .queuePaused, subject: [queue.core.name], queue: queue.core.name,
        text: "queue '\(queue.core.name)' is paused", depth: depth)
    case .widthZero(let queue):
      return WaitReason(
        code: .widthZero, subject: [queue.core.name], queue: queue.core.name,
        text: "queue '\(queue.core.name)' has width 0 and starts nothing", depth: depth)
    case .full(let queue):
      let holders = queue.core.slots.compactMap { $0?.identityInTransaction.name }
      let slots = queue.core.width == 1 ? "slot" : "\(queue.core.width) slots"
      let verb = holders.count == 1 ? "holds" : "hold"
      return WaitReason(
        code: .queueFull, subject: holders, queue: queue.core.name,
        text: "queue '\(queue.core.name)' is full: \(Wording.list(holders)) \(verb) its \(slots)",
        depth: depth)
    case .behind(let operation, let queue):
      return behind(operation, on: queue, depth: depth)
    }
  }

  /// Says who starts before a ready operation, if anybody does.
  private static func behind(
    _ operation: ObservableOperation, on queue: InspectableQueue, depth: Int
  ) -> WaitReason? {
    let place = QueueCore.ReadyEntry(operation)
    let ahead = queue.core.members.values
      .filter { $0.core.isStartable && QueueCore.ReadyEntry($0) < place }
      .sorted { QueueCore.ReadyEntry($0) < QueueCore.ReadyEntry($1) }
    guard !ahead.isEmpty else { return nil }
    let names = ahead.prefix(Wording.longestList).map(\.identityInTransaction.name)
    let verb = ahead.count == 1 ? "starts" : "start"
    return WaitReason(
      code: .higherPriority, subject: names, queue: queue.core.name,
      text: "\(Wording.list(names, count: ahead.count)) \(verb) first", depth: depth)
  }
}
