import OpshSupport

/// Sizes of finished operations, in the order in which they finished, and which of them are dropped
/// when they exceed the limit.
///
/// Values are dropped first, oldest first. A value that an unfinished operation may still read
/// stays until that operation has finished, and the newest always stays: with a limit that is too
/// small for a single value, every value would otherwise be unreadable.
struct KeptSizes: Sendable {
  private var sizes: [Int: KeptSize] = [:]
  /// Operations with a value and operations with texts; some may have been dropped.
  private var withValue = Backlog()
  private var withText = Backlog()
  private var newest: Int?
  /// How many unfinished operations have to finish before a value is examined again.
  private var awaited: [Int: Int] = [:]
  private(set) var total = KeptSize()

  var isAwaitingAny: Bool { !awaited.isEmpty }

  /// Records the size of an operation that has just finished.
  mutating func add(_ id: Int, _ size: KeptSize) {
    guard size.total > 0 else { return }
    sizes[id] = size
    total.value += size.value
    total.text += size.text
    if size.value > 0 {
      withValue.append(id)
      newest = id
    }
    if size.text > 0 { withText.append(id) }
  }

  /// Records that the record of an operation was dropped.
  mutating func remove(_ id: Int) {
    guard let size = sizes.removeValue(forKey: id) else { return }
    total.value -= size.value
    total.text -= size.text
    awaited[id] = nil
    // Records that are dropped because of their number are at the front.
    withValue.dropFirst { sizes[$0] == nil }
    withText.dropFirst { sizes[$0] == nil }
  }

  /// Returns the operation whose value is dropped next; nil if everything fits into the limit.
  ///
  /// Each is returned once; ``valueDropped(_:)`` or ``hold(_:for:)`` then reports the result.
  mutating func nextValue(beyond limit: Int) -> Int? {
    guard total.total > limit else { return nil }
    guard let id = withValue.popFirst(where: { (sizes[$0]?.value ?? 0) > 0 }) else { return nil }
    if id == newest {
      withValue.putBack(id)
      return nil
    }
    return id
  }

  /// Records that the value of an operation was dropped.
  mutating func valueDropped(_ id: Int) {
    guard let size = sizes[id] else { return }
    total.value -= size.value
    sizes[id]?.value = 0
  }

  /// Records how many unfinished operations may still read an operation's value.
  mutating func hold(_ id: Int, for dependents: Int) { awaited[id] = dependents }

  /// Records that a dependent of an operation has finished.
  mutating func dependentFinished(of id: Int) {
    guard let count = awaited[id] else { return }
    awaited[id] = count > 1 ? count - 1 : nil
    if count <= 1 { withValue.putBack(id) }
  }

  /// Makes all values candidates again.
  mutating func forgetAwaited() {
    for id in awaited.keys.sorted(by: >) { withValue.putBack(id) }
    awaited = [:]
  }

  /// Returns the operation whose record is dropped next because texts exceed the limit; otherwise
  /// nil.
  mutating func nextRecord(beyond limit: Int) -> Int? {
    guard total.text > limit else { return nil }
    return withText.popFirst { sizes[$0] != nil }
  }
}

/// A queue of numbers that are removed at the front.
private struct Backlog: Sendable {
  private var line = FIFO<Int>()
  /// Returned numbers come before all others, the latest first.
  private var returned: [Int] = []

  mutating func append(_ element: Int) { line.append(element) }

  mutating func putBack(_ element: Int) { returned.append(element) }

  /// Removes and returns the first matching number; discards those before it.
  mutating func popFirst(where isWanted: (Int) -> Bool) -> Int? {
    while let element = returned.popLast() ?? line.popFirst() {
      if isWanted(element) { return element }
    }
    return nil
  }

  /// Discards numbers at the front while they match.
  mutating func dropFirst(while isUnwanted: (Int) -> Bool) {
    while let element = line.first, isUnwanted(element) { _ = line.popFirst() }
  }
}
