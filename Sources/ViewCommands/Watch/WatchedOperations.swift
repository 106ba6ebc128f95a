import Foundation
import Operations
import ShellSession

/// The operations of a session in the order of `watch`.
///
/// A look at it reads the states of the unfinished operations only: a finished one stays as it is.
struct WatchedOperations {
  private let registry: OperationRegistry
  /// Those that had not finished at the last look, in the order in which they were built, with their
  /// states then.
  private var unfinished: [(operation: ObservableOperation, state: OperationState)] = []
  /// The finished ones, in the order in which they were seen to have finished.
  private var finished: [ObservableOperation] = []
  private var builtCount = 0
  private var removedCount = 0
  private(set) var counts = WatchModel.Counts()
  /// What each queue is to start, in its order, as far as it can be told; it begins with what executes.
  private var lines: [[ObservableOperation]] = []

  init(_ registry: OperationRegistry) { self.registry = registry }

  /// Reads in which order queues are to start what they have, by the rule of the engine.
  mutating func readLines(of queues: [InspectableQueue]) {
    lines = queues.map { $0.predictedOrder() }
  }

  /// The place of each waiting operation in the line of its queue; the next has 1.
  var places: [Int: Int] {
    let executing = Set(unfinished.lazy.filter { $0.state == .executing }.map(\.operation.id))
    var places: [Int: Int] = [:]
    for line in lines {
      let waiting = line.lazy.filter { !executing.contains($0.id) }
      for (index, operation) in waiting.enumerated() { places[operation.id] = index + 1 }
    }
    return places
  }

  /// Reads what has changed.
  mutating func refresh() {
    removeDropped()
    let page = registry.page(after: builtCount)
    builtCount = page.count
    unfinished += page.operations.map { ($0, .created) }
    var left: [(operation: ObservableOperation, state: OperationState)] = []
    left.reserveCapacity(unfinished.count)
    counts.executing = 0
    for (operation, _) in unfinished {
      let state = operation.state
      switch state {
      case .finished:
        finished.append(operation)
        counts.finished += 1
        if operation.outcome?.failure != nil { counts.failed += 1 }
        continue
      case .executing: counts.executing += 1
      case .created, .pending, .ready: break
      }
      left.append((operation, state))
    }
    unfinished = left
    counts.waiting = left.count - counts.executing
  }

  /// Removes the operations whose records were dropped.
  private mutating func removeDropped() {
    let page = registry.removed(after: removedCount)
    guard page.count != removedCount else { return }
    removedCount = page.count
    guard page.isComplete else {
      finished.removeAll { [registry] in registry.operation(id: $0.id) == nil }
      unfinished.removeAll { [registry] in registry.operation(id: $0.operation.id) == nil }
      return
    }
    let ids = Set(page.ids)
    let before = finished.count
    finished.removeAll { ids.contains($0.id) }
    // Mostly only those that were seen to have finished.
    guard before - finished.count < ids.count else { return }
    unfinished.removeAll { ids.contains($0.operation.id) }
  }

  /// All of them by their ids; the unfinished ones are in that order already.
  private var byID: [ObservableOperation] {
    let ended = finished.sorted { $0.id < $1.id }
    var result: [ObservableOperation] = []
    result.reserveCapacity(ended.count + unfinished.count)
    var place = 0
    for (operation, _) in unfinished {
      while place < ended.count, ended[place].id < operation.id {
        result.append(ended[place])
        place += 1
      }
      result.append(operation)
    }
    return result + ended[place...]
  }

  /// The operations in an order: with all but `id`, those that execute and those that wait come
  /// first, and of the finished ones the latest.
  func ordered(by order: WatchView.Order) -> [ObservableOperation] {
    func those(_ states: OperationState...) -> [ObservableOperation] {
      unfinished.lazy.filter { states.contains($0.state) }.map(\.operation)
    }
    let ended = finished.reversed()
    switch order {
    case .id: return byID
    case .line:
      let waiting = Dictionary(
        unfinished.lazy.filter { $0.state != .executing }.map { ($0.operation.id, $0.operation) },
        uniquingKeysWith: { first, _ in first })
      let inLine = lines.joined().compactMap { waiting[$0.id] }
      let placed = Set(inLine.map(\.id))
      return those(.executing) + inLine
        + those(.ready, .pending, .created).filter { !placed.contains($0.id) } + ended
    case .waiting:
      // What was built first waits longest.
      return those(.ready, .pending) + those(.created) + those(.executing) + ended
    case .priority:
      return sorted(those(.executing, .ready, .pending, .created)) { first, second in
        first > second
      } by: {
        $0.queuePriority.rawValue
      } + ended
    case .queue:
      return sorted(those(.executing) + those(.ready) + those(.pending) + those(.created)) {
        $0 < $1
      } by: {
        $0.queueName ?? ""
      } + ended
    }
  }

  /// Sorts stably by a key that is read once.
  private func sorted<Key>(
    _ operations: [ObservableOperation], _ isBefore: (Key, Key) -> Bool,
    by key: (ObservableOperation) -> Key
  ) -> [ObservableOperation] where Key: Equatable {
    operations.enumerated().map { ($0.offset, $0.element, key($0.element)) }
      .sorted { isBefore($0.2, $1.2) || ($0.2 == $1.2 && $0.0 < $1.0) }
      .map(\.1)
  }

  /// The first operation that waits on each queue, which was added before the others.
  func firstWaiting(on queues: Set<Int>) -> [Int: ObservableOperation] {
    var found: [Int: ObservableOperation] = [:]
    for (operation, state) in unfinished where state == .pending || state == .ready {
      guard found.count < queues.count else { break }
      guard let id = operation.queue?.id, queues.contains(id), found[id] == nil else { continue }
      found[id] = operation
    }
    return found
  }
}

/// The text of a filter: each of its words must occur in an operation's name, kind, queue or state.
struct WatchFilter {
  private let words: [String]

  init(_ text: String) {
    words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
  }

  var isEmpty: Bool { words.isEmpty }

  func matches(_ operation: ObservableOperation) -> Bool {
    var text = "\(operation.displayName) \(operation.kind) \(operation.queueName ?? "") "
    text += operation.state.rawValue + " " + (operation.outcome?.name ?? "")
    if operation.isCancelled { text += " cancelled" }
    let all = text.lowercased()
    return words.allSatisfy(all.contains)
  }
}
