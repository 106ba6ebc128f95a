import OpshSupport

/// The logged changes that the reader of a log has not taken.
///
/// A reader may be slow, as a terminal is, and a change of a list keeps the list before and after it.
/// So beyond a limit changes are left out until the reader has taken all that wait, and the last of
/// these says how many.
struct ChangeLine {
  /// How much may wait: each change counts as one, and so does each operation on its lists.
  static let limit = 250_000

  private var line = FIFO<LoggedChange>()
  private var weight = 0
  /// How many changes after the last one were left out.
  private var leftOut = 0

  var isEmpty: Bool { line.isEmpty }

  /// Adds a change, or leaves it out; a single one is never too much.
  mutating func append(_ change: LoggedChange) {
    guard isEmpty || (leftOut == 0 && weight + change.weight <= Self.limit) else {
      leftOut += 1
      return
    }
    weight += change.weight
    line.append(change)
  }

  /// Takes the changes that come before the entry with that number.
  mutating func take(before sequence: Int) -> [LoggedChange] {
    var taken: [LoggedChange] = []
    while let first = line.first, first.position <= sequence, var change = line.popFirst() {
      weight -= change.weight
      if isEmpty { swap(&change.leftOut, &leftOut) }
      taken.append(change)
    }
    return taken
  }
}

extension LoggedChange {
  fileprivate var weight: Int { 1 + (change.old?.length ?? 0) + (change.new?.length ?? 0) }
}

extension PropertyValue {
  fileprivate var length: Int { if case .operations(let list) = self { list.count } else { 0 } }
}
