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

extension Session {
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

  /// Ends a group that can't be completed, and its members.
  ///
  /// No member has run, so all of them have finished when this returns, except those on a queue of
  /// another place.
  ///
  /// - Parameters:
  ///   - group: The group, which is on no queue.
  ///   - requester: What ends it, in words.
  /// - Returns: The number of operations that were cancelled in addition to the group.
  @discardableResult
  package func abandon(_ group: GroupOperation, by requester: String) -> Int {
    let all = end([group], by: requester)
    for operation in all { operation.waitUntilFinished(timeout: .seconds(5)) }
    operations.endConstruction(of: group)
    return all.count - 1
  }

  /// Cancels what is on a queue, or held for it, and has it end, though the queue may be paused.
  ///
  /// What has not begun has finished when this returns, unless what executes keeps all the slots
  /// for more than a second.
  package func abandon(
    _ operations: [ObservableOperation], on queue: InspectableQueue, by requester: String
  ) {
    for operation in operations { self.operations.releaseHold(of: operation) }
    let unbegun = withMembers(operations).filter {
      $0.state != .executing && $0.state != .finished
    }
    end(operations, with: [queue], by: requester)
    let deadline = ContinuousClock.now + .seconds(1)
    for operation in unbegun {
      let left = ContinuousClock.now.duration(to: deadline)
      guard operation.waitUntilFinished(timeout: max(left, .zero)) else { break }
    }
  }

  /// Cancels operations with all that is in them, and has their queues start them, so that they end.
  @discardableResult
  private func end(
    _ operations: [ObservableOperation], with queues: [InspectableQueue] = [], by requester: String
  ) -> [ObservableOperation] {
    let all = withMembers(operations)
    ObservableOperation.cancelAll(all, by: requester)
    // A cancelled operation ends when its queue starts it, so no queue may stay paused.
    engine.withoutStarting {
      for queue in queues + all.compactMap({ ($0 as? GroupOperation)?.innerQueue }) {
        queue.isSuspended = false
        queue.pace = .zero
        if queue.maxConcurrentOperationCount == 0 { queue.maxConcurrentOperationCount = 1 }
      }
    }
    // Operations that are on no queue have to be ended here.
    for operation in all.reversed() where operation.state == .created {
      try? operation.startManually()
    }
    runDueEvents()
    return all
  }
}
