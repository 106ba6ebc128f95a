import OpshLocking
package import Operations
package import ShellLanguage
import OpshSupport

/// The operations of the session by id and by name: all unfinished ones, and the latest of the
/// finished ones.
///
/// Ids rise from 1 and are never reused. Names are unique among unfinished operations; the name of
/// a finished operation can be reused, and then means the newest. Look-ups take constant time.
/// Nothing else in the session retains a finished operation, so an operation whose record is
/// dropped here is deallocated, unless a variable holds it.
package final class OperationRegistry: Sendable {
  /// How many finished operations are kept by default.
  package static let defaultLimit = 100_000
  /// How many bytes of values and texts are kept by default.
  package static let defaultSizeLimit = 64_000_000
  /// How many transitions the log keeps for each kept operation: more than the four that an
  /// operation has, because questions about a dropped record are answered from the log.
  package static let entriesPerRecord = 5

  /// The number of transitions that the log keeps, by the number of kept finished operations.
  package static func logCapacity(keeping limit: Int?) -> Int {
    guard let limit else { return .max }
    return max(limit, 4096) * entriesPerRecord
  }

  /// The number of bytes of text that the log keeps, by that of operations: a quarter, but enough
  /// for entries that are about to be shown.
  package static func logTextLimit(keeping sizeLimit: Int?) -> Int {
    guard let sizeLimit else { return .max }
    return max(sizeLimit / 4, 4_000_000)
  }

  /// One operation of the session.
  struct Record: Sendable {
    let operation: ObservableOperation
    let origin: Origin
    /// Whether its end has been recorded.
    fileprivate var isNoted = false
  }

  /// The statement that built an operation; errors about the operation point to it.
  package struct Origin: Sendable {
    package let source: SourceText
    package let range: SourceRange

    package init(source: SourceText, range: SourceRange) {
      self.source = source
      self.range = range
    }
  }

  /// An operation that goes onto its queue with `start`.
  package struct Hold: Sendable {
    package let queue: InspectableQueue
    package var isBarrier = false
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
    /// How many were ever held.
    var holdCount = 0
    var last: OperationIdentity?
    /// The names that were given first, of the operations that have another one now.
    var firstNames: [Int: String] = [:]

    /// The unfinished operations that others may have to wait for.
    var groups: [Int: GroupOperation] = [:]
    var exclusive: [Int: ObservableOperation] = [:]
    /// Groups whose block is still running, with their future queues.
    var underConstruction: [Int: InspectableQueue] = [:]

    /// The ids of finished operations, in the order in which they were recorded.
    var finished = FIFO<Int>()
    /// The number of records whose operation is recorded as finished.
    var notedCount = 0
    var limit: Int? = OperationRegistry.defaultLimit
    var sizes = KeptSizes()
    var sizeLimit: Int? = OperationRegistry.defaultSizeLimit
    var dropped = NumberSet()
    var droppedTallies: [String: OperationTally] = [:]
    var removals = RecentRemovals()

    func record(_ id: Int) -> Record? { numbersByID[id].flatMap { records[$0] } }

    /// Reserves the next automatic name of a word.
    mutating func reserveNext(for word: String) -> String {
      var name: String
      repeat { name = numbers.next(for: word) } while !reserved.insert(name).inserted
      return name
    }

    /// Releases memory of tables that once held many more records than now.
    mutating func shrink() {
      let count = numbersByID.count
      let isSparse = { (capacity: Int) in capacity > 4 * count + 4096 }
      if isSparse(numbersByID.capacity) { numbersByID = numbersByID.shrunk() }
      if isSparse(byName.capacity) { byName = byName.shrunk() }
      if reserved.isEmpty, isSparse(reserved.capacity) { reserved = [] }
    }
  }

  private let state = Locked(State())
  /// How operations were built.
  package let recipes = BuildRecipes()
  /// What waits for operations of certain names.
  package let arrivals = Arrivals()

  /// Names with another meaning in places where an operation can be named.
  package static let reservedNames = ["all", "any", "last", "on", "off", "main", "queue", "app"]

  /// All kept operations, in the order in which they were built.
  package var all: [ObservableOperation] { state.withLock { $0.records.all.map(\.operation) } }

  package var unfinished: [ObservableOperation] { all.filter { $0.state != .finished } }

  /// The operation that was built last, if it is kept.
  var last: ObservableOperation? {
    state.withLock { state in state.last.flatMap { state.record($0.id)?.operation } }
  }

  /// The identity of the operation that was built last, kept or not.
  var lastIdentity: OperationIdentity? { state.withLock { $0.last } }

  /// Returns the kept operations that were built after the first `count` ones.
  package func added(after count: Int) -> [ObservableOperation] {
    page(after: count).operations
  }

  /// Returns the kept operations that were built after the first `count` ones, and how many were ever
  /// built.
  package func page(after count: Int) -> (operations: [ObservableOperation], count: Int) {
    state.withLock {
      ($0.records.added(after: count).map(\.operation), $0.records.lastNumber)
    }
  }

  package func origin(of operation: ObservableOperation) -> Origin? {
    state.withLock { $0.record(operation.id)?.origin }
  }

  /// The number of operations that were ever built.
  package var count: Int { state.withLock { $0.records.lastNumber } }

  package func operation(id: Int) -> ObservableOperation? {
    state.withLock { $0.record(id)?.operation }
  }

  package func operation(named name: String) -> ObservableOperation? {
    state.withLock { $0.byName[name] }
  }

  package var names: [String] { all.map(\.displayName) }

  // MARK: Names

  /// Reserves a name for an operation about to be built: the chosen one, or the last word of its
  /// kind with a number that no name had before.
  ///
  /// The name is reserved at once, so that two threads never get the same one.
  ///
  /// - Throws: `UnplacedError` if the name is invalid, reserved, or that of an unfinished operation.
  package func reserveName(_ wanted: String?, kind: String) throws(UnplacedError) -> String {
    if let wanted { try UnplacedError.check(name: wanted, reserved: Self.reservedNames) }
    return try state.withLock { state throws(UnplacedError) in
      guard let wanted else { return state.reserveNext(for: Self.word(of: kind)) }
      // Safe under this lock: the engine takes none of the registry's locks.
      if state.reserved.contains(wanted) { throw .taken(wanted) }
      if let owner = state.byName[wanted], owner.state != .finished {
        throw .inUse(wanted, id: owner.id)
      }
      state.reserved.insert(wanted)
      return wanted
    }
  }

  /// Reserves automatic names for several operations of one kind that are about to be built.
  package func reserveNames(kind: String, count: Int) -> [String] {
    let word = Self.word(of: kind)
    return state.withLock { state in (0..<count).map { _ in state.reserveNext(for: word) } }
  }

  /// The word of automatic names: the last one of a kind.
  private static func word(of kind: String) -> String {
    kind.split(separator: " ").last.map(String.init) ?? kind
  }

  /// Releases a name whose operation could not be built.
  package func releaseName(_ name: String) {
    _ = state.withLock { $0.reserved.remove(name) }
  }

  /// Whether the operation's name means this operation, and not a newer one.
  package func isNewestOfItsName(_ operation: ObservableOperation) -> Bool {
    let name = operation.displayName
    return state.withLock { $0.byName[name] === operation }
  }

  // MARK: Adding

  /// - Parameters:
  ///   - operation: The operation.
  ///   - origin: The statement that built it.
  ///   - queue: For a group whose block has not run yet, its future queue.
  package func add(
    _ operation: ObservableOperation, origin: Origin,
    underConstructionFor queue: InspectableQueue? = nil
  ) {
    let identity = operation.identity
    let isFinished = operation.state == .finished
    let needsNames = !operation.exclusiveNames.isEmpty
    state.withLock { state in
      state.numbersByID[operation.id] = state.records.append(
        Record(operation: operation, origin: origin))
      state.byName[identity.name] = operation
      state.reserved.remove(identity.name)
      // A million names reserved together leave a table of that size.
      if state.reserved.isEmpty, state.reserved.capacity > 4096 { state.reserved = [] }
      state.numbers.note(identity.name)
      state.last = identity
      if !isFinished, let group = operation as? GroupOperation {
        state.groups[operation.id] = group
      }
      if !isFinished, needsNames { state.exclusive[operation.id] = operation }
      state.underConstruction[operation.id] = queue
    }
    arrivals.note(operation)
  }

  /// Gives an unfinished operation another name.
  ///
  /// - Throws: `UnplacedError` if the name is invalid, reserved, or that of an unfinished operation.
  package func rename(_ operation: ObservableOperation, to name: String) throws(UnplacedError) {
    let old = operation.displayName
    guard name != old else { return }
    let reserved = try reserveName(name, kind: operation.kind)
    operation.name = reserved
    let older = all.last { $0 !== operation && $0.displayName == old }
    state.withLock { state in
      state.reserved.remove(reserved)
      state.byName[reserved] = operation
      if state.firstNames[operation.id] == nil { state.firstNames[operation.id] = old }
      state.numbers.note(reserved)
      if state.byName[old] === operation { state.byName[old] = older }
      if state.last?.id == operation.id { state.last = operation.identity }
    }
  }

  /// Removes operations that no queue accepted, as if they had not been built.
  package func withdraw(_ operations: [ObservableOperation]) {
    for operation in operations { _ = remove(id: operation.id) }
    let names = Set(operations.map(\.displayName))
    let rest = all
    let older = rest.map { ($0.displayName, $0) }.filter { names.contains($0.0) }
    let isLast = operations.contains { $0.id == lastIdentity?.id }
    let newest = rest.last?.identity
    state.withLock { state in
      // Finished operations that had the names before get them back.
      for (name, operation) in older where (state.byName[name]?.id ?? 0) < operation.id {
        state.byName[name] = operation
      }
      if isLast { state.last = newest }
    }
  }

  package func endConstruction(of group: GroupOperation) {
    _ = state.withLock { $0.underConstruction.removeValue(forKey: group.id) }
  }

  package func isUnderConstruction(_ operation: ObservableOperation) -> Bool {
    state.withLock { $0.underConstruction[operation.id] != nil }
  }

  /// The queue that the operation is on, or will be on when it is built or started.
  package func destination(of operation: ObservableOperation) -> InspectableQueue? {
    operation.queue
      ?? state.withLock { $0.underConstruction[operation.id] ?? $0.holds[operation.id]?.queue }
  }

  /// The unfinished groups, in no order.
  package var groups: [GroupOperation] { state.withLock { Array($0.groups.values) } }

  /// The unfinished operations that need exclusive names, in no order.
  package var exclusive: [ObservableOperation] { state.withLock { Array($0.exclusive.values) } }

  // MARK: Held operations

  /// Keeps the operation off its queue until `start`.
  package func hold(
    _ operation: ObservableOperation, for queue: InspectableQueue, isBarrier: Bool = false
  ) {
    state.withLock { state in
      state.holds[operation.id] = Hold(queue: queue, isBarrier: isBarrier)
      state.holdCount += 1
    }
  }

  /// Returns the destination of a held operation.
  package func hold(of operation: ObservableOperation) -> Hold? {
    state.withLock { $0.holds[operation.id] }
  }

  /// Records that an operation is not held any more.
  package func releaseHold(of operation: ObservableOperation) {
    state.withLock { $0.holds[operation.id] = nil }
  }

  /// How many operations were ever held.
  var holdCount: Int { state.withLock { $0.holdCount } }

  /// The numbers of the operations that are held.
  var held: [Int] { state.withLock { $0.holds.keys.sorted() } }

  /// Returns the operations that are held for the queue.
  package func held(for queue: InspectableQueue) -> [ObservableOperation] {
    state.withLock { state in
      state.holds.filter { $0.value.queue === queue }.keys.sorted()
        .compactMap { state.record($0)?.operation }
    }
  }

  // MARK: The past

  /// Returns the name that an operation was given first.
  func firstName(of operation: ObservableOperation) -> String {
    state.withLock { $0.firstNames[operation.id] } ?? operation.displayName
  }

  // MARK: Dropping

  /// How many finished operations are kept; nil for all.
  package var limit: Int? {
    get { state.withLock { $0.limit } }
    set { state.withLock { $0.limit = newValue } }
  }

  /// How many bytes of values and texts finished operations keep; nil for all.
  package var sizeLimit: Int? {
    get { state.withLock { $0.sizeLimit } }
    set {
      state.withLock { state in
        state.sizeLimit = newValue
        state.sizes.forgetAwaited()
      }
    }
  }

  /// The present size of finished operations.
  var keptSize: KeptSize { state.withLock { $0.sizes.total } }

  /// A limit with room for twice the size, as 'set keep' takes it.
  package var roomierSize: String? {
    sizeLimit.map { Value.size(Int64(max(2 * $0, 1_000_000))).text }
  }

  /// Records that an operation has finished, so that it may be dropped later.
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
      state.exclusive[id] = nil
      return state.sizes.isAwaitingAny
    }
    guard isAwaitingAny else { return }
    let upstream = operation.upstream.map(\.operation.id)
    state.withLock { state in
      for id in upstream { state.sizes.dependentFinished(of: id) }
    }
  }

  /// Records all finished operations whose log entries have not been read yet, and returns them.
  func noteAllFinished() -> [ObservableOperation] {
    let found = all.filter { operation in
      operation.state == .finished && state.withLock { $0.record(operation.id)?.isNoted == false }
    }
    for operation in found { noteFinished(operation.id) }
    return found
  }

  /// Drops what exceeds the limits, oldest first: records beyond the number, then values, then
  /// records with texts if texts alone exceed the limit.
  ///
  /// - Returns: The dropped records, for the failure ledger. They are the last references to the
  ///   operations.
  func dropExcess() -> [Record] {
    var dropped = excess().compactMap(drop)
    dropExcessValues()
    while let id = nextRecordWithText() {
      if let record = drop(id) { dropped.append(record) }
    }
    if dropped.count >= 64 { state.withLock { $0.shrink() } }
    return dropped
  }

  /// The oldest finished operations beyond the limit.
  private func excess() -> [Int] {
    state.withLock { state in
      guard let limit = state.limit else { return [] }
      var ids: [Int] = []
      let excess = state.notedCount - limit
      while ids.count < excess, let id = state.finished.popFirst() {
        // Some were dropped earlier because of their texts.
        if state.record(id) != nil { ids.append(id) }
      }
      return ids
    }
  }

  /// Drops values of finished operations until the rest fits into the limit or is still needed.
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
      // There may be as many groups, each with a queue of its own, as operations.
      let isKnown = state.droppedTallies[queue] != nil || state.droppedTallies.count < 1000
      state.droppedTallies[isKnown ? queue : "", default: OperationTally()]
        .add(record.operation)
    }
    return record
  }

  private func remove(id: Int) -> Record? {
    recipes.forget(id)
    return state.withLock { state in
      guard let number = state.numbersByID.removeValue(forKey: id),
        let record = state.records[number]
      else { return nil }
      state.records.remove(number)
      let name = record.operation.displayName
      if state.byName[name] === record.operation { state.byName[name] = nil }
      state.holds[id] = nil
      state.groups[id] = nil
      state.exclusive[id] = nil
      state.removals.append(id)
      state.firstNames[id] = nil
      if record.isNoted { state.notedCount -= 1 }
      state.sizes.remove(id)
      return record
    }
  }

  /// The ids that were dropped or withdrawn after the first `count` ones.
  package func removed(after count: Int) -> RecentRemovals.Page {
    state.withLock { $0.removals.page(after: count) }
  }

  /// Whether an operation of the session had that id and its record was dropped.
  func wasDropped(_ id: Int) -> Bool { state.withLock { $0.dropped.contains(id) } }

  package var hasDropped: Bool { state.withLock { !$0.droppedTallies.isEmpty } }

  /// Statistics of dropped operations by the name of their queue.
  ///
  /// The empty name means no queue, or any of the queues beyond the maximum number of names.
  package var droppedTallies: [String: OperationTally] { state.withLock { $0.droppedTallies } }
}
