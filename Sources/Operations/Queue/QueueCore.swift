import Foundation

/// Everything about a queue that changes; guarded by the lock of its log.
struct QueueCore {
  var name: String
  var width: Int
  var isSuspended = false
  var isToBeScheduled = false
  var quality: QualityOfService

  /// The unfinished operations by the order of adding.
  private(set) var members: [Int: ObservableOperation] = [:]
  private var lastSerial = 0
  private var lastOrder = 0
  private var ready = Heap<ReadyEntry>()

  /// Who holds each slot; slot 1 stands first.
  private(set) var slots: [ObservableOperation?] = []
  /// Slots that were used and are free.
  private var freeSlots = Heap<Int>()
  private(set) var takenSlots = 0

  private(set) var pending = 0
  private(set) var readyCount = 0
  private(set) var executing = 0
  private(set) var finished = 0

  var observers: ObserverRegistry?
  private var waiters: [Waiter] = []

  init(name: String, width: Int, quality: QualityOfService) {
    self.name = name
    self.width = width
    self.quality = quality
  }

  /// A place in the order of starting.
  ///
  /// It holds no reference: one that is out of date must not keep its operation alive.
  struct ReadyEntry: Comparable {
    let priority: Int
    let order: Int
    let serial: Int

    init(_ operation: ObservableOperation) {
      priority = operation.core.priority.rawValue
      order = operation.core.order
      serial = operation.core.serial
    }

    static func < (left: ReadyEntry, right: ReadyEntry) -> Bool {
      left.priority != right.priority ? left.priority > right.priority : left.order < right.order
    }
  }

  var isEmpty: Bool { members.isEmpty }

  var hasFreeSlot: Bool { !isSuspended && (width < 0 || takenSlots < width) }

  /// The unfinished operations in the order of adding.
  var operations: [ObservableOperation] {
    members.values.sorted { $0.core.serial < $1.core.serial }
  }

  /// The operations, if somebody observes the queue.
  var observedOperations: [ObservableOperation]? {
    observers?.isObserving(.operations) == true ? operations : nil
  }

  mutating func nextOrder() -> Int {
    lastOrder += 1
    return lastOrder
  }

  mutating func enroll(_ operation: ObservableOperation) -> Int {
    lastSerial += 1
    members[lastSerial] = operation
    return lastSerial
  }

  mutating func count(from old: OperationState, to new: OperationState) {
    switch old {
    case .created: break
    case .pending: pending -= 1
    case .ready: readyCount -= 1
    case .executing: executing -= 1
    case .finished: break
    }
    switch new {
    case .created: break
    case .pending: pending += 1
    case .ready: readyCount += 1
    case .executing: executing += 1
    case .finished: finished += 1
    }
  }

  /// Puts an operation that may start into the order of starting.
  mutating func offer(_ operation: ObservableOperation) {
    // Entries go out of date when a priority changes. They are passed over when they come up, and
    // swept when they are the majority.
    if ready.count > 64, ready.count > 2 * members.count {
      ready = Heap(members.values.filter(\.core.isStartable).map { ReadyEntry($0) })
    }
    ready.insert(ReadyEntry(operation))
  }

  /// Takes the operation whose turn it is.
  mutating func takeNext() -> ObservableOperation? {
    while let entry = ready.popFirst() {
      if let operation = members[entry.serial], operation.core.isStartable,
        operation.core.order == entry.order
      {
        return operation
      }
    }
    return nil
  }

  mutating func takeSlot(for operation: ObservableOperation) -> Int {
    takenSlots += 1
    if let free = freeSlots.popFirst() {
      slots[free - 1] = operation
      return free
    }
    slots.append(operation)
    return slots.count
  }

  /// Strikes a finished operation off, and frees its slot.
  mutating func dismiss(_ operation: ObservableOperation) {
    members[operation.core.serial] = nil
    guard operation.core.slot > 0 else { return }
    slots[operation.core.slot - 1] = nil
    freeSlots.insert(operation.core.slot)
    operation.core.slot = 0
    takenSlots -= 1
    if takenSlots == 0 {
      slots = []
      freeSlots = Heap()
    }
  }

  mutating func addWaiter(_ waiter: Waiter) {
    waiters.append(waiter)
  }

  mutating func removeWaiter(_ waiter: Waiter) {
    waiters.removeAll { $0 === waiter }
  }

  mutating func takeWaiters() -> [Waiter] {
    let taken = waiters
    waiters = []
    return taken
  }
}
