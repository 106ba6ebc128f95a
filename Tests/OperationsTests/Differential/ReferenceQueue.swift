import Foundation
import Operations

/// The rule by which a queue chooses, written down once more in the slowest and plainest way.
///
/// It shares no code with the engine. Nothing happens by itself here: the caller says when an
/// operation that holds a slot has finished.
///
/// - The next one is the ready one with the highest priority, and among equals the one with the
///   lowest rank: ranks are dealt in the order of adding, and dealt anew with a change of priority.
/// - A cancelled one that waits needs its dependencies no more, but it needs its turn. It finishes
///   then, before another one has its turn.
struct ReferenceQueue {
  struct Item {
    var priority: Int
    var rank = 0
    var state: OperationState = .created
    var isCancelled = false
    /// Whom it depends on, finished or not.
    var upstream: [Int] = []
    var holdsSlot = false
  }

  private(set) var items: [Item] = []
  private(set) var width: Int
  private(set) var isSuspended: Bool
  /// Who holds a slot, in the order of their turns.
  private(set) var holders: [Int] = []
  /// Who got a slot, in this order.
  private(set) var turns: [Int] = []
  /// Who of them was not cancelled and began to execute.
  private(set) var started: [Int] = []
  /// How many finished on the queue.
  private(set) var finishedCount = 0
  private var lastRank = 0

  init(width: Int, isSuspended: Bool = true) {
    self.width = width
    self.isSuspended = isSuspended
  }

  // MARK: What can be seen

  func isReady(_ id: Int) -> Bool {
    if items[id].isCancelled { return true }
    for upstream in items[id].upstream where items[upstream].state != .finished { return false }
    return true
  }

  func count(_ state: OperationState) -> Int { items.filter { $0.state == state }.count }

  /// The order in which those that have no slot would start when all others have finished, if all took
  /// equally long, and then those stuck.
  var prediction: [Int] {
    var copy = self
    copy.isSuspended = true
    for id in holders { copy.finish(id) }
    let done = copy.turns.count
    copy.isSuspended = false
    if width == 0 { copy.width = 1 }
    copy.schedule()
    while let holder = copy.holders.first { copy.finish(holder) }
    let stuck = copy.items.indices.filter { [.pending, .ready].contains(copy.items[$0].state) }
    return copy.turns.dropFirst(done) + stuck.sorted { copy.precedes($0, $1) }
  }

  // MARK: What can be done

  /// Makes an operation that is on no queue.
  @discardableResult
  mutating func make(_ priority: Operation.QueuePriority, upstream: [Int] = []) -> Int {
    items.append(Item(priority: priority.rawValue, upstream: upstream))
    return items.count - 1
  }

  mutating func add(_ ids: [Int]) {
    for id in ids where items[id].state == .created {
      items[id].rank = nextRank()
      items[id].state = isReady(id) ? .ready : .pending
    }
    schedule()
  }

  mutating func prioritize(_ id: Int, _ priority: Operation.QueuePriority) {
    guard items[id].priority != priority.rawValue else { return }
    items[id].priority = priority.rawValue
    switch items[id].state {
    case .pending, .ready: items[id].rank = nextRank()
    case .created, .executing, .finished: break
    }
  }

  /// Cancels one that has not begun to execute; otherwise only marks it.
  mutating func cancel(_ id: Int) {
    guard items[id].state != .finished else { return }
    items[id].isCancelled = true
    if items[id].state == .pending { items[id].state = .ready }
    schedule()
  }

  /// - Returns: Whether it was not too late for that.
  @discardableResult
  mutating func depend(_ id: Int, on upstream: Int) -> Bool {
    guard takesDependencies(id) else { return false }
    if !items[id].upstream.contains(upstream) { items[id].upstream.append(upstream) }
    return true
  }

  mutating func removeDependency(_ id: Int, on upstream: Int) {
    guard takesDependencies(id) else { return }
    items[id].upstream.removeAll { $0 == upstream }
    release()
    schedule()
  }

  mutating func setWidth(_ width: Int) {
    self.width = width
    schedule()
  }

  mutating func setSuspended(_ isSuspended: Bool) {
    self.isSuspended = isSuspended
    schedule()
  }

  /// Ends one that holds a slot.
  mutating func finish(_ id: Int) {
    items[id].state = .finished
    items[id].holdsSlot = false
    holders.removeAll { $0 == id }
    finishedCount += 1
    release()
    schedule()
  }

  // MARK: The rule

  private func takesDependencies(_ id: Int) -> Bool {
    switch items[id].state {
    case .created, .pending, .ready: !items[id].holdsSlot
    case .executing, .finished: false
    }
  }

  private func precedes(_ one: Int, _ other: Int) -> Bool {
    items[one].priority != items[other].priority
      ? items[one].priority > items[other].priority : items[one].rank < items[other].rank
  }

  private mutating func nextRank() -> Int {
    lastRank += 1
    return lastRank
  }

  private mutating func release() {
    var id = 0
    while id < items.count {
      if items[id].state == .pending, isReady(id) { items[id].state = .ready }
      id += 1
    }
  }

  private mutating func schedule() {
    while !isSuspended, width < 0 || holders.count < width, let next = first {
      turns.append(next)
      if items[next].isCancelled {
        items[next].state = .finished
        finishedCount += 1
        release()
        continue
      }
      items[next].holdsSlot = true
      holders.append(next)
      items[next].state = .executing
      started.append(next)
    }
  }

  /// Whose turn it is. (A loop, because closures cost a debug build most of its time here.)
  private var first: Int? {
    var best: Int?
    var id = 0
    while id < items.count {
      if items[id].state == .ready, !items[id].holdsSlot, isReady(id) {
        if let other = best { if precedes(id, other) { best = id } } else { best = id }
      }
      id += 1
    }
    return best
  }
}

extension ReferenceQueue {
  /// Says what must happen when a script runs on a queue of width 1.
  static func run(_ script: GraphScript) -> GraphTrace {
    var queue = ReferenceQueue(width: 1)
    for node in script.nodes { queue.make(node.priority, upstream: node.upstream) }
    queue.add(script.addOrder)
    for action in script.actions { queue.perform(action) }
    queue.setSuspended(false)
    while let holder = queue.holders.first {
      for action in script.nodes[holder].actions { queue.perform(action) }
      queue.finish(holder)
    }
    return GraphTrace(
      ran: queue.started, turns: queue.turns,
      cancelled: queue.items.indices.filter { queue.items[$0].isCancelled })
  }

  private mutating func perform(_ action: GraphScript.Action) {
    switch action {
    case .prioritize(let id, let priority): prioritize(id, priority)
    case .cancel(let id): cancel(id)
    case .add(let id): add([id])
    case .depend(let id, let upstream): depend(id, on: upstream)
    }
  }
}
