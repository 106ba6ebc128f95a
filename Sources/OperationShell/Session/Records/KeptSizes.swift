/// What finished operations keep besides their records, in the order in which they finished, and what
/// of it goes when that is too much.
///
/// Values go first, the oldest first. One that an unfinished operation may still take stays until
/// that has finished, and the newest always stays: a limit that is too small for a single value
/// would otherwise make every value unreadable.
struct KeptSizes: Sendable {
  private var sizes: [Int: KeptSize] = [:]
  /// Those with a value and those with texts; some may be gone.
  private var withValue = Backlog()
  private var withText = Backlog()
  private var newest: Int?
  /// How many unfinished operations have to finish before a value is looked at again.
  private var awaited: [Int: Int] = [:]
  private(set) var total = KeptSize()

  var isAwaitingAny: Bool { !awaited.isEmpty }

  /// Notes what an operation keeps that has just finished.
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

  /// Notes that the record of an operation is gone.
  mutating func remove(_ id: Int) {
    guard let size = sizes.removeValue(forKey: id) else { return }
    total.value -= size.value
    total.text -= size.text
    awaited[id] = nil
    // Records that go because of their number are those at the front.
    withValue.dropFirst { sizes[$0] == nil }
    withText.dropFirst { sizes[$0] == nil }
  }

  /// The operation whose value goes next; nil while all of them and all texts fit into the limit.
  ///
  /// It is given out once; ``valueDropped(_:)`` or ``hold(_:for:)`` says what became of it.
  mutating func nextValue(beyond limit: Int) -> Int? {
    guard total.total > limit else { return nil }
    guard let id = withValue.popFirst(where: { (sizes[$0]?.value ?? 0) > 0 }) else { return nil }
    if id == newest {
      withValue.putBack(id)
      return nil
    }
    return id
  }

  /// Notes that the value of an operation was dropped.
  mutating func valueDropped(_ id: Int) {
    guard let size = sizes[id] else { return }
    total.value -= size.value
    sizes[id]?.value = 0
  }

  /// Notes that so many unfinished operations may still take the value of one.
  mutating func hold(_ id: Int, for dependents: Int) { awaited[id] = dependents }

  /// Notes that one of those has finished that depend on an operation.
  mutating func dependentFinished(of id: Int) {
    guard let count = awaited[id] else { return }
    awaited[id] = count > 1 ? count - 1 : nil
    if count <= 1 { withValue.putBack(id) }
  }

  /// Has all values looked at again.
  mutating func forgetAwaited() {
    for id in awaited.keys.sorted(by: >) { withValue.putBack(id) }
    awaited = [:]
  }

  /// The operation whose record goes next because texts alone are too much; nil while they fit.
  mutating func nextRecord(beyond limit: Int) -> Int? {
    guard total.text > limit else { return nil }
    return withText.popFirst { sizes[$0] != nil }
  }
}

/// Numbers that are taken out at the front.
private struct Backlog: Sendable {
  private var elements: [Int] = []
  private var first = 0
  /// What was put back goes before all others, the latest first.
  private var returned: [Int] = []

  mutating func append(_ element: Int) { elements.append(element) }

  mutating func putBack(_ element: Int) { returned.append(element) }

  /// Takes the first out that is wanted; those before it are thrown away.
  mutating func popFirst(where isWanted: (Int) -> Bool) -> Int? {
    while let element = returned.popLast() {
      if isWanted(element) { return element }
    }
    dropFirst { !isWanted($0) }
    guard first < elements.count else { return nil }
    defer { first += 1 }
    return elements[first]
  }

  /// Throws those at the front away that are not wanted any more.
  mutating func dropFirst(while isUnwanted: (Int) -> Bool) {
    while first < elements.count, isUnwanted(elements[first]) { first += 1 }
    if first > 1024, first * 2 > elements.count {
      elements.removeFirst(first)
      first = 0
    }
  }
}
