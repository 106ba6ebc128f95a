import Locking
import Operations

/// The operations of a wait.
///
/// Asking whether all have finished costs, over the whole wait, time proportional to their number:
/// those at the front that have finished are let go and not looked at again. What has to be
/// known of them afterwards is handed over then.
final class WaitTargets: Sendable {
  /// What is kept in mind of one that was waited for.
  struct Covered: Sendable {
    let name: String
    let key: FailureLedger.Key
    let failure: OperationFailure?

    /// Nil for one that did not fail, unless it is a group: something in that may have failed.
    init?(_ operation: ObservableOperation) {
      failure = operation.outcome?.failure
      guard failure != nil || operation is GroupOperation else { return nil }
      name = operation.displayName
      key = FailureLedger.Key(operation)
    }
  }

  private struct State {
    var operations: [ObservableOperation?]
    var firstUnfinished = 0
    var ids: Set<Int>
    var registryCount: Int
  }

  private let state: Locked<State>

  /// Creates the targets of a wait.
  ///
  /// - Parameters:
  ///   - operations: What is waited for; each once.
  ///   - registryCount: How many operations of the session have been looked at, where further ones
  ///     join.
  init(_ operations: [ObservableOperation], registryCount: Int = 0) {
    state = Locked(
      State(
        operations: operations, ids: Set(operations.map(\.id)), registryCount: registryCount))
  }

  var unfinished: [ObservableOperation] {
    state.withLock { state in
      state.operations[state.firstUnfinished...].compactMap { $0 }
        .filter { $0.state != .finished }
    }
  }

  /// Whether there are more unfinished ones than that; it stops looking where it knows.
  func hasUnfinished(moreThan number: Int) -> Bool {
    state.withLock { state in
      var count = 0
      return state.operations[state.firstUnfinished...].contains { operation in
        if let operation, operation.state != .finished { count += 1 }
        return count > number
      }
    }
  }

  func contains(_ operation: ObservableOperation) -> Bool {
    state.withLock { $0.ids.contains(operation.id) }
  }

  func add(_ operations: some Sequence<ObservableOperation>) {
    state.withLock { state in
      for operation in operations where state.ids.insert(operation.id).inserted {
        state.operations.append(operation)
      }
    }
  }

  /// Adds what was built since the last look.
  func addBuilt(of registry: OperationRegistry) {
    let (count, known) = (registry.count, state.withLock { $0.registryCount })
    guard count > known else { return }
    add(registry.added(after: known))
    state.withLock { $0.registryCount = count }
  }

  /// Whether all have finished, or are left out.
  ///
  /// - Parameters:
  ///   - isLeftOut: Whether one that has not finished does not count.
  ///   - take: Told of each that is let go.
  /// - Returns: Whether the wait is over.
  func allHaveFinished(
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

  /// What is to be kept in mind of those that have finished and were not let go.
  var covered: [Covered] {
    state.withLock { state in
      state.operations[state.firstUnfinished...].compactMap { $0 }
        .filter { $0.state == .finished }.compactMap { Covered($0) }
    }
  }

  /// Takes the first one away if it has finished.
  private func takeFirstFinished() -> ObservableOperation? {
    state.withLock { state in
      guard state.firstUnfinished < state.operations.count,
        let first = state.operations[state.firstUnfinished], first.state == .finished
      else { return nil }
      state.operations[state.firstUnfinished] = nil
      state.firstUnfinished += 1
      return first
    }
  }
}
