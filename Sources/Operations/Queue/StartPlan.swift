import OpshSupport

/// What is on a queue and in which order it will start, as far as that can be told.
///
/// It is read under the lock of the engine in pieces of ``longestStep``, so that nothing waits for the
/// lock while a hundred thousand operations are looked at, and worked out without the lock. The
/// benchmark `inspect/order/COUNT/longest-wait` shows how long others wait.
struct StartPlan {
  /// How many operations and dependencies are looked at while the lock is held once.
  static let longestStep = 1024

  /// A place in the order of starting, as it was when the operation was looked at.
  private struct Place: Comparable {
    let turn: Rank.Turn
    let level: Int
    let order: Int
    /// Where the operation stands in `items`.
    let index: Int

    static func < (left: Place, right: Place) -> Bool {
      (left.turn, left.level, left.order) < (right.turn, right.level, right.order)
    }
  }

  private struct Item {
    let operation: ObservableOperation
    let place: Place
    let slot: Int
    let isReady: Bool
    let isCancelled: Bool
    var unmet: Int
    /// The numbers of those that it waits for; gathered only if it is not ready.
    var upstream: [Int] = []
  }

  private var items: [Item] = []
  /// How many operations execute at once.
  private var width = 1
  /// What was read before the places changed; it is released without the lock.
  private var discarded: [[Item]] = []
  private var nextPlace = 0
  /// The next dependency of the last item; nil when all of them have been read.
  private var nextEdge: Int?
  private var generation: Int?
  /// How many operations and dependencies were looked at in the longest step.
  private(set) var longestStepTaken = 0

  /// Reads the next piece, in a transaction; returns whether that was the last one.
  mutating func read(_ core: QueueCore) -> Bool {
    var steps = 0
    defer { longestStepTaken = max(longestStepTaken, steps) }
    width = core.width < 0 ? .max : max(1, core.width)
    if generation != core.unfinished.generation {
      discarded.append(items)
      (items, nextPlace, nextEdge) = ([], 0, nil)
      generation = core.unfinished.generation
    }
    while steps < Self.longestStep {
      if nextEdge != nil {
        readEdges(&steps)
      } else if nextPlace < core.unfinished.placeCount {
        if let operation = core.unfinished[nextPlace] { add(operation) }
        nextPlace += 1
        steps += 1
      } else {
        return true
      }
    }
    return false
  }

  private mutating func add(_ operation: ObservableOperation) {
    let place = Place(
      turn: Rank(operation).turn, level: ReadyOrder.level(of: operation),
      order: operation.core.order, index: items.count)
    items.append(
      Item(
        operation: operation, place: place, slot: Int(operation.core.slot),
        isReady: operation.core.isReady && operation.core.obstacle == nil,
        isCancelled: operation.core.isCancelled, unmet: Int(operation.core.unmet)))
    if !operation.core.isReady, operation.core.slot == 0 { nextEdge = 0 }
  }

  private mutating func readEdges(_ steps: inout Int) {
    guard let start = nextEdge, let last = items.indices.last else { return }
    let operation = items[last].operation
    let end = min(start + Self.longestStep - steps, operation.core.upstream.count)
    for position in start..<max(start, end) {
      let other = operation.core.upstream[position].operation
      if other.core.state != .finished { items[last].upstream.append(other.id) }
    }
    steps += max(1, end - start)
    nextEdge = end < operation.core.upstream.count ? end : nil
  }

  /// The operations in order: those that hold a slot, those that start as these and then the others
  /// finish, and those that wait for something elsewhere.
  func order() -> [ObservableOperation] {
    var dependents: [Int: [Int]] = [:]
    var unmet = items.map(\.unmet)
    let waiting = items.indices.filter { items[$0].slot == 0 }
    for index in waiting {
      for id in items[index].upstream { dependents[id, default: []].append(index) }
    }
    var ready = Heap(waiting.filter { items[$0].isReady }.map { items[$0].place })
    var order = items.indices.filter { items[$0].slot > 0 }
      .sorted { items[$0].slot < items[$1].slot }
    // Nothing passes a barrier: those of one turn start only when all of the turns before have finished.
    var unfinished: [Rank.Turn: Int] = [:]
    for item in items { unfinished[item.place.turn, default: 0] += 1 }
    var turns = unfinished.keys.sorted()[...]
    func finish(_ index: Int) {
      let item = items[index]
      unfinished[item.place.turn, default: 0] -= 1
      while let turn = turns.first, unfinished[turn] == 0 { turns = turns.dropFirst() }
      for dependent in dependents[item.operation.id] ?? [] {
        unmet[dependent] -= 1
        if unmet[dependent] == 0 { ready.insert(items[dependent].place) }
      }
    }
    // What executes finishes first. Then all take equally long: they finish in the order of starting.
    // Only a cancelled one finishes at once.
    order.forEach(finish)
    var executing = FIFO<Int>()
    while true {
      if executing.count < width, let next = ready.first, next.turn == turns.first {
        _ = ready.popFirst()
        order.append(next.index)
        if items[next.index].isCancelled {
          finish(next.index)
        } else {
          executing.append(next.index)
        }
      } else if let first = executing.popFirst() {
        finish(first)
      } else {
        break
      }
    }
    let placed = Set(order)
    order += waiting.filter { !placed.contains($0) }.sorted { items[$0].place < items[$1].place }
    return order.map { items[$0].operation }
  }
}

extension InspectableQueue {
  /// Says in which order the unfinished operations are to start, as far as it can be told.
  ///
  /// First come those that hold a slot, then the others in the order in which the slots of the queue
  /// would start them when those have finished, if all took equally long: the ready by priority and
  /// order, and the pending when what they wait for on this queue has finished. Last come those that
  /// wait for something elsewhere or that Foundation never starts, and what a barrier among them holds
  /// up. A width of 0 counts as 1.
  ///
  /// A queue that works meanwhile is not held up: where many operations are on it they are looked
  /// at in pieces, one after the other.
  ///
  /// - Returns: The operations; it takes time for each of them and for each of their dependencies.
  public func predictedOrder() -> [ObservableOperation] { plan().order() }

  /// Reads what is on the queue.
  func plan() -> StartPlan {
    var plan = StartPlan()
    engine.guardedInPieces { _ in plan.read(core) }
    return plan
  }
}
