/// Elements in the order in which they were added, any of which can be removed.
///
/// Each has a number, starting with 1; numbers are not reused. Removal leaves a gap; gaps are
/// closed when they are a fifth of the list.
struct RecordList<Element: Sendable>: Sendable {
  private struct Entry: Sendable {
    let number: Int
    var element: Element?
  }

  private var entries: [Entry] = []
  private var gaps = 0
  /// The number of the latest element; also the number of elements ever added.
  private(set) var lastNumber = 0

  /// The number of elements.
  var count: Int { entries.count - gaps }

  /// All elements; takes linear time.
  var all: [Element] { entries.compactMap(\.element) }

  /// The element with a number, if present; takes logarithmic time.
  subscript(number: Int) -> Element? {
    let index = position(after: number - 1)
    guard index < entries.count, entries[index].number == number else { return nil }
    return entries[index].element
  }

  /// Updates the element with a number, if present.
  mutating func update(_ number: Int, _ change: (inout Element) -> Void) {
    let index = position(after: number - 1)
    guard index < entries.count, entries[index].number == number,
      var element = entries[index].element
    else { return }
    entries[index].element = nil
    change(&element)
    entries[index].element = element
  }

  /// Returns the elements with a greater number.
  func added(after number: Int) -> [Element] {
    entries[position(after: number)...].compactMap(\.element)
  }

  /// Appends an element and returns its number.
  mutating func append(_ element: Element) -> Int {
    lastNumber += 1
    entries.append(Entry(number: lastNumber, element: element))
    return lastNumber
  }

  /// Removes the element with a number, if present.
  mutating func remove(_ number: Int) {
    let index = position(after: number - 1)
    guard index < entries.count, entries[index].number == number, entries[index].element != nil
    else { return }
    entries[index].element = nil
    gaps += 1
    if gaps >= 64, gaps * 5 > entries.count {
      entries.removeAll { $0.element == nil }
      gaps = 0
      // A copy has the least capacity.
      if entries.capacity > 4 * entries.count + 1024 { entries = entries.map { $0 } }
    }
  }

  /// The position of the first element with a greater number.
  private func position(after number: Int) -> Int {
    var lower = 0
    var upper = entries.count
    while lower < upper {
      let middle = (lower + upper) / 2
      if entries[middle].number <= number { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }
}
