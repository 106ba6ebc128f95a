import Locking
import Operations
import ShellLanguage

/// The operations of the session by id and by name: all that are unfinished, and of the finished
/// ones the latest.
///
/// Ids rise from 1; names are unique. Look-ups take constant time. Nothing else in the session
/// keeps a finished operation, so that one whose record is dropped here goes away, unless a
/// variable holds it.
final class OperationRegistry: Sendable {
  /// How many finished operations are kept if nobody says otherwise.
  static let defaultLimit = 100_000
  /// How many transitions the log keeps for each operation that may be kept: many more than one
  /// has, because who asks for a record that was dropped is told so by the log.
  static let entriesPerRecord = 16

  /// How many transitions the log keeps where so many finished operations are kept.
  static func logCapacity(keeping limit: Int?) -> Int {
    guard let limit else { return .max }
    return max(limit, 4096) * entriesPerRecord
  }

  /// One operation of the session.
  struct Record: Sendable {
    let operation: ObservableOperation
    let origin: Origin
    fileprivate var number = 0
  }

  /// The statement that built an operation: where an error about it points.
  struct Origin: Sendable {
    let source: SourceText
    let range: SourceRange
  }

  /// An operation that `start` is to put on its queue.
  struct Hold: Sendable {
    let queue: InspectableQueue
    var isBarrier = false
  }

  private struct State {
    var records = RecordList<Record>()
    var byID: [Int: Record] = [:]
    var byName: [String: ObservableOperation] = [:]
    var reserved: Set<String> = []
    /// Names that may be taken anew although a record has them.
    var yielded: Set<String> = []
    var counters: [String: Int] = [:]
    var holds: [Int: Hold] = [:]
    var last: OperationIdentity?

    /// The unfinished among those that others may have to wait for.
    var groups: [Int: GroupOperation] = [:]
    var barriers: [Int: ObservableOperation] = [:]
    var exclusive: [Int: ObservableOperation] = [:]
    /// Groups whose block still runs, with the queues that they will be on.
    var underConstruction: [Int: InspectableQueue] = [:]

    /// The ids of finished ones, in the order in which that was noted; they begin at `firstFinished`.
    var finished: [Int] = []
    var firstFinished = 0
    var isNoted: Set<Int> = []
    var limit: Int? = OperationRegistry.defaultLimit
    var dropped = NumberSet()
    var droppedTallies: [String: OperationTally] = [:]
  }

  private let state = Locked(State())

  /// Names that mean something else wherever an operation can stand.
  static let reservedNames: [String] = ["all", "last", "on", "off", "queue"]

  /// All that are kept, in the order in which they were built.
  var all: [ObservableOperation] { state.withLock { $0.records.all.map(\.operation) } }

  var unfinished: [ObservableOperation] { all.filter { $0.state != .finished } }

  /// The one that was built last, if it is kept.
  var last: ObservableOperation? {
    state.withLock { state in state.last.flatMap { state.byID[$0.id]?.operation } }
  }

  /// Who was built last, whether kept or not.
  var lastIdentity: OperationIdentity? { state.withLock { $0.last } }

  /// Those that were built after the first `count` ones, and are kept.
  func added(after count: Int) -> [ObservableOperation] {
    state.withLock { $0.records.added(after: count).map(\.operation) }
  }

  func origin(of operation: ObservableOperation) -> Origin? {
    state.withLock { $0.byID[operation.id]?.origin }
  }

  /// How many were ever built.
  var count: Int { state.withLock { $0.records.lastNumber } }

  func operation(id: Int) -> ObservableOperation? { state.withLock { $0.byID[id]?.operation } }

  func operation(named name: String) -> ObservableOperation? { state.withLock { $0.byName[name] } }

  var names: [String] { all.map(\.displayName) }

  // MARK: Names

  /// Takes a name for an operation about to be built: the one asked for, or the last word of its
  /// kind with a counter.
  ///
  /// The name is taken at once, so that two threads never get the same.
  ///
  /// - Throws: `NameError` where the name is no name, reserved, or taken.
  func reserveName(_ wanted: String?, kind: String) throws(NameError) -> String {
    if let wanted { try NameError.check(wanted, reserved: Self.reservedNames) }
    return try state.withLock { state throws(NameError) in
      func isFree(_ name: String) -> Bool {
        !state.reserved.contains(name)
          && (state.byName[name] == nil || state.yielded.contains(name))
      }
      if let wanted {
        guard isFree(wanted) else { throw .taken(wanted) }
        state.reserved.insert(wanted)
        return wanted
      }
      let word = kind.split(separator: " ").last.map(String.init) ?? kind
      var number = state.counters[word, default: 0]
      var name: String
      repeat {
        number += 1
        name = "\(word)-\(number)"
      } while !isFree(name)
      state.counters[word] = number
      state.reserved.insert(name)
      return name
    }
  }

  /// Gives back a name whose operation could not be built.
  func releaseName(_ name: String) {
    _ = state.withLock { $0.reserved.remove(name) }
  }

  /// Lets the names of operations be taken anew, while their records stay.
  func yieldNames(of operations: [ObservableOperation]) {
    let names = operations.map(\.displayName)
    state.withLock { $0.yielded.formUnion(names) }
  }

  // MARK: Adding

  /// - Parameters:
  ///   - operation: What was built.
  ///   - origin: By which statement.
  ///   - queue: For a group whose block still has to run, the queue that it will be on.
  func add(
    _ operation: ObservableOperation, origin: Origin,
    underConstructionFor queue: InspectableQueue? = nil
  ) {
    let identity = operation.identity
    let needsNames = !operation.exclusiveNames.isEmpty
    state.withLock { state in
      var record = Record(operation: operation, origin: origin)
      record.number = state.records.append(record)
      state.byID[operation.id] = record
      state.byName[identity.name] = operation
      state.reserved.remove(identity.name)
      state.yielded.remove(identity.name)
      state.last = identity
      if let group = operation as? GroupOperation { state.groups[operation.id] = group }
      if needsNames { state.exclusive[operation.id] = operation }
      state.underConstruction[operation.id] = queue
    }
  }

  /// Takes away operations that no queue would take, as if they had not been built.
  func withdraw(_ operations: [ObservableOperation]) {
    for operation in operations { _ = remove(id: operation.id) }
    guard operations.contains(where: { $0.id == lastIdentity?.id }) else { return }
    let newest = all.last?.identity
    state.withLock { $0.last = newest }
  }

  func endConstruction(of group: GroupOperation) {
    _ = state.withLock { $0.underConstruction.removeValue(forKey: group.id) }
  }

  func isUnderConstruction(_ operation: ObservableOperation) -> Bool {
    state.withLock { $0.underConstruction[operation.id] != nil }
  }

  /// The queue that the operation is on, or is going to be when it is built or started.
  func destination(of operation: ObservableOperation) -> InspectableQueue? {
    operation.queue
      ?? state.withLock { $0.underConstruction[operation.id] ?? $0.holds[operation.id]?.queue }
  }

  func noteBarrier(_ operation: ObservableOperation) {
    state.withLock { $0.barriers[operation.id] = operation }
  }

  /// The unfinished groups, in no order.
  var groups: [GroupOperation] { state.withLock { Array($0.groups.values) } }

  /// The unfinished operations that others may have to wait for.
  var landmarks: WaitGraph.Landmarks {
    state.withLock { state in
      WaitGraph.Landmarks(
        groups: Array(state.groups.values), barriers: Array(state.barriers.values),
        exclusive: Array(state.exclusive.values))
    }
  }

  // MARK: Held operations

  /// Keeps the operation off its queue until `start` asks for it.
  func hold(_ operation: ObservableOperation, for queue: InspectableQueue, isBarrier: Bool = false)
  {
    state.withLock { $0.holds[operation.id] = Hold(queue: queue, isBarrier: isBarrier) }
  }

  /// Where a held operation is to go.
  func hold(of operation: ObservableOperation) -> Hold? {
    state.withLock { $0.holds[operation.id] }
  }

  /// Notes that an operation is not held any more.
  func releaseHold(of operation: ObservableOperation) {
    state.withLock { $0.holds[operation.id] = nil }
  }

  func heldCount(for queue: InspectableQueue) -> Int {
    state.withLock { $0.holds.values.count { $0.queue === queue } }
  }

  /// The operations that are held for the queue.
  func held(for queue: InspectableQueue) -> [ObservableOperation] {
    state.withLock { state in
      state.holds.filter { $0.value.queue === queue }.keys.sorted()
        .compactMap { state.byID[$0]?.operation }
    }
  }

  // MARK: Dropping

  /// How many finished operations are kept; nil for all.
  var limit: Int? {
    get { state.withLock { $0.limit } }
    set { state.withLock { $0.limit = newValue } }
  }

  /// Notes that an operation has finished, so that it may be dropped one day.
  func noteFinished(_ id: Int) {
    state.withLock { state in
      guard state.byID[id] != nil, state.isNoted.insert(id).inserted else { return }
      state.finished.append(id)
      state.groups[id] = nil
      state.barriers[id] = nil
      state.exclusive[id] = nil
    }
  }

  /// Notes all that have finished and were not noted, because the log was faster than its reader.
  ///
  /// - Returns: Those that were noted now.
  func noteAllFinished() -> [ObservableOperation] {
    let found = all.filter { operation in
      operation.state == .finished && !state.withLock { $0.isNoted.contains(operation.id) }
    }
    for operation in found { noteFinished(operation.id) }
    return found
  }

  /// Drops the oldest finished operations beyond the limit.
  ///
  /// - Returns: Their records, for whoever keeps account of failures; with them the last references
  ///   go.
  func dropExcess() -> [Record] {
    let ids = state.withLock { state in
      guard let limit = state.limit else { return [Int]() }
      let excess = state.finished.count - state.firstFinished - limit
      guard excess > 0 else { return [] }
      let end = state.firstFinished + excess
      let ids = Array(state.finished[state.firstFinished..<end])
      state.firstFinished = end
      if end > 1024, end * 2 > state.finished.count {
        state.finished.removeFirst(end)
        state.firstFinished = 0
      }
      return ids
    }
    return ids.compactMap { id in
      guard let record = remove(id: id) else { return nil }
      let queue = record.operation.queue?.name ?? ""
      state.withLock { state in
        state.dropped.insert(id)
        // There may be as many groups, each with a queue of its own, as there are operations.
        let isKnown = state.droppedTallies[queue] != nil || state.droppedTallies.count < 1000
        state.droppedTallies[isKnown ? queue : "", default: OperationTally()]
          .add(record.operation)
      }
      return record
    }
  }

  private func remove(id: Int) -> Record? {
    state.withLock { state in
      guard let record = state.byID.removeValue(forKey: id) else { return nil }
      state.records.remove(record.number)
      let name = record.operation.displayName
      if state.byName[name] === record.operation {
        state.byName[name] = nil
        state.yielded.remove(name)
      }
      state.holds[id] = nil
      state.groups[id] = nil
      state.barriers[id] = nil
      state.exclusive[id] = nil
      state.isNoted.remove(id)
      return record
    }
  }

  /// Whether the operation of that id was one of the session's and its record was dropped.
  func wasDropped(_ id: Int) -> Bool { state.withLock { $0.dropped.contains(id) } }

  var hasDropped: Bool { state.withLock { !$0.droppedTallies.isEmpty } }

  /// What became of those that were dropped, by the name of their queue; the empty name stands for
  /// none, and for more queues than are worth telling apart.
  var droppedTallies: [String: OperationTally] { state.withLock { $0.droppedTallies } }
}
