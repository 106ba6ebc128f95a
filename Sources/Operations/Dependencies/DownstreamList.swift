/// What depends on an operation, in the order in which the dependencies were added.
///
/// The references are weak: a dependent that nobody keeps just disappears. On a queue it is kept
/// by the queue.
struct DownstreamList {
  private struct Entry {
    let id: Int
    weak var operation: ObservableOperation?
  }

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }
  /// How many there are, those that have gone included.
  var count: Int { entries.count }

  /// Adds a dependent.
  ///
  /// - Returns: Operations that had to be held for a moment. The caller must let go of them
  ///   outside the lock.
  mutating func append(_ operation: ObservableOperation) -> [ObservableOperation] {
    var held: [ObservableOperation] = []
    if entries.count >= 16, entries.count == entries.capacity {
      entries.removeAll { entry in
        guard let operation = entry.operation else { return true }
        held.append(operation)
        return false
      }
      entries.reserveCapacity(2 * entries.count)
    }
    entries.append(Entry(id: operation.id, operation: operation))
    return held
  }

  mutating func remove(_ id: Int) {
    if let position = entries.firstIndex(where: { $0.id == id }) {
      entries.remove(at: position)
    }
  }

  /// One of them if it is alive, of which the caller must let go outside the lock.
  func operation(at position: Int) -> ObservableOperation? {
    entries[position].operation
  }

  /// Those that are alive, of which the caller must let go outside the lock.
  func alive() -> [ObservableOperation] {
    entries.compactMap(\.operation)
  }
}
