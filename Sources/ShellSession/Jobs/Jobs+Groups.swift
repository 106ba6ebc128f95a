package import Operations

extension ObservableOperation {
  /// The groups that contain the operation, innermost first.
  package var enclosingGroups: [GroupOperation] {
    var groups: [GroupOperation] = []
    var next = group
    while let group = next {
      groups.append(group)
      next = group.group
    }
    return groups
  }

  /// Whether the operation, or a group that contains it, has not been started: it waits for
  /// `start`.
  package var isHeldBack: Bool {
    state == .created || enclosingGroups.contains { $0.state == .created }
  }
}

extension Jobs {
  /// Returns the queue with that name: one of the session's, or that of an unfinished group.
  package func queue(named name: String) -> InspectableQueue? {
    if let queue = queues.queue(named: name) { return queue }
    guard let group = operations.operation(named: name) as? GroupOperation,
      group.state != .finished
    else { return nil }
    return group.innerQueue
  }

  /// All named queues: those of the session, then those of unfinished groups.
  package var allQueues: [InspectableQueue] {
    queues.all + unfinishedGroups.map(\.innerQueue)
  }

  /// Removes a queue, with its observers and handlers: none of them would be called again.
  package func remove(_ queue: InspectableQueue) {
    queues.remove(queue)
    eventHandlers.remove(of: queue)
  }

  /// The unfinished groups in the order in which they were built.
  var unfinishedGroups: [GroupOperation] {
    operations.groups.filter { $0.state != .finished }.sorted { $0.id < $1.id }
  }

  /// Returns the operations and all unfinished members of the groups among them, each once.
  package func withMembers(_ operations: [ObservableOperation]) -> [ObservableOperation] {
    var seen: Set<Int> = []
    var result: [ObservableOperation] = []
    var stack = Array(operations.reversed())
    while let operation = stack.popLast() {
      guard seen.insert(operation.id).inserted else { continue }
      result.append(operation)
      guard let group = operation as? GroupOperation else { continue }
      stack += (group.operations + self.operations.held(for: group.innerQueue)).reversed()
    }
    return result
  }

  /// Returns the groups that what is added to the queue will be in, the innermost first.
  package func groups(around queue: InspectableQueue) -> [GroupOperation] {
    var groups: [GroupOperation] = []
    var next = group(of: queue)
    while let group = next {
      groups.append(group)
      next = operations.destination(of: group).flatMap { self.group(of: $0) }
    }
    return groups
  }

  /// Returns the group whose operations are on the queue; nil for a queue of the session.
  package func group(of queue: InspectableQueue) -> GroupOperation? {
    operations.groups.first { $0.innerQueue === queue }
  }
}
