/// The part of a collection that a request asks for: which items, in which order, and how many.
struct Selection<Item> {
  /// The conditions, all of which an item has to meet.
  var conditions: [(Item) -> Bool] = []
  /// The comparisons, each below, at or above 0; the first that tells two items apart decides.
  var order: [(Item, Item) -> Int] = []
  var part: Part

  /// Finds what is asked for; of equal items those that come first stay first.
  func run(on items: [Item]) -> Found<Item> {
    var found = conditions.isEmpty ? items : items.filter { item in meets(item) }
    if !order.isEmpty {
      found.sort { left, right in
        for compare in order {
          let sign = compare(left, right)
          if sign != 0 { return sign < 0 }
        }
        return false
      }
    }
    return Found(
      items: Array(found[part.range(in: found.count)]), total: found.count,
      hasMore: part.hasMore(in: found.count))
  }

  private func meets(_ item: Item) -> Bool {
    for condition in conditions where !condition(item) { return false }
    return true
  }
}

/// The part of a collection that a request has found.
struct Found<Item> {
  var items: [Item]
  /// The number of items in all parts.
  var total: Int
  var hasMore: Bool

  /// The same part with other items in it.
  func map<Other>(_ transform: (Item) -> Other) -> Found<Other> {
    Found<Other>(items: items.map(transform), total: total, hasMore: hasMore)
  }
}

/// A part of a list.
struct Part: Equatable {
  let start: Int
  let size: Int

  init(start: Int = 0, size: Int) { (self.start, self.size) = (start, size) }

  /// A page, the first of which has the number 1.
  init(page: Int, size: Int) {
    let (start, overflow) = (page - 1).multipliedReportingOverflow(by: size)
    self.init(start: overflow ? .max : start, size: size)
  }

  /// The positions in a list of a given length that the part shows.
  func range(in count: Int) -> Range<Int> {
    let start = min(start, count)
    return start..<start + min(size, count - start)
  }

  /// Returns true if a list of a given length goes on after the part.
  func hasMore(in count: Int) -> Bool {
    let (end, overflow) = start.addingReportingOverflow(size)
    return !overflow && end < count
  }
}
