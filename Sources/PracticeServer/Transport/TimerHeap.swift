/// Holds values by the time at which they are due, the earliest first.
///
/// Values that are due at the same time come out in the order in which they went in.
struct TimerHeap<Value> {
  private struct Entry {
    let deadline: UInt64
    let order: UInt64
    let value: Value

    func precedes(_ other: Entry) -> Bool {
      deadline != other.deadline ? deadline < other.deadline : order < other.order
    }
  }

  private var entries: [Entry] = []
  private var nextOrder: UInt64 = 0

  /// Creates an empty heap.
  init() {}

  /// The earliest time at which something is due.
  var nextDeadline: UInt64? { entries.first?.deadline }

  /// Adds a value that is due at a time.
  mutating func insert(_ value: Value, at deadline: UInt64) {
    entries.append(Entry(deadline: deadline, order: nextOrder, value: value))
    nextOrder += 1
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].precedes(entries[parent]) else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the earliest value out if it is due.
  ///
  /// - Parameter now: The present time.
  /// - Returns: A value whose time is not after `now`, or nil.
  mutating func removeNext(dueAt now: UInt64) -> Value? {
    guard let first = entries.first, first.deadline <= now else { return nil }
    let last = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = last
      sink()
    }
    return first.value
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
        if entries[child].precedes(entries[least]) { least = child }
      }
      guard least != parent else { return }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
