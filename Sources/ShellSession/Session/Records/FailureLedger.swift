import OpshLocking
package import Operations

/// Records failed operations and which failures are expected; the others set the exit status.
///
/// A failure is expected if `--any-outcome` of `wait`, `wait queue` or `queue drain` covered it, or
/// if the condition of a met `expect` covers it (``CoveringCondition``), which is judged when the
/// operation has ended. A failure that `wait` reported as an error is also expected: the error has
/// stopped the script, unless `try` caught it. Handlers of `on` expect no failures. A wait for a
/// group is a wait for its members; an `expect` about a group is about none of them.
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

  /// An operation that is judged when it has ended.
  private struct Awaited {
    let operation: ObservableOperation
    /// By expression, each list with the oldest first.
    private(set) var conditions: [ObjectIdentifier: [CoveringCondition]] = [:]
    /// How many conditions have been added, dropped ones included.
    private(set) var additions = 0

    init(_ operation: ObservableOperation) { self.operation = operation }

    /// Adds a condition, in the place of one that judges alike or of the oldest one.
    mutating func add(_ condition: CoveringCondition) {
      let expression = condition.key.expression
      var kept = conditions.removeValue(forKey: expression) ?? []
      kept.removeAll { $0.key == condition.key }
      if kept.count >= FailureLedger.conditionLimit { kept.removeFirst() }
      kept.append(condition)
      conditions[expression] = kept
      additions += 1
    }
  }

  private struct State {
    /// By id; the numbers are in the order of the failures.
    var failed: [Int: (number: Int, failure: Failed)] = [:]
    var lastNumber = 0
    var accounted: Set<Int> = []
    /// Operations whose failure a met expectation covers.
    var expected: Set<Int> = []
    /// The operations that met expectations name and that have not been judged, by id.
    var awaited: [Int: Awaited] = [:]
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

  /// How many conditions with the same expression are kept for an operation, the newest.
  ///
  /// A loop that expects something of an operation that runs for long, with other values in each
  /// turn, would otherwise need memory for every turn.
  private static let conditionLimit = 100

  private let state = Locked(State())

  /// The number of operations that have failed so far.
  package var count: Int { state.withLock { $0.lastNumber } }

  /// Records how an operation has ended.
  func noteEnd(of operation: ObservableOperation) {
    judge(operation.id)
    guard let failure = operation.outcome?.failure else { return }
    noteFailure(
      of: operation.id, in: operation.enclosingGroups.map(\.id),
      isOfGroup: operation is GroupOperation && failure.is(.groupFailed))
  }

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

  /// Records the condition of a met expectation.
  package func expect(_ condition: CoveringCondition) {
    state.withLock { state in
      for operation in condition.operations where !state.expected.contains(operation.id) {
        state.awaited[operation.id, default: Awaited(operation)].add(condition)
      }
    }
    // The feed does not report again what has ended before.
    for operation in condition.operations { judge(operation.id) }
  }

  /// The number of conditions by which operations will be judged when they have ended.
  var awaitedCount: Int {
    state.withLock { state in
      state.awaited.values.reduce(0) { sum, awaited in
        awaited.conditions.values.reduce(sum) { $0 + $1.count }
      }
    }
  }

  /// Releases the conditions of expectations; nothing ends any more.
  package func releaseConditions() { state.withLock { $0.awaited = [:] } }

  /// Finds out whether the failure of an operation is expected, if it has ended.
  private func judge(_ id: Int) {
    while let awaited = state.withLock({ $0.awaited[id] }), awaited.operation.state == .finished {
      let isCovered =
        awaited.operation.outcome?.failure != nil
        && awaited.conditions.values.contains { kept in
          kept.contains { $0.covers(awaited.operation) }
        }
      state.withLock { state in
        if isCovered { state.expected.insert(id) }
        // Meanwhile another thread may have added a condition.
        let isAll = state.awaited[id]?.additions == awaited.additions
        if isCovered || isAll { state.awaited[id] = nil }
      }
    }
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

  package func isAccounted(_ key: Key) -> Bool {
    judge(key.id)
    return state.withLock { $0.isAccounted(key) }
  }

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

  /// The highest status of errors, without failures of operations.
  package var notedStatus: Int32 { state.withLock { $0.highestStatus } }

  /// The status so far, including unexpected failures.
  package var status: Int32 {
    let highest = state.withLock { $0.highestStatus }
    return unexpected.isEmpty ? highest : max(highest, 1)
  }
}
