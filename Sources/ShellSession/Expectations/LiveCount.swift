import Operations
package import ShellLanguage

/// Keeps the number that one `count of … where …` gives, event by event.
///
/// An entry of the log changes one operation, so the condition is evaluated anew for that operation
/// alone: a constant for each event, however many operations are counted. Where a condition compares
/// `running` or `waiting` with a constant, it is evaluated anew for an operation when that time
/// reaches the constant. Only where it uses such a time otherwise, as in a sum, it is evaluated at
/// each event for all operations whose time grows.
package final class LiveCount {
  private struct Member {
    let object: OperationObject
    /// How many times it is counted; a list may hold it more than once.
    var times = 1
    var fits = false
  }

  private let clause: CountClause
  private let reads: ConditionReads
  private let invocation: Invocation
  private let moment: Moment
  /// Which operations of the session are counted; nil where the elements of a list are.
  private let isCounted: ((ObservableOperation) -> Bool)?

  private var members: [Int: Member] = [:]
  private var total = 0
  /// Of these the condition has to be evaluated before the next number is given.
  private var changed: Set<Int> = []
  /// Of these a time that the condition reads grows, where it does not just compare times.
  private var growing: Set<Int> = []
  /// The times that the condition compares with constants.
  private let limits: [TimeLimit]
  private let comparesOnly: Bool
  private var queues: [LimitQueue] = []
  /// Operations that have not been built yet at the moment, in the order in which they were.
  private var later: [OperationObject] = []
  /// The elements that were counted last, where those of a list are.
  private var elements: [Value] = []
  private var isStale = true
  private var seenCount = 0
  private var removedCount = 0
  /// Other operations that the condition names.
  private var others: Set<Int> = []
  private var values = ""
  /// Whether all has to be counted by looking at all, for now.
  private var isUnknown = false

  /// Creates a count.
  ///
  /// - Returns: Nil where no event tells what changes the count: it is then counted in full.
  init?(_ clause: CountClause, _ invocation: Invocation, at moment: Moment) {
    let reads = ConditionReads(clause.condition)
    guard !reads.isOpaque else { return nil }
    switch clause.things.kind {
    case .bareWord("ops"): isCounted = { _ in true }
    case .bareWord(let word):
      guard GlobPattern.isPattern(word) else { return nil }
      let pattern = GlobPattern(word)
      isCounted = { pattern.matches($0.displayName) }
    case .variable: isCounted = nil
    default: return nil
    }
    self.clause = clause
    self.reads = reads
    self.invocation = invocation
    self.moment = moment
    let found = clause.condition.map { TimeLimit.limits(of: $0, isInCondition: true) }
    limits = found?.limits ?? []
    comparesOnly = found?.others.isEmpty ?? true && limits.allSatisfy { $0.base == nil }
  }

  // MARK: What changes

  /// Notes that something happened to an operation.
  func note(_ id: Int) {
    guard !isStale else { return }
    if others.contains(id) { isStale = true }
    if members[id] != nil { changed.insert(id) }
  }

  /// Adds new operations, removes dropped ones, and finds what else the condition reads.
  func refresh() {
    let registry = invocation.jobs.operations
    findOthers()
    guard isCounted != nil else { return }
    let removed = registry.removed(after: removedCount)
    removedCount = removed.count
    if removed.isComplete { removed.ids.forEach(remove) } else { isStale = true }
    guard !isStale, registry.count > seenCount else { return }
    takeBuilt()
  }

  private func takeBuilt() {
    let jobs = invocation.jobs
    let count = jobs.operations.count
    for operation in jobs.operations.added(after: seenCount)
    where isCounted?(operation) == true && members[operation.id] == nil {
      later.append(OperationObject(operation, clock: jobs.clock))
    }
    seenCount = count
  }

  private func remove(_ id: Int) {
    growing.remove(id)
    changed.remove(id)
    if let member = members.removeValue(forKey: id), member.fits { total -= member.times }
    if later.contains(where: { $0.operation.id == id }) {
      later.removeAll { $0.operation.id == id }
    }
  }

  /// Finds what the condition reads in addition to its operation; where that has changed, all is stale.
  private func findOthers() {
    let (jobs, context) = (invocation.jobs, invocation.context)
    guard !reads.names.isEmpty || !reads.variables.isEmpty else { return }
    var others: Set<Int> = []
    var values = ""
    isUnknown = false
    let found =
      reads.names.sorted().map { jobs.object(named: $0, in: context) }
      + reads.variables.sorted().map { context.variable($0) }
    for value in found {
      switch value {
      case .object(let object as OperationObject): others.insert(object.operation.id)
      case .list, .record, .object, nil: isUnknown = true
      case .some(let value): values += "\(value.typeName) \(value.text)\n"
      }
    }
    if others != self.others || values != self.values { isStale = true }
    (self.others, self.values) = (others, values)
  }

  // MARK: The number

  /// The number at the moment.
  ///
  /// - Returns: Nil where all has to be looked at.
  /// - Throws: What evaluating the condition throws.
  func number() throws -> Int? {
    guard !isUnknown, try takeElements() else { return nil }
    do {
      if isStale { startOver() }
      admit()
      for index in queues.indices {
        changed.formUnion(queues[index].due(at: moment.instant))
      }
      let due = changed
      changed = []
      // In the order of their times, or nearly.
      for id in due.sorted() { try update(id) }
      for id in growing { try update(id) }
    } catch {
      // What was evaluated so far is not all.
      isStale = true
      throw error
    }
    return total
  }

  /// Takes the elements of the list that is counted; returns whether all of them are operations.
  private func takeElements() throws -> Bool {
    guard isCounted == nil else { return true }
    guard case .list(let elements) = try invocation.context.evaluate(clause.things) else {
      return false
    }
    if !isStale, elements.isSameArray(as: self.elements) { return true }
    isStale = true
    self.elements = elements
    try invocation.context.refuseMissingFields(of: clause, in: elements)
    return elements.allSatisfy { if case .object(is OperationObject) = $0 { true } else { false } }
  }

  private func startOver() {
    (members, changed, growing, later, total) = ([:], [], [], [], 0)
    isStale = false
    queues =
      comparesOnly
      ? limits.map { LimitQueue($0, in: invocation.context, invocation.run.clock) } : []
    if isCounted == nil {
      for case .object(let object as OperationObject) in elements {
        members[object.operation.id, default: Member(object: object, times: 0)].times += 1
      }
      changed.formUnion(members.keys)
    } else {
      seenCount = 0
      takeBuilt()
    }
  }

  /// Counts what has been built by the moment.
  private func admit() {
    guard let first = later.first, moment.has(first.operation) else { return }
    let count = later.firstIndex { !moment.has($0.operation) } ?? later.count
    for object in later.prefix(count) {
      members[object.operation.id] = Member(object: object)
      changed.insert(object.operation.id)
    }
    later.removeFirst(count)
  }

  private func update(_ id: Int) throws {
    guard var member = members[id] else { return }
    let fits: Bool
    if let condition = clause.condition {
      invocation.jobs.noteConditionCheck()
      fits = try invocation.context.holds(condition, subject: .object(member.object))
    } else {
      fits = true
    }
    if fits != member.fits {
      total += fits ? member.times : -member.times
      member.fits = fits
      members[id] = member
    }
    noteGrowth(of: member.object.operation)
  }

  private func noteGrowth(of operation: ObservableOperation) {
    let property: String? =
      switch moment.state(of: operation) {
      case .executing: "running"
      case .pending, .ready: "waiting"
      case .created, .finished: nil
      }
    let grows = property.map(reads.properties.contains) ?? false
    guard comparesOnly else {
      if grows { growing.insert(operation.id) } else { growing.remove(operation.id) }
      return
    }
    guard grows else { return }
    for index in queues.indices where queues[index].limit.property == property {
      queues[index].add(operation)
    }
  }

  /// When the number may change though nothing happens.
  package enum NextLook {
    /// At that time; nil for never.
    case at(ContinuousClock.Instant?)
    case unknown
  }

  func nextLook(after now: ContinuousClock.Instant) -> NextLook {
    guard !isUnknown, comparesOnly else { return .unknown }
    var times: [ContinuousClock.Instant] = []
    for index in queues.indices {
      let limit = queues[index].limit
      let time = queues[index].next(after: now) { [members] id in
        members[id].map { limit.isGrowing(of: $0.object.operation) } ?? false
      }
      if let time { times.append(time) }
    }
    return .at(times.min())
  }
}

@available(*, unavailable)
extension LiveCount: Sendable {}

extension [Value] {
  /// Whether both are the same memory, and so hold the same.
  package func isSameArray(as other: [Value]) -> Bool {
    count == other.count
      && withUnsafeBufferPointer { ours in
        other.withUnsafeBufferPointer { ours.baseAddress == $0.baseAddress }
      }
  }
}

/// The counts that evaluating an expression on this thread takes in place of counting.
package final class LiveCounts {
  private let counts: [ObjectIdentifier: LiveCount]

  package static let current = ThreadSlot<LiveCounts>()

  package init(
    _ expressions: [ShellLanguage.Expression], _ invocation: Invocation, at moment: Moment
  ) {
    var counts: [ObjectIdentifier: LiveCount] = [:]
    for clause in expressions.flatMap(\.countClauses) {
      counts[ObjectIdentifier(clause)] = LiveCount(clause, invocation, at: moment)
    }
    self.counts = counts
  }

  package func note(_ id: Int) {
    for count in counts.values { count.note(id) }
  }

  package func refresh() {
    for count in counts.values { count.refresh() }
  }

  func number(of clause: CountClause) throws -> Int? {
    try counts[ObjectIdentifier(clause)]?.number()
  }

  package func nextLook(of clause: CountClause, after now: ContinuousClock.Instant)
    -> LiveCount.NextLook
  {
    counts[ObjectIdentifier(clause)]?.nextLook(after: now) ?? .unknown
  }
}

@available(*, unavailable)
extension LiveCounts: Sendable {}
