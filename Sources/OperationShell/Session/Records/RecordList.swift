/// Elements in the order in which they were added, of which any can be taken away again.
///
/// Each has a number: 1 for the first one ever, and no number comes twice. What is taken away leaves
/// a gap; the gaps are closed when they are a fifth of all.
struct RecordList<Element: Sendable>: Sendable {
  private struct Entry: Sendable {
    let number: Int
    var element: Element?
  }

  private var entries: [Entry] = []
  private var gaps = 0
  /// The number of the latest; also how many were ever added.
  private(set) var lastNumber = 0

  /// How many there are.
  var count: Int { entries.count - gaps }

  /// All of them; takes time for each.
  var all: [Element] { entries.compactMap(\.element) }

  /// The one of a number, if it is there; takes time in proportion to the logarithm of the count.
  subscript(number: Int) -> Element? {
    let index = position(after: number - 1)
    guard index < entries.count, entries[index].number == number else { return nil }
    return entries[index].element
  }

  /// Changes the one of a number, if it is there.
  mutating func update(_ number: Int, _ change: (inout Element) -> Void) {
    let index = position(after: number - 1)
    guard index < entries.count, entries[index].number == number,
      var element = entries[index].element
    else { return }
    entries[index].element = nil
    change(&element)
    entries[index].element = element
  }

  /// Those with a greater number than this.
  func added(after number: Int) -> [Element] {
    entries[position(after: number)...].compactMap(\.element)
  }

  /// Adds one at the end and returns its number.
  mutating func append(_ element: Element) -> Int {
    lastNumber += 1
    entries.append(Entry(number: lastNumber, element: element))
    return lastNumber
  }

  /// Takes the one of that number away, if it is there.
  mutating func remove(_ number: Int) {
    let index = position(after: number - 1)
    guard index < entries.count, entries[index].number == number, entries[index].element != nil
    else { return }
    entries[index].element = nil
    gaps += 1
    if gaps >= 64, gaps * 5 > entries.count {
      entries.removeAll { $0.element == nil }
      gaps = 0
      // A copy has room for no more than there is.
      if entries.capacity > 4 * entries.count + 1024 { entries = entries.map { $0 } }
    }
  }

  /// Where the first one with a greater number stands.
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
