import Foundation
import OpshSupport

/// Everything about a queue that changes; guarded by the lock of its engine.
///
/// A class, because a structure of this size is copied whole where one of its parts is read through
/// an optional queue, which took a seventh of all instructions. The lock makes overlapping access
/// impossible, so that it need not be checked.
final class QueueCore {
  /// What was added between two barriers; the benchmark `engine/independent/COUNT/total-barriers` shows
  /// what barriers cost.
  private struct Epoch {
    /// The barrier that comes before the rest, until it has finished.
    var barrier: ObservableOperation?
    var ready = ReadyOrder()
    /// How many of the rest have not finished.
    var unfinished = 0
    /// The number of the epoch for which its operations count, if its barrier ended out of turn.
    var mergedInto: Int32?
    /// Whether there were such operations, which still have its number.
    var hasFollowers = false
  }

  /// What outlives the queue.
  let trace: QueueTrace
  @exclusivity(unchecked) var width: Int
  @exclusivity(unchecked) var isSuspended = false
  /// Whether a ``QueueDriver`` decides what starts.
  @exclusivity(unchecked) var isDriven = false
  @exclusivity(unchecked) var isToBeScheduled = false
  @exclusivity(unchecked) var quality: QualityOfService
  /// That of the group whose operations are on it, from the start of the group.
  @exclusivity(unchecked) var inheritedQuality: QualityOfService = .default
  /// What it has to do with the group whose operations are on it, if there is one.
  @exclusivity(unchecked) var membership: GroupMembership?

  /// The operations that hold all threads of the pool by which a driver starts others, by their
  /// numbers; none while a thread is free.
  @exclusivity(unchecked) var poolHolders: [Int] = []

  /// How many of its operations become ready once observers with the option `prior` were notified.
  @exclusivity(unchecked) var announcingCount = 0

  /// How many of its operations were cancelled and have not finished.
  @exclusivity(unchecked) var cancelledCount = 0

  /// How many of its operations are ready and wait for exclusive names.
  @exclusivity(unchecked) var blockedCount = 0

  /// Whether equal requests of its operations share a transfer.
  @exclusivity(unchecked) var coalescesRequests = false

  /// The shortest time between two starts, in nanoseconds; 0 for none.
  @exclusivity(unchecked) var pace: Int64 = 0
  /// When it last started something while it had a pace; 0 for never.
  @exclusivity(unchecked) var lastStart: Int64 = 0
  /// When a timer will schedule the queue, because of the pace; 0 if there is none.
  @exclusivity(unchecked) var paceTimer: Int64 = 0

  /// The unfinished operations.
  @exclusivity(unchecked) private(set) var unfinished = UnfinishedOperations()
  /// The operations of the one at `current` may start; the others come after barriers.
  @exclusivity(unchecked) private var epochs = [Epoch()]
  /// How many at the front have been passed.
  @exclusivity(unchecked) private var current = 0
  /// The number of the first of the epochs.
  @exclusivity(unchecked) private var firstEpoch: Int32 = 0

  /// The holder of each slot; slot 1 comes first.
  @exclusivity(unchecked) private(set) var slots: [ObservableOperation?] = []
  /// Slots that were used and are free.
  @exclusivity(unchecked) private var freeSlots = Heap<Int>()
  @exclusivity(unchecked) private(set) var takenSlots = 0

  @exclusivity(unchecked) private(set) var pending = 0
  @exclusivity(unchecked) private(set) var readyCount = 0
  @exclusivity(unchecked) private(set) var executing = 0
  @exclusivity(unchecked) private(set) var finished = 0

  @exclusivity(unchecked) var observers: ObserverRegistry?
  @exclusivity(unchecked) private var waiters: [Waiter] = []

  init(label: QueueLabel, width: Int, quality: QualityOfService) {
    trace = QueueTrace(label: label)
    self.width = width
    self.quality = quality
  }

  var label: QueueLabel {
    get { trace.label }
    set { trace.label = newValue }
  }

  var name: String { label.name }

  var isEmpty: Bool { unfinished.isEmpty }

  /// When the next start may be, by the pace.
  var nextStart: Int64 { lastStart == 0 ? 0 : lastStart.addingClamped(pace) }

  /// Whether a timer comes back to it for the next start.
  var isPaceTimed: Bool { pace > 0 && paceTimer != 0 && paceTimer == nextStart }

  /// Whether the width leaves room for one more.
  var hasRoom: Bool { width < 0 || takenSlots < width }

  var hasFreeSlot: Bool {
    !isSuspended && !isDriven && announcingCount == 0 && membership?.isHeld != true && hasRoom
  }

  /// Counts those that had finished before what is known of the queue.
  func begin(withFinished count: Int) { finished = count }

  /// The unfinished operations in the order of adding.
  var operations: [ObservableOperation] { unfinished.operations }

  /// The operations, if an observer needs their list before a change.
  var observedOperations: [ObservableOperation]? {
    observers?.hasObserver(of: .operations, with: .old) == true ? operations : nil
  }

  /// Puts a new operation at the end.
  func enroll(_ operation: ObservableOperation) {
    unfinished.add(operation)
    var epoch = epochs.count
    if operation.core.extras?.isBarrier == true {
      epochs.append(Epoch(barrier: operation))
    } else {
      epoch = root(of: epoch - 1)
      epochs[epoch].unfinished += 1
    }
    operation.core.epoch = firstEpoch + Int32(epoch)
  }

  func count(from old: OperationState, to new: OperationState) {
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
  func enqueue(_ operation: ObservableOperation, released: inout [AnyObject]) {
    let epoch = epoch(of: operation)
    // The barrier itself stands before its epoch.
    guard epochs[epoch].barrier !== operation else { return }
    // Entries that went out of date are swept when they are the majority.
    if epochs[epoch].ready.count > 64, epochs[epoch].ready.count > 2 * unfinished.count {
      epochs[epoch].ready.sweep(where: { $0.core.isStartable }, released: &released)
    }
    epochs[epoch].ready.insert(operation)
  }

  /// Takes the operation whose turn it is.
  func takeNext(released: inout [AnyObject]) -> ObservableOperation? {
    passFinishedEpochs(released: &released)
    if let barrier = epochs[current].barrier { return barrier.core.isStartable ? barrier : nil }
    return epochs[current].ready.popFirst(where: { $0.core.isStartable }, released: &released)
  }

  /// The operation whose turn it is.
  func next(released: inout [AnyObject]) -> ObservableOperation? {
    passFinishedEpochs(released: &released)
    if let barrier = epochs[current].barrier { return barrier.core.isStartable ? barrier : nil }
    return epochs[current].ready.first(where: { $0.core.isStartable }, released: &released)
  }

  /// How many entries of the order of starting there are, with those that are out of date.
  var readyEntryCount: Int { epochs[current].ready.count }

  /// Of how many entries each is looked at to count those that may start; of more than that all
  /// count, also those that went out of date.
  static let longestCount = 1024

  /// How many may start now, by priority.
  func readyCounts() -> [Int] {
    guard epochs[current].barrier == nil else { return [] }
    return readyEntryCount > Self.longestCount
      ? epochs[current].ready.counts : epochs[current].ready.counts(where: { $0.core.isStartable })
  }

  private func passFinishedEpochs(released: inout [AnyObject]) {
    while current < epochs.count - 1, epochs[current].barrier == nil,
      epochs[current].unfinished == 0
    {
      epochs[current].ready.sweep(where: { _ in false }, released: &released)
      current += 1
    }
    // What had its number has ended with all that it was given to.
    if epochs[current].mergedInto != nil {
      (epochs[current].mergedInto, epochs[current].hasFollowers) = (nil, false)
    }
    // Moving the array up once per many epochs keeps passing them cheap.
    if current >= 64, current * 2 > epochs.count {
      epochs.removeFirst(current)
      firstEpoch += Int32(current)
      current = 0
    }
  }

  /// Merges an epoch whose barrier ended early into the epoch before it.
  ///
  /// They keep their number, from which `root` finds the other one: there is no search for them.
  private func merge(_ epoch: Int, released: inout [AnyObject]) {
    let previous = root(of: epoch - 1)
    let moved = epochs[epoch].ready.takeAll(where: { $0.core.isStartable }, released: &released)
    for operation in moved { epochs[previous].ready.insert(operation) }
    epochs[previous].unfinished += epochs[epoch].unfinished
    epochs[epoch].hasFollowers = epochs[epoch].unfinished > 0
    epochs[epoch].unfinished = 0
    epochs[epoch].mergedInto = firstEpoch + Int32(previous)
    while let last = epochs.last, last.mergedInto != nil, !last.hasFollowers { epochs.removeLast() }
  }

  /// The epoch for which the operations of an epoch count.
  private func root(of epoch: Int) -> Int {
    var epoch = epoch
    while let next = epochs[epoch].mergedInto.map({ Int($0 - firstEpoch) }) {
      // Halving the way each time keeps it short.
      if let further = epochs[next].mergedInto { epochs[epoch].mergedInto = further }
      epoch = next
    }
    return epoch
  }

  private func epoch(of operation: ObservableOperation) -> Int {
    root(of: Int(operation.core.epoch - firstEpoch))
  }

  /// The number of the epoch for which an unfinished operation counts.
  func turn(of operation: ObservableOperation) -> Int32 {
    firstEpoch + Int32(epoch(of: operation))
  }

  /// Whether it has unfinished barriers.
  var hasBarriers: Bool { epochs[current...].contains { $0.barrier != nil } }

  /// The unfinished barriers, in the order in which they were added.
  var barriers: [ObservableOperation] { epochs[current...].compactMap(\.barrier) }

  /// The first of them.
  var firstBarrier: ObservableOperation? { epochs[current...].lazy.compactMap(\.barrier).first }

  /// The barrier that an operation waits behind, if it does; for a barrier, another one before it.
  func barrier(before operation: ObservableOperation) -> ObservableOperation? {
    let epoch = epoch(of: operation)
    let last = operation.core.extras?.isBarrier == true ? epoch - 1 : epoch
    guard last >= current else { return nil }
    return epochs[current...last].last { $0.barrier != nil }?.barrier
  }

  /// Whether an operation's turn can come: no barrier stands before it, and if it is one, all that
  /// was added before it has finished.
  func isInTurn(_ operation: ObservableOperation) -> Bool {
    let epoch = epoch(of: operation)
    guard epoch >= current else { return true }
    guard epochs[epoch].barrier == nil || epochs[epoch].barrier === operation else { return false }
    return epochs[current..<epoch].allSatisfy { $0.barrier == nil && $0.unfinished == 0 }
  }

  /// Whether something that is not a group itself works in a slot.
  var isWorking: Bool {
    slots.contains { holder in
      guard let holder, !(holder is GroupOperation) else { return false }
      return !holder.isHeldUp
    }
  }

  /// Those that hold a slot, if nothing works on any of them; while one works, its slot will be free.
  var heldUpHolders: [ObservableOperation] { isHeldUp ? slots.compactMap { $0 } : [] }

  /// Whether nothing works on any of those that hold a slot.
  var isHeldUp: Bool { slots.allSatisfy { $0?.isHeldUp ?? true } }

  /// Gives an operation the first free slot.
  func takeSlot(for operation: ObservableOperation) {
    takenSlots += 1
    if let free = freeSlots.popFirst() {
      slots[free - 1] = operation
      operation.core.slot = Int32(free)
    } else {
      slots.append(operation)
      operation.core.slot = Int32(slots.count)
    }
  }

  /// Strikes a finished operation off, and frees its slot.
  func dismiss(_ operation: ObservableOperation, released: inout [AnyObject]) {
    unfinished.remove(operation)
    if operation.core.isCancelled { cancelledCount -= 1 }
    let epoch = epoch(of: operation)
    if operation.core.extras?.isBarrier == true {
      epochs[epoch].barrier = nil
      if epoch > current { merge(epoch, released: &released) }
    } else {
      epochs[epoch].unfinished -= 1
    }
    passFinishedEpochs(released: &released)
    // One that is suspended may not look again, and what is out of date would keep it.
    if unfinished.isEmpty, readyEntryCount > 0 {
      epochs[current].ready.sweep(where: { _ in false }, released: &released)
    }
    freeSlot(of: operation)
  }

  func freeSlot(of operation: ObservableOperation) {
    let slot = Int(operation.core.slot)
    guard slot > 0 else { return }
    slots[slot - 1] = nil
    freeSlots.insert(slot)
    operation.core.slot = 0
    takenSlots -= 1
    if takenSlots == 0, slots.count > 64 {
      slots = []
      freeSlots = Heap()
    }
  }

  /// Releases all operations, because nothing is left that could start them; they are on no
  /// queue then, and no further ones are taken.
  ///
  /// - Returns: The operations, and others that went out of date, which are kept until the caller
  ///   lets go of them outside the lock, and their timers.
  func abandonAll() -> (kept: UpstreamEdges, timers: [TimerQueue.Token]) {
    membership?.isClosed = true
    var operations: [ObservableOperation] = []
    var timers: [TimerQueue.Token] = []
    unfinished.forEach { operation in
      operations.append(operation)
      operation.core.queue = nil
      timers += operation.core.extras?.timers ?? []
      operation.core.extras?.timers = []
    }
    unfinished = UnfinishedOperations()
    // Entries that went out of date may be the last to keep an operation.
    var stale: [AnyObject] = []
    for epoch in epochs.indices {
      epochs[epoch].ready.sweep(where: { _ in false }, released: &stale)
    }
    (epochs, current) = ([Epoch()], 0)
    (pending, readyCount, cancelledCount) = (0, 0, 0)
    operations += stale.compactMap { $0 as? ObservableOperation }
    return (UpstreamEdges(keeping: operations), timers)
  }

  func addWaiter(_ waiter: Waiter) {
    waiters.append(waiter)
  }

  func removeWaiter(_ waiter: Waiter) {
    waiters.removeAll { $0 === waiter }
  }

  func takeWaiters() -> [Waiter] {
    let taken = waiters
    waiters = []
    return taken
  }
}
