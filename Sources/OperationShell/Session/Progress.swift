import Operations

/// Says whether operations can still finish by themselves, or only if somebody steps in.
///
/// An executing operation can; so can a ready one on a queue that is open, and a pending one
/// whose unmet dependencies all can. What waits on a paused queue, on a width of 0, or for an
/// operation that was never started, can not. A `block` body that sits in a `wait` can as far as
/// what it waits for can.
struct Progress {
  /// What the bodies that wait at the moment are waiting for, by the id of their operation.
  let awaitedByBodies: [Int: [ObservableOperation]]
  private var verdicts: [Int: Bool] = [:]

  init(awaitedByBodies: [Int: [ObservableOperation]] = [:]) {
    self.awaitedByBodies = awaitedByBodies
  }

  /// Whether the operation can finish without anybody's help.
  ///
  /// Visits each operation once, and keeps its own stack: chains of dependencies may be as long as
  /// memory allows.
  mutating func canFinish(_ operation: ObservableOperation) -> Bool {
    var stack = [operation]
    var expanded: Set<Int> = []
    while let current = stack.last {
      if verdicts[current.id] != nil {
        stack.removeLast()
      } else if let verdict = verdictByItself(current) {
        verdicts[current.id] = verdict
        stack.removeLast()
      } else if expanded.insert(current.id).inserted {
        stack += unmetNeeds(of: current).filter {
          verdicts[$0.id] == nil && !expanded.contains($0.id)
        }
      } else {
        // All that was pushed above it has its verdict now. What has none is further down the
        // stack: bodies that wait for one another in a circle, which never ends.
        verdicts[current.id] = unmetNeeds(of: current).allSatisfy { verdicts[$0.id] == true }
        stack.removeLast()
      }
    }
    return verdicts[operation.id] ?? false
  }

  private func unmetNeeds(of operation: ObservableOperation) -> [ObservableOperation] {
    let needs =
      operation.state == .executing
      ? awaitedByBodies[operation.id] ?? [] : operation.upstream.map(\.operation)
    return needs.filter { $0.state != .finished }
  }

  /// The verdict where it does not hang on other operations.
  private func verdictByItself(_ operation: ObservableOperation) -> Bool? {
    switch operation.state {
    case .finished: return true
    case .executing: return awaitedByBodies[operation.id] == nil ? true : nil
    case .created: return false
    case .ready, .pending:
      guard let queue = operation.queue, !queue.isSuspended,
        queue.maxConcurrentOperationCount != 0
      else { return false }
      return operation.state == .ready ? true : nil
    }
  }
}
