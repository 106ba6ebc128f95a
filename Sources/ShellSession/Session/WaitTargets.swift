import OpshLocking
import OpshNetworking
package import Operations

/// The operations of a wait.
///
/// Checking whether all have finished takes, over the whole wait, time proportional to their
/// number: finished operations at the front are released and not checked again. The data that is
/// needed of them afterwards is handed over at that time.
package final class WaitTargets: Sendable {
  /// The data that is kept of an operation that was waited for.
  package struct Covered: Sendable {
    package let name: String
    package let key: FailureLedger.Key
    package let failure: OperationFailure?

    /// Nil if the operation did not fail, unless it is a group, whose members may have failed.
    package init?(_ operation: ObservableOperation) {
      failure = operation.outcome?.failure
      guard failure != nil || operation is GroupOperation else { return nil }
      name = operation.displayName
      key = FailureLedger.Key(operation)
    }
  }

  private struct State {
    var operations: [ObservableOperation?]
    var firstUnfinished = 0
    /// Of those that were released.
    var releasedFailures = 0
    var releasedBytes = 0
    var ids: Set<Int>
    var registryCount: Int
  }

  private let state: Locked<State>
  /// The operation whose body waits, which the engine is told; nil for the interpreter's thread.
  private let owner: ObservableOperation?
  private let hasTimeLimit: Bool

  /// Creates the targets of a wait.
  ///
  /// - Parameters:
  ///   - operations: The operations to wait for, each once.
  ///   - registryCount: How many operations of the session were already examined, if later ones are
  ///     to be added.
  ///   - owner: The operation whose body waits; nil for the interpreter's thread.
  ///   - hasTimeLimit: Whether the wait has a time limit.
  package init(
    _ operations: [ObservableOperation], registryCount: Int = 0,
    of owner: ObservableOperation? = nil, withTimeLimit hasTimeLimit: Bool = false
  ) {
    (self.owner, self.hasTimeLimit) = (owner, hasTimeLimit)
    state = Locked(
      State(
        operations: operations, ids: Set(operations.map(\.id)), registryCount: registryCount))
  }

  package var unfinished: [ObservableOperation] {
    state.withLock { state in
      state.operations[state.firstUnfinished...].compactMap { $0 }
        .filter { $0.state != .finished }
    }
  }

  /// Whether there are more unfinished operations than `number`; stops counting as soon as it
  /// knows.
  package func hasUnfinished(moreThan number: Int) -> Bool {
    state.withLock { state in
      var count = 0
      return state.operations[state.firstUnfinished...].contains { operation in
        if let operation, operation.state != .finished { count += 1 }
        return count > number
      }
    }
  }

  package func contains(_ operation: ObservableOperation) -> Bool {
    state.withLock { $0.ids.contains(operation.id) }
  }

  package func add(_ operations: some Sequence<ObservableOperation>) {
    let hasAdded = state.withLock { state in
      let count = state.operations.count
      for operation in operations where state.ids.insert(operation.id).inserted {
        state.operations.append(operation)
      }
      return state.operations.count > count
    }
    if hasAdded { owner?.setAwaited(unfinished, withTimeLimit: hasTimeLimit) }
  }

  /// Waits, and has the engine know what the body waits for meanwhile.
  ///
  /// So a deadlock of two bodies is detected, and a body that waits for a paused queue.
  package func whileAwaited<Result>(_ wait: () throws -> Result) rethrows -> Result {
    owner?.setAwaited(unfinished, withTimeLimit: hasTimeLimit)
    defer { owner?.setAwaited([]) }
    return try wait()
  }

  /// Adds operations that were built since the last check.
  package func addBuilt(of registry: OperationRegistry) {
    let (count, known) = (registry.count, state.withLock { $0.registryCount })
    guard count > known else { return }
    add(registry.added(after: known))
    state.withLock { $0.registryCount = count }
  }

  /// Whether all operations have finished or are ignored.
  ///
  /// - Parameters:
  ///   - isLeftOut: Whether an unfinished operation is ignored.
  ///   - take: Called for each operation that is released.
  /// - Returns: Whether the wait is over.
  package func allHaveFinished(
    orElse isLeftOut: (ObservableOperation) -> Bool = { _ in false },
    letGo take: (ObservableOperation) -> Void = { _ in }
  ) -> Bool {
    while let first = takeFirstFinished() { take(first) }
    return state.withLock { state in
      state.operations[state.firstUnfinished...].allSatisfy { operation in
        operation.map { $0.state == .finished || isLeftOut($0) } ?? true
      }
    }
  }

  /// The kept data of finished operations that were not released.
  package var covered: [Covered] {
    state.withLock { state in
      state.operations[state.firstUnfinished...].compactMap { $0 }
        .filter { $0.state == .finished }.compactMap { Covered($0) }
    }
  }

  /// Removes the first operation if it has finished.
  private func takeFirstFinished() -> ObservableOperation? {
    state.withLock { state in
      guard state.firstUnfinished < state.operations.count,
        let first = state.operations[state.firstUnfinished], first.state == .finished
      else { return nil }
      state.operations[state.firstUnfinished] = nil
      state.firstUnfinished += 1
      if first.outcome?.failure != nil { state.releasedFailures += 1 }
      state.releasedBytes += first.networkMetrics?.bytesReceived ?? 0
      return first
    }
  }

  /// How far the operations have come; takes time proportional to the number of unfinished ones.
  var counts: WaitCounts {
    state.withLock { state in
      var counts = WaitCounts()
      counts.all = state.operations.count
      counts.finished = state.firstUnfinished
      counts.failed = state.releasedFailures
      counts.bytes = state.releasedBytes
      for operation in state.operations[state.firstUnfinished...].lazy.compactMap({ $0 }) {
        counts.add(operation)
      }
      if counts.all == 1 { counts.only = state.operations[0] }
      return counts
    }
  }
}

/// How far the operations of a wait have come.
struct WaitCounts {
  var all = 0
  var finished = 0
  var executing = 0
  var failed = 0
  /// The bytes received.
  var bytes = 0
  /// The only one, if there is one.
  var only: ObservableOperation?

  mutating func add(_ operation: ObservableOperation) {
    switch operation.state {
    case .finished:
      finished += 1
      if operation.outcome?.failure != nil { failed += 1 }
    case .executing: executing += 1
    case .created, .pending, .ready: return
    }
    bytes += operation.networkMetrics?.bytesReceived ?? 0
  }
}
