/// The exclusive names of an engine: which operation holds each, and which wait for it, by turn.
///
/// An operation takes all of its names when its queue would start it, or none: then it waits outside
/// of the order of starting, so that others pass it. Turns are by priority and then by the order of
/// adding, whatever the queues. The first of those that wait reserves all of its names, and a later
/// one may start only on names that no earlier turn needs: so one that needs several names is not
/// starved by those that need fewer.
///
/// Only an operation that will get what it waits for without others that wait reserves its names.
/// One whose queue starts nothing by itself reserves none, nor one that waits for an operation that
/// waits itself, such as a group in which nothing works, or for one whose body has an expectation:
/// what that waits for may need the names.
struct ExclusiveNames {
  /// A place in the order of turns.
  struct Turn: Comparable {
    let level: Int
    let order: Int

    init(of operation: ObservableOperation) {
      (level, order) = (ReadyOrder.level(of: operation), operation.core.order)
    }

    static func < (left: Turn, right: Turn) -> Bool {
      (left.level, left.order) < (right.level, right.order)
    }
  }

  private var holders: [String: ObservableOperation] = [:]
  /// Those that wait outside of the order of starting, by each name that they need.
  private var lines: [String: ExclusiveLine] = [:]
  /// Names that none holds and whose line may have one that can start: those that were released,
  /// or whose line changed, since the last look, and those for which only a slot was missing.
  private var hopeful: Set<String> = []
  /// Whether something has changed since the last look at who of those that wait may start.
  private var isLookDue = false
  /// Whether any reservation may have ended since the last look, so that it has to be at all lines.
  private var isWholeLookDue = false

  /// How often an operation was set aside, or taken out again.
  private(set) var moves = 0

  func holder(of name: String) -> ObservableOperation? { holders[name] }

  /// The first of the names that the operation needs and another one has.
  func busyName(for operation: ObservableOperation) -> String? {
    operation.exclusiveNamesInTransaction.first { holders[$0] != nil }
  }

  /// The first of the names that the operation can't take at its turn: another one has it, or has
  /// reserved it.
  func unavailableName(for operation: ObservableOperation) -> String? {
    operation.exclusiveNamesInTransaction.first { name in
      holders[name] != nil || reserver(of: name, before: operation) != nil
    }
  }

  /// The operation with an earlier turn that reserves a name.
  func reserver(of name: String, before operation: ObservableOperation) -> ObservableOperation? {
    guard let line = lines[name] else { return nil }
    let turn = Turn(of: operation)
    return line.waiting.first { $0.turn >= turn || reserves($0.operation) }
      .flatMap { $0.turn < turn ? $0.operation : nil }
  }

  mutating func take(_ operation: ObservableOperation) {
    for name in operation.exclusiveNamesInTransaction {
      holders[name] = operation
      hopeful.remove(name)
    }
  }

  /// Lets go of the names that the operation has.
  mutating func release(_ operation: ObservableOperation) {
    for name in operation.exclusiveNamesInTransaction where holders[name] === operation {
      holders[name] = nil
      if lines[name] != nil { hopeful.insert(name) }
    }
    isLookDue = true
  }

  /// Sets an operation aside until it can have its names.
  mutating func block(_ operation: ObservableOperation) {
    let turn = Turn(of: operation)
    for name in operation.exclusiveNamesInTransaction {
      lines[name, default: ExclusiveLine()].insert(operation, turn)
      if holders[name] == nil { hopeful.insert(name) }
    }
    operation.core.extras?.turn = turn
    operation.core.isBlocked = true
    operation.core.queue?.core.blockedCount += 1
    moves += 1
  }

  /// Has an operation wait for its names no more.
  mutating func unblock(_ operation: ObservableOperation) {
    guard let turn = operation.core.extras?.turn else { return }
    for name in operation.exclusiveNamesInTransaction {
      lines[name]?.remove(turn)
      if lines[name]?.waiting.isEmpty == true {
        lines[name] = nil
        hopeful.remove(name)
      } else if holders[name] == nil {
        hopeful.insert(name)
      }
    }
    operation.core.extras?.turn = nil
    operation.core.isBlocked = false
    operation.core.queue?.core.blockedCount -= 1
    moves += 1
    isLookDue = true
  }

  // MARK: Who is next

  /// Has the end of the transaction look for those that may start now, as what reserved names may
  /// do so no more.
  mutating func lookAgain() { (isLookDue, isWholeLookDue) = (true, true) }

  /// Has the end of the transaction look for those that may start now, as a slot may be free.
  mutating func lookForSlot() { isLookDue = true }

  /// The first by turn of those that wait on a queue and can have all their names.
  mutating func next(on queue: InspectableQueue) -> ObservableOperation? {
    queue.core.blockedCount == 0 ? nil : next { $0 === queue }
  }

  /// The queue of the first by turn that can have its names and a slot; nil if there is none, and
  /// until something changes.
  mutating func nextQueue() -> InspectableQueue? {
    guard isLookDue else { return nil }
    let next = next { $0.core.hasFreeSlot && !$0.core.isPaceTimed }
    if next == nil { isLookDue = false }
    return next?.core.queue
  }

  /// Takes time in proportion to the number of hopeful names, and gives up hope for those whose
  /// lines have to wait for another name: what gets that one is found in the line of that one.
  private mutating func next(
    where isWanted: (InspectableQueue) -> Bool
  ) -> ObservableOperation? {
    if isWholeLookDue {
      isWholeLookDue = false
      hopeful = Set(lines.keys.filter { holders[$0] == nil })
    }
    var first: ExclusiveLine.Entry?
    var hopeless: [String] = []
    for name in hopeful {
      let found = look(at: name, where: isWanted)
      if !found.isHopeful { hopeless.append(name) }
      guard let next = found.next, first.map({ next.turn < $0.turn }) ?? true else { continue }
      first = next
    }
    for name in hopeless { hopeful.remove(name) }
    return first?.operation
  }

  /// Returns the first of a line that may start on such a queue, and whether one could with a slot.
  private func look(
    at name: String, where isWanted: (InspectableQueue) -> Bool
  ) -> (next: ExclusiveLine.Entry?, isHopeful: Bool) {
    guard let line = lines[name] else { return (nil, false) }
    var isHopeful = false
    for entry in line.waiting {
      let operation = entry.operation
      let isOnWanted = operation.core.queue.map(isWanted) == true
      if isOnWanted, unavailableName(for: operation) == nil { return (entry, true) }
      if reserves(operation) {
        if !isOnWanted, unavailableName(for: operation) == nil { isHopeful = true }
        break
      }
      if !isOnWanted, busyName(for: operation) == nil { isHopeful = true }
    }
    return (nil, isHopeful)
  }

  // MARK: Who reserves

  /// Whether one that waits keeps its names from those with later turns.
  private func reserves(_ operation: ObservableOperation) -> Bool {
    guard let queue = operation.core.queue?.core, !queue.isSuspended, queue.width != 0,
      queue.membership?.isHeld != true
    else { return false }
    let mayGetSlot = queue.hasRoom || queue.slots.contains { $0.map(Self.works) == true }
    return mayGetSlot
      && operation.exclusiveNamesInTransaction.allSatisfy { holders[$0].map(Self.works) ?? true }
  }

  /// Whether an operation waits for no other one; its own pause ends by itself.
  private static func works(_ operation: ObservableOperation) -> Bool {
    if operation.core.extras?.attemptPause != nil || operation.isInHostPause { return true }
    if operation.isHeldUp || operation.core.extras?.isExpecting == true { return false }
    guard let inner = (operation as? GroupOperation)?.innerQueue.core, !inner.isEmpty,
      inner.membership?.isHeld == false
    else { return true }
    return hasWorker(inner)
  }

  /// Whether something that is not a group itself works in a slot of the queue of a group.
  static func hasWorker(_ queue: QueueCore) -> Bool {
    queue.slots.contains { holder in
      guard let holder, !(holder is GroupOperation), !holder.isHeldUp else { return false }
      return holder.core.extras?.isExpecting != true
    }
  }
}

/// Those that wait for an exclusive name, in the order of their turns.
struct ExclusiveLine {
  struct Entry {
    let turn: ExclusiveNames.Turn
    let operation: ObservableOperation
  }

  private var entries: [Entry?] = []
  /// How many at the front have left: moving all others up each time would take quadratic time.
  private var head = 0

  var waiting: some Sequence<Entry> & Collection<Entry> {
    entries[head...].lazy.compactMap { $0 }
  }

  mutating func insert(_ operation: ObservableOperation, _ turn: ExclusiveNames.Turn) {
    entries.insert(Entry(turn: turn, operation: operation), at: place(of: turn))
  }

  mutating func remove(_ turn: ExclusiveNames.Turn) {
    let place = place(of: turn)
    guard place == head else {
      entries.remove(at: place)
      return
    }
    entries[place] = nil
    head += 1
    if head >= 32, head * 2 > entries.count {
      entries.removeFirst(head)
      head = 0
    }
  }

  /// Where a turn stands, or would stand.
  private func place(of turn: ExclusiveNames.Turn) -> Int {
    var (low, high) = (head, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if let entry = entries[middle], entry.turn < turn { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension ObservableOperation {
  /// The names that it needs for itself, in a transaction.
  var exclusiveNamesInTransaction: [String] { core.extras?.exclusiveNames ?? [] }
}
