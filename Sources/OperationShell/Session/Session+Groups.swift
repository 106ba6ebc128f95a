import Operations

extension ObservableOperation {
  /// The groups around it, the innermost first.
  var enclosingGroups: [GroupOperation] {
    var groups: [GroupOperation] = []
    var next = group
    while let group = next {
      groups.append(group)
      next = group.group
    }
    return groups
  }

  /// Whether nobody started it, or a group that it is in: it was left for `start`.
  var isHeldBack: Bool { state == .created || enclosingGroups.contains { $0.state == .created } }
}

extension Session {
  /// The queue of that name: one of the session's, or that of an unfinished group.
  func queue(named name: String) -> InspectableQueue? {
    if let queue = queues.queue(named: name) { return queue }
    guard let group = operations.operation(named: name) as? GroupOperation,
      group.state != .finished
    else { return nil }
    return group.innerQueue
  }

  /// The queues that have names: those of the session, then those of unfinished groups.
  var allQueues: [InspectableQueue] {
    queues.all + unfinishedGroups.map(\.innerQueue)
  }

  /// In the order in which they were built.
  var unfinishedGroups: [GroupOperation] {
    operations.landmarks.groups.filter { $0.state != .finished }.sorted { $0.id < $1.id }
  }

  /// Operations, and all unfinished ones in the groups among them; each once.
  func withMembers(_ operations: [ObservableOperation]) -> [ObservableOperation] {
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

  /// Ends a group whose block could not be run to its end, and what is in it.
  ///
  /// None of it has run, so that all of it has finished when this returns, but for what a queue
  /// elsewhere has.
  ///
  /// - Returns: How many operations were cancelled besides the group.
  @discardableResult
  func abandon(_ group: GroupOperation) -> Int {
    let all = withMembers([group])
    ObservableOperation.cancelAll(all, by: "the error in the block of group '\(group.displayName)'")
    // A cancelled operation ends when its queue starts it, so that none may be paused.
    for case let group as GroupOperation in all {
      group.innerQueue.isSuspended = false
      group.innerQueue.pace = .zero
      if group.innerQueue.maxConcurrentOperationCount == 0 {
        group.innerQueue.maxConcurrentOperationCount = 1
      }
    }
    // Those that are held on no queue have to be ended by hand.
    for operation in all.reversed() where operation.state == .created {
      try? operation.startManually()
    }
    letDueRun()
    for operation in all { operation.waitUntilFinished(timeout: .seconds(5)) }
    operations.endConstruction(of: group)
    return all.count - 1
  }
}
