import Locking
import Operations

/// Keeps the failed operations and which failures are expected; the others set the exit status.
///
/// A failure is expected where `--any-outcome` of `wait`, `wait queue` or `queue drain` covered it,
/// or where evaluating a met `expect` read how the failed operation itself ended (``OutcomeReads``).
/// One that a `wait` reported as an error counts as expected, too: the error has stopped the
/// script, unless `try` caught it. A handler of `on` expects nothing. A wait for a group is a wait for
/// the operations in it; an `expect` about a group is about none of them.
final class FailureLedger: Sendable {
  /// A failure whose operation's record was dropped.
  struct DroppedFailure: Sendable {
    let name: String
    let failure: OperationFailure
    let origin: OperationRegistry.Origin
  }

  /// By what an operation is found here.
  struct Key: Sendable {
    let id: Int
    /// The ids of the groups around it.
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
    /// Whether it only says that something in a group failed.
    let isOfGroup: Bool
    var isDropped = false
  }

  private struct State {
    /// By id; the numbers rise in the order in which they failed.
    var failed: [Int: (number: Int, failure: Failed)] = [:]
    var lastNumber = 0
    var accounted: Set<Int> = []
    /// Those of which a met expectation read how they ended.
    var expected: Set<Int> = []
    var dropped: [Int: DroppedFailure] = [:]
    var highestStatus: Int32 = 0

    func isAccounted(_ key: Key) -> Bool {
      expected.contains(key.id) || accounted.contains(key.id)
        || key.groups.contains { accounted.contains($0) }
    }

    /// Those that nobody expected, in the order in which they failed.
    var unexpected: [Failed] {
      failed.values.filter { !isAccounted($0.failure.key) }.sorted { $0.number < $1.number }
        .map(\.failure)
    }
  }

  /// Of how many dropped failures the words are kept; of the others only the number.
  private static let longestList = 100

  private let state = Locked(State())

  /// Notes an operation that ended in failure.
  ///
  /// - Parameters:
  ///   - id: Its id.
  ///   - groups: The ids of the groups around it.
  ///   - isOfGroup: Whether it is a group that failed because something in it did.
  func noteFailure(of id: Int, in groups: [Int] = [], isOfGroup: Bool = false) {
    state.withLock { state in
      guard state.failed[id] == nil else { return }
      state.lastNumber += 1
      state.failed[id] = (
        state.lastNumber, Failed(key: Key(id: id, groups: groups), isOfGroup: isOfGroup)
      )
    }
  }

  /// Notes that a met expectation read how these operations ended; what is in a group is not meant.
  func expect(_ operations: some Sequence<ObservableOperation>) {
    // One that ended well is in no list, so that a long session need not remember it.
    let ids = operations.filter(\.mayHaveFailed).map(\.id)
    state.withLock { $0.expected.formUnion(ids) }
  }

  /// Somebody knows the outcomes of all whose records were dropped.
  func accountForDropped() {
    state.withLock { state in
      state.failed = state.failed.filter { !$0.value.failure.isDropped }
      state.dropped = [:]
    }
  }

  /// Somebody knows of these failures.
  func account(for keys: [Key]) {
    state.withLock { $0.accounted.formUnion(keys.map(\.id)) }
  }

  func isAccounted(_ operation: ObservableOperation) -> Bool { isAccounted(Key(operation)) }

  func isAccounted(_ key: Key) -> Bool { state.withLock { $0.isAccounted(key) } }

  /// The ids of failed operations that nobody expected to fail, in the order they failed.
  ///
  /// A group is left out if what failed in it is among them.
  var unexpected: [Int] {
    state.withLock { state in
      let found = state.unexpected
      let groups = Set(found.flatMap(\.key.groups))
      return found.map { ($0.key.id, $0.isOfGroup) }.filter { !($1 && groups.contains($0)) }
        .map(\.0)
    }
  }

  /// Takes note that records were dropped, and keeps the words of failures that nobody expected.
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
    // Its operation is gone, so that no later question is about it; what was in it has been expected.
    state.expected.remove(id)
    if state.accounted.remove(id) != nil, record.operation is GroupOperation {
      state.failed = state.failed.filter { !$0.value.failure.key.groups.contains(id) }
    }
  }

  /// Failures that nobody expected and whose records were dropped: how many, and the first ones.
  var droppedUnexpected: (count: Int, first: [DroppedFailure]) {
    state.withLock { state in
      let found = state.unexpected.filter(\.isDropped)
      return (found.count, found.prefix(Self.longestList).compactMap { state.dropped[$0.key.id] })
    }
  }

  func droppedFailure(of id: Int) -> DroppedFailure? { state.withLock { $0.dropped[id] } }

  /// Something went wrong that the exit status must show; the highest one counts.
  func note(status: Int32) {
    state.withLock { $0.highestStatus = max($0.highestStatus, status) }
  }

  /// The status so far, unexpected failures included.
  var status: Int32 {
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
