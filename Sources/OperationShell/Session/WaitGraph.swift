import Operations

/// What has to happen before an operation can start or finish, by the rules of the engine.
///
/// It is as the engine sees it, but across everything that can be waited for: dependencies,
/// barriers, exclusive names, groups, slots, and the bodies that sit in a `wait`.
struct WaitGraph {
  /// The unfinished operations that others may have to wait for without depending on them.
  struct Landmarks: Sendable {
    var groups: [GroupOperation] = []
    var barriers: [ObservableOperation] = []
    var exclusive: [ObservableOperation] = []
  }

  /// An event of the future.
  enum Node: Hashable {
    case start(Int)
    case finish(Int)
    /// One of those that hold a slot of a full queue lets go of it.
    case slot(ObjectIdentifier)
  }

  /// What an event takes.
  enum Needs {
    case nothing
    /// It can't happen unless somebody steps in.
    case intervention
    case all([Node])
    case any([Node])
  }

  private struct QueueLook {
    let queue: InspectableQueue
    let isOpen: Bool
    let isFull: Bool
    let slotHolders: Set<Int>
    let barriers: [ObservableOperation]
  }

  /// Whether paused queues, taken slots, and that something was not started yet are passed over:
  /// then it tells in which order things must happen, whoever steps in.
  var isStructural = false

  private let awaitedByBodies: [Int: [ObservableOperation]]
  private let landmarks: Landmarks
  private var operations: [Int: ObservableOperation] = [:]
  private var looks: [ObjectIdentifier: QueueLook] = [:]

  init(awaitedByBodies: [Int: [ObservableOperation]], landmarks: Landmarks) {
    self.awaitedByBodies = awaitedByBodies
    self.landmarks = landmarks
  }

  mutating func start(of operation: ObservableOperation) -> Node {
    operations[operation.id] = operation
    return .start(operation.id)
  }

  mutating func finish(of operation: ObservableOperation) -> Node {
    operations[operation.id] = operation
    return .finish(operation.id)
  }

  func operation(_ node: Node) -> ObservableOperation? {
    switch node {
    case .start(let id), .finish(let id): operations[id]
    case .slot: nil
    }
  }

  mutating func needs(of node: Node) -> Needs {
    switch node {
    case .slot(let id):
      guard let look = looks[id] else { return .nothing }
      let holders = look.queue.operations.filter { look.slotHolders.contains($0.id) }
      // The world goes on meanwhile: a slot has become free since it was looked at.
      guard holders.count == look.slotHolders.count else { return .nothing }
      return .any(holders.map { finish(of: $0) })
    case .start(let id):
      return operations[id].map { startNeeds(of: $0) } ?? .nothing
    case .finish(let id):
      return operations[id].map { finishNeeds(of: $0) } ?? .nothing
    }
  }

  private mutating func finishNeeds(of operation: ObservableOperation) -> Needs {
    var needs: [Node] = []
    switch operation.state {
    case .finished: return .nothing
    case .executing:
      needs = unfinished(awaitedByBodies[operation.id] ?? []).map { finish(of: $0) }
    case .created, .pending, .ready: needs = [start(of: operation)]
    }
    if let group = operation as? GroupOperation {
      needs += group.operations.map { finish(of: $0) }
    }
    return needs.isEmpty ? .nothing : .all(needs)
  }

  private mutating func startNeeds(of operation: ObservableOperation) -> Needs {
    switch operation.state {
    case .finished, .executing: return .nothing
    case .created where !isStructural: return .intervention
    case .created, .pending, .ready: break
    }
    var needs: [Node] = []
    if !operation.isReady {
      needs = unfinished(operation.upstream.map(\.operation)).map { finish(of: $0) }
    }
    guard let queue = operation.queue else { return needs.isEmpty ? .nothing : .all(needs) }
    let look = look(at: queue)
    // It has its slot already: it is about to execute, or was cancelled and is about to end.
    if look.slotHolders.contains(operation.id) { return .nothing }
    guard look.isOpen || isStructural else { return .intervention }
    if let group = operation.group, group.state != .executing { needs.append(start(of: group)) }
    needs += barrierNeeds(of: operation, on: queue, look)
    if !operation.isCancelled {
      let names = operation.exclusiveNames
      for holder in landmarks.exclusive where !names.isEmpty && holder.state == .executing {
        if holder !== operation, holder.exclusiveNames.contains(where: names.contains) {
          needs.append(finish(of: holder))
        }
      }
    }
    if look.isFull, !isStructural { needs.append(.slot(ObjectIdentifier(queue))) }
    return needs.isEmpty ? .nothing : .all(needs)
  }

  private mutating func barrierNeeds(
    of operation: ObservableOperation, on queue: InspectableQueue, _ look: QueueLook
  ) -> [Node] {
    guard !look.barriers.isEmpty else { return [] }
    let earlier = look.barriers.filter { Self.wasAdded($0, before: operation) }
    let nearest = earlier.max { Self.wasAdded($0, before: $1) }
    guard operation.isBarrier else { return nearest.map { [finish(of: $0)] } ?? [] }
    return queue.operations
      .filter { other in
        Self.wasAdded(other, before: operation)
          && (nearest.map { $0 === other || Self.wasAdded($0, before: other) } ?? true)
      }
      .map { finish(of: $0) }
  }

  /// Whether one came onto their queue before another; those that came together stand by id.
  private static func wasAdded(
    _ first: ObservableOperation, before second: ObservableOperation
  ) -> Bool {
    guard let one = first.timestamps.pending, let two = second.timestamps.pending, one != two
    else { return first.id < second.id }
    return one < two
  }

  private func unfinished(_ operations: [ObservableOperation]) -> [ObservableOperation] {
    operations.filter { $0.state != .finished }
  }

  private mutating func look(at queue: InspectableQueue) -> QueueLook {
    let id = ObjectIdentifier(queue)
    if let known = looks[id] { return known }
    let width = queue.maxConcurrentOperationCount
    let holders = width == 0 ? [] : queue.snapshot.slotHolders.map(\.operation.id)
    let look = QueueLook(
      queue: queue, isOpen: !queue.isSuspended && width != 0,
      isFull: width > 0 && holders.count >= width, slotHolders: Set(holders),
      barriers: landmarks.barriers.filter { $0.queue === queue && $0.state != .finished })
    looks[id] = look
    return look
  }
}

extension WaitGraph {
  /// The operations on the way from one event to the first of some others that it takes, both ends
  /// included; nil if it takes none of them.
  ///
  /// Each operation stands in it once, and each waits for the next.
  mutating func path(from start: Node, to ends: Set<Node>) -> [ObservableOperation]? {
    var cameFrom: [Node: Node] = [:]
    var seen: Set<Node> = []
    var queue = [start]
    var next = 0
    while next < queue.count {
      let node = queue[next]
      next += 1
      let needs: [Node] =
        switch self.needs(of: node) {
        case .nothing, .intervention: []
        case .all(let nodes), .any(let nodes): nodes
        }
      for need in needs where seen.insert(need).inserted {
        cameFrom[need] = node
        if ends.contains(need) { return operations(along: cameFrom, from: start, to: need) }
        queue.append(need)
      }
    }
    return nil
  }

  private func operations(
    along cameFrom: [Node: Node], from start: Node, to end: Node
  ) -> [ObservableOperation] {
    var path = [end]
    var node = end
    while let previous = cameFrom[node] {
      path.append(previous)
      if previous == start { break }
      node = previous
    }
    var result: [ObservableOperation] = []
    for operation in path.reversed().compactMap({ operation($0) }) where result.last !== operation {
      result.append(operation)
    }
    return result
  }

  /// How one operation waits for the end of another, which it must not depend on then.
  ///
  /// - Returns: The operations on the way; nil if it does not.
  mutating func path(
    from operation: ObservableOperation, to other: ObservableOperation
  ) -> [ObservableOperation]? {
    if operation === other { return [operation] }
    return path(
      from: finish(of: operation), to: [finish(of: other)])
  }
}
