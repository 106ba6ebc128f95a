import Locking
import Operations
import ShellLanguage

/// The operations of the session by id and by name: all that are unfinished, and of the finished
/// ones the latest.
///
/// Ids rise from 1 and are never used twice. Names are unique among unfinished operations; one that
/// a finished operation has can be used again, and means the newest. Look-ups take constant time.
/// Nothing else in the session keeps a finished operation, so that one whose record is dropped here
/// goes away, unless a variable holds it.
final class OperationRegistry: Sendable {
  /// How many finished operations are kept by default.
  static let defaultLimit = 100_000
  /// How many bytes of values and texts are kept by default.
  static let defaultSizeLimit = 64_000_000
  /// How many transitions the log keeps for each operation that may be kept: more than the four that
  /// one has, because a question about a record that was dropped is answered from the log.
  static let entriesPerRecord = 5

  /// How many transitions the log keeps where so many finished operations are kept.
  static func logCapacity(keeping limit: Int?) -> Int {
    guard let limit else { return .max }
    return max(limit, 4096) * entriesPerRecord
  }

  /// How many bytes of words the log keeps where operations keep so many: a quarter, but enough for
  /// those that are about to be shown.
  static func logTextLimit(keeping sizeLimit: Int?) -> Int {
    guard let sizeLimit else { return .max }
    return max(sizeLimit / 4, 4_000_000)
  }

  /// One operation of the session.
  struct Record: Sendable {
    let operation: ObservableOperation
    let origin: Origin
    /// Whether it is known to have finished.
    fileprivate var isNoted = false
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
    /// The numbers of the records, by the ids of their operations.
    var numbersByID: [Int: Int] = [:]
    /// The newest operation of each name.
    var byName: [String: ObservableOperation] = [:]
    var reserved: Set<String> = []
    var numbers = AutomaticNumbers()
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
    /// How many of the records are of operations that were noted as finished.
    var notedCount = 0
    var limit: Int? = OperationRegistry.defaultLimit
    var sizes = KeptSizes()
    var sizeLimit: Int? = OperationRegistry.defaultSizeLimit
    var dropped = NumberSet()
    var droppedTallies: [String: OperationTally] = [:]
    var removals = RecentRemovals()

    func record(_ id: Int) -> Record? { numbersByID[id].flatMap { records[$0] } }

    /// Gives memory back that tables have kept which held many more records than there are now.
    mutating func shrink() {
      let count = numbersByID.count
      let isSparse = { (capacity: Int) in capacity > 4 * count + 4096 }
      if isSparse(numbersByID.capacity) { numbersByID = numbersByID.shrunk() }
      if isSparse(byName.capacity) { byName = byName.shrunk() }
      if isSparse(finished.capacity) { finished = finished.map { $0 } }
      if reserved.isEmpty, isSparse(reserved.capacity) { reserved = [] }
    }
  }

  private let state = Locked(State())

  /// Names that mean something else wherever an operation can stand.
  static let reservedNames: [String] = ["all", "last", "on", "off", "main", "queue"]

  /// All that are kept, in the order in which they were built.
  var all: [ObservableOperation] { state.withLock { $0.records.all.map(\.operation) } }

  var unfinished: [ObservableOperation] { all.filter { $0.state != .finished } }

  /// The one that was built last, if it is kept.
  var last: ObservableOperation? {
    state.withLock { state in state.last.flatMap { state.record($0.id)?.operation } }
  }

  /// Who was built last, whether kept or not.
  var lastIdentity: OperationIdentity? { state.withLock { $0.last } }

  /// Those that were built after the first `count` ones, and are kept.
  func added(after count: Int) -> [ObservableOperation] {
    state.withLock { $0.records.added(after: count).map(\.operation) }
  }

  func origin(of operation: ObservableOperation) -> Origin? {
    state.withLock { $0.record(operation.id)?.origin }
  }

  /// How many were ever built.
  var count: Int { state.withLock { $0.records.lastNumber } }

  func operation(id: Int) -> ObservableOperation? { state.withLock { $0.record(id)?.operation } }

  func operation(named name: String) -> ObservableOperation? { state.withLock { $0.byName[name] } }

  var names: [String] { all.map(\.displayName) }

  // MARK: Names

  /// Takes a name for an operation about to be built: the one asked for, or the last word of its
  /// kind with a number that no name had before.
  ///
  /// The name is taken at once, so that two threads never get the same.
  ///
  /// - Throws: `NameError` where the name is no name, reserved, or that of an unfinished operation.
  func reserveName(_ wanted: String?, kind: String) throws(NameError) -> String {
    if let wanted { try NameError.check(wanted, reserved: Self.reservedNames) }
    return try state.withLock { state throws(NameError) in
      guard let wanted else {
        let word = kind.split(separator: " ").last.map(String.init) ?? kind
        var name: String
        repeat { name = state.numbers.next(for: word) } while state.reserved.contains(name)
        state.reserved.insert(name)
        return name
      }
      // Whether an operation has finished is asked under this lock: the engine takes none of ours.
      if state.reserved.contains(wanted) { throw .taken(wanted) }
      if let owner = state.byName[wanted], owner.state != .finished {
        throw .inUse(wanted, id: owner.id)
      }
      state.reserved.insert(wanted)
      return wanted
    }
  }

  /// Gives back a name whose operation could not be built.
  func releaseName(_ name: String) {
    _ = state.withLock { $0.reserved.remove(name) }
  }

  /// Whether the name of the operation means this operation, and not a newer one.
  func isNewestOfItsName(_ operation: ObservableOperation) -> Bool {
    let name = operation.displayName
    return state.withLock { $0.byName[name] === operation }
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
      state.numbersByID[operation.id] = state.records.append(
        Record(operation: operation, origin: origin))
      state.byName[identity.name] = operation
      state.reserved.remove(identity.name)
      // A million names that were reserved together leave a table of that size.
      if state.reserved.isEmpty, state.reserved.capacity > 4096 { state.reserved = [] }
      state.numbers.note(identity.name)
      state.last = identity
      if let group = operation as? GroupOperation { state.groups[operation.id] = group }
      if needsNames { state.exclusive[operation.id] = operation }
      state.underConstruction[operation.id] = queue
    }
  }

  /// Takes away operations that no queue would take, as if they had not been built.
  func withdraw(_ operations: [ObservableOperation]) {
    for operation in operations { _ = remove(id: operation.id) }
    let names = Set(operations.map(\.displayName))
    let rest = all
    let older = rest.map { ($0.displayName, $0) }.filter { names.contains($0.0) }
    let isLast = operations.contains { $0.id == lastIdentity?.id }
    let newest = rest.last?.identity
    state.withLock { state in
      // Names go back to finished operations that had them before.
      for (name, operation) in older where (state.byName[name]?.id ?? 0) < operation.id {
        state.byName[name] = operation
      }
      if isLast { state.last = newest }
    }
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
        .compactMap { state.record($0)?.operation }
    }
  }

  // MARK: Dropping

  /// How many finished operations are kept; nil for all.
  var limit: Int? {
    get { state.withLock { $0.limit } }
    set { state.withLock { $0.limit = newValue } }
  }

  /// How many bytes of values and texts finished operations keep; nil for all.
  var sizeLimit: Int? {
    get { state.withLock { $0.sizeLimit } }
    set {
      state.withLock { state in
        state.sizeLimit = newValue
        state.sizes.forgetAwaited()
      }
    }
  }

  /// What they keep now.
  var keptSize: KeptSize { state.withLock { $0.sizes.total } }

  /// A limit with room for twice as much, as 'set keep' takes it.
  var roomierSize: String? {
    sizeLimit.map { Value.size(Int64(max(2 * $0, 1_000_000))).text }
  }

  /// Notes that an operation has finished, so that it may be dropped one day.
  func noteFinished(_ id: Int) {
    guard let operation = operation(id: id) else { return }
    let size = KeptSize(of: operation)
    let isAwaitingAny = state.withLock { state in
      guard let number = state.numbersByID[id], state.records[number]?.isNoted == false else {
        return false
      }
      state.records.update(number) { $0.isNoted = true }
      state.notedCount += 1
      state.finished.append(id)
      state.sizes.add(id, size)
      state.groups[id] = nil
      state.barriers[id] = nil
      state.exclusive[id] = nil
      return state.sizes.isAwaitingAny
    }
    guard isAwaitingAny else { return }
    let upstream = operation.upstream.map(\.operation.id)
    state.withLock { state in
      for id in upstream { state.sizes.dependentFinished(of: id) }
    }
  }

  /// Notes all that have finished and were not noted, because the log was faster than its reader.
  ///
  /// - Returns: Those that were noted now.
  func noteAllFinished() -> [ObservableOperation] {
    let found = all.filter { operation in
      operation.state == .finished && state.withLock { $0.record(operation.id)?.isNoted == false }
    }
    for operation in found { noteFinished(operation.id) }
    return found
  }

  /// Drops what is beyond the limits: records beyond the number, then values, then, where texts alone
  /// are too much, the records that have them; always the oldest first.
  ///
  /// - Returns: The records, for the account of failures; with them the last references
  ///   go.
  func dropExcess() -> [Record] {
    var dropped = excess().compactMap(drop)
    dropExcessValues()
    while let id = nextRecordWithText() {
      if let record = drop(id) { dropped.append(record) }
    }
    if dropped.count >= 64 { state.withLock { $0.shrink() } }
    return dropped
  }

  /// The oldest finished operations beyond the number that is kept.
  private func excess() -> [Int] {
    state.withLock { state in
      guard let limit = state.limit else { return [] }
      var ids: [Int] = []
      let excess = state.notedCount - limit
      while ids.count < excess, state.firstFinished < state.finished.count {
        let id = state.finished[state.firstFinished]
        state.firstFinished += 1
        // Some went before because of their texts.
        if state.record(id) != nil { ids.append(id) }
      }
      if state.firstFinished > 1024, state.firstFinished * 2 > state.finished.count {
        state.finished.removeFirst(state.firstFinished)
        state.firstFinished = 0
      }
      return ids
    }
  }

  /// Drops values of finished operations until what is left fits into the limit, or is still needed.
  private func dropExcessValues() {
    while let operation = nextValue() {
      let dependents = operation.dropValue()
      state.withLock { state in
        if dependents > 0 {
          state.sizes.hold(operation.id, for: dependents)
        } else {
          state.sizes.valueDropped(operation.id)
        }
      }
    }
  }

  private func nextValue() -> ObservableOperation? {
    state.withLock { state in
      guard let limit = state.sizeLimit else { return nil }
      while let id = state.sizes.nextValue(beyond: limit) {
        if let record = state.record(id) { return record.operation }
      }
      return nil
    }
  }

  private func nextRecordWithText() -> Int? {
    state.withLock { state in state.sizeLimit.flatMap { state.sizes.nextRecord(beyond: $0) } }
  }

  private func drop(_ id: Int) -> Record? {
    guard let record = remove(id: id) else { return nil }
    let queue = record.operation.queueName ?? ""
    state.withLock { state in
      state.dropped.insert(id)
      // There may be as many groups, each with a queue of its own, as there are operations.
      let isKnown = state.droppedTallies[queue] != nil || state.droppedTallies.count < 1000
      state.droppedTallies[isKnown ? queue : "", default: OperationTally()]
        .add(record.operation)
    }
    return record
  }

  private func remove(id: Int) -> Record? {
    state.withLock { state in
      guard let number = state.numbersByID.removeValue(forKey: id),
        let record = state.records[number]
      else { return nil }
      state.records.remove(number)
      let name = record.operation.displayName
      if state.byName[name] === record.operation { state.byName[name] = nil }
      state.holds[id] = nil
      state.groups[id] = nil
      state.barriers[id] = nil
      state.exclusive[id] = nil
      state.removals.append(id)
      if record.isNoted { state.notedCount -= 1 }
      state.sizes.remove(id)
      return record
    }
  }

  /// The ids that were dropped or withdrawn after the first `count` ones.
  func removed(after count: Int) -> RecentRemovals.Page {
    state.withLock { $0.removals.page(after: count) }
  }

  /// Whether the operation of that id was one of the session's and its record was dropped.
  func wasDropped(_ id: Int) -> Bool { state.withLock { $0.dropped.contains(id) } }

  var hasDropped: Bool { state.withLock { !$0.droppedTallies.isEmpty } }

  /// What became of those that were dropped, by the name of their queue; the empty name stands for
  /// none, and for more queues than are worth telling apart.
  var droppedTallies: [String: OperationTally] { state.withLock { $0.droppedTallies } }
}

extension Dictionary {
  /// A copy with room for no more than there is.
  fileprivate func shrunk() -> [Key: Value] {
    var copy = [Key: Value](minimumCapacity: count)
    for (key, value) in self { copy[key] = value }
    return copy
  }
}
