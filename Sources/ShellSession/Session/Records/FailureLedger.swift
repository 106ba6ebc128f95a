import Locking
package import Operations

/// Records failed operations and which failures are expected; the others set the exit status.
///
/// A failure is expected if `--any-outcome` of `wait`, `wait queue` or `queue drain` covered it, or
/// if evaluating a met `expect` read how the failed operation itself ended (``OutcomeReads``). A
/// failure that `wait` reported as an error is also expected: the error has stopped the script,
/// unless `try` caught it. Handlers of `on` expect no failures. A wait for a group is a wait for
/// its members; an `expect` about a group is about none of them.
package final class FailureLedger: Sendable {
  /// A failure whose operation's record was dropped.
  package struct DroppedFailure: Sendable {
    package let name: String
    package let failure: OperationFailure
    package let origin: OperationRegistry.Origin
  }

  /// Identifies an operation in the ledger.
  package struct Key: Sendable {
    package let id: Int
    /// The ids of the groups that contain it.
    var groups: [Int] = []

    init(_ operation: ObservableOperation) {
      id = operation.id
      groups = operation.enclosingGroups.map(\.id)
    }

    fileprivate init(id: Int, groups: [Int]) {
      self.id = id
      self.groups = groups
    }
  }

  private struct Failed {
    let key: Key
    /// Whether the operation is a group that failed because a member failed.
    let isOfGroup: Bool
    var isDropped = false
  }

  private struct State {
    /// By id; the numbers are in the order of the failures.
    var failed: [Int: (number: Int, failure: Failed)] = [:]
    var lastNumber = 0
    var accounted: Set<Int> = []
    /// Operations whose outcome a met expectation has read.
    var expected: Set<Int> = []
    var dropped: [Int: DroppedFailure] = [:]
    var highestStatus: Int32 = 0

    func isAccounted(_ key: Key) -> Bool {
      expected.contains(key.id) || accounted.contains(key.id)
        || key.groups.contains { accounted.contains($0) }
    }

    /// The unexpected failures, in the order in which they happened.
    var unexpected: [Failed] {
      failed.values.filter { !isAccounted($0.failure.key) }.sorted { $0.number < $1.number }
        .map(\.failure)
    }
  }

  /// For how many dropped failures the messages are kept; the others are only counted.
  private static let longestList = 100

  private let state = Locked(State())

  /// Records an operation that failed.
  ///
  /// - Parameters:
  ///   - id: Its id.
  ///   - groups: The ids of the groups that contain it.
  ///   - isOfGroup: Whether it is a group that failed because a member failed.
  func noteFailure(of id: Int, in groups: [Int] = [], isOfGroup: Bool = false) {
    state.withLock { state in
      guard state.failed[id] == nil else { return }
      state.lastNumber += 1
      state.failed[id] = (
        state.lastNumber, Failed(key: Key(id: id, groups: groups), isOfGroup: isOfGroup)
      )
    }
  }

  /// Records that a met expectation read the outcome of these operations; members are not included.
  package func expect(_ operations: some Sequence<ObservableOperation>) {
    // Successful operations are not stored, so a long session need not remember them.
    let ids = operations.filter(\.mayHaveFailed).map(\.id)
    state.withLock { $0.expected.formUnion(ids) }
  }

  /// Marks the failures of all dropped records as expected.
  package func accountForDropped() {
    state.withLock { state in
      state.failed = state.failed.filter { !$0.value.failure.isDropped }
      state.dropped = [:]
    }
  }

  /// Marks these failures as expected.
  package func account(for keys: [Key]) {
    state.withLock { $0.accounted.formUnion(keys.map(\.id)) }
  }

  package func isAccounted(_ operation: ObservableOperation) -> Bool { isAccounted(Key(operation)) }

  package func isAccounted(_ key: Key) -> Bool { state.withLock { $0.isAccounted(key) } }

  /// The ids of unexpectedly failed operations, in the order in which they failed.
  ///
  /// A group is omitted if the failed member is in the list.
  package var unexpected: [Int] {
    state.withLock { state in
      let found = state.unexpected
      let groups = Set(found.flatMap(\.key.groups))
      return found.map { ($0.key.id, $0.isOfGroup) }.filter { !($1 && groups.contains($0)) }
        .map(\.0)
    }
  }

  /// Handles dropped records: keeps the messages of unexpected failures.
  func noteDropped(_ records: [OperationRegistry.Record]) {
    guard !records.isEmpty else { return }
    state.withLock { state in
      for record in records { Self.noteDropped(record, &state) }
    }
  }

  private static func noteDropped(_ record: OperationRegistry.Record, _ state: inout State) {
    let id = record.operation.id
    if let failed = state.failed[id]?.failure {
      if state.isAccounted(failed.key) {
        state.failed[id] = nil
      } else {
        state.failed[id]?.failure.isDropped = true
        if state.dropped.count < longestList, let failure = record.operation.outcome?.failure {
          state.dropped[id] = DroppedFailure(
            name: record.operation.displayName, failure: failure, origin: record.origin)
        }
      }
    }
    // Its operation is gone, so nothing refers to the id any more; its members count as expected.
    state.expected.remove(id)
    if state.accounted.remove(id) != nil, record.operation is GroupOperation {
      state.failed = state.failed.filter { !$0.value.failure.key.groups.contains(id) }
    }
  }

  /// Unexpected failures whose records were dropped: their number, and the first ones.
  package var droppedUnexpected: (count: Int, first: [DroppedFailure]) {
    state.withLock { state in
      let found = state.unexpected.filter(\.isDropped)
      return (found.count, found.prefix(Self.longestList).compactMap { state.dropped[$0.key.id] })
    }
  }

  package func droppedFailure(of id: Int) -> DroppedFailure? { state.withLock { $0.dropped[id] } }

  /// Records an exit status of another error; the highest status counts.
  package func note(status: Int32) {
    state.withLock { $0.highestStatus = max($0.highestStatus, status) }
  }

  /// The status so far, including unexpected failures.
  package var status: Int32 {
    let highest = state.withLock { $0.highestStatus }
    return unexpected.isEmpty ? highest : max(highest, 1)
  }
}

extension ObservableOperation {
  fileprivate var mayHaveFailed: Bool {
    switch outcome {
    case nil, .failed?: true
    case .succeeded?, .cancelled?, .skipped?: false
    }
  }
}
