import Foundation
import OpshSupport

/// Operations that may start, in the order of starting: by priority, and then by rank.
///
/// An entry goes out of date when its operation gets another priority or does not need to start any
/// more. It is passed over when it comes up. An operation may have several entries of the same rank,
/// of which the first counts.
struct ReadyOrder {
  private struct Entry: Comparable {
    let order: Int
    let operation: ObservableOperation

    static func < (left: Entry, right: Entry) -> Bool { left.order < right.order }
    static func == (left: Entry, right: Entry) -> Bool { left.order == right.order }
  }

  private var levels = [Heap<Entry>](repeating: Heap(), count: 5)
  private(set) var count = 0

  /// How many entries each level has, the highest first.
  var counts: [Int] { levels.map(\.count) }

  mutating func insert(_ operation: ObservableOperation) {
    levels[Self.level(of: operation)].insert(
      Entry(order: operation.core.order, operation: operation))
    count += 1
  }

  /// Takes out the operation whose turn it is, of those that may start at all.
  ///
  /// References that went out of date are added to `released`.
  mutating func popFirst(
    where isWanted: (ObservableOperation) -> Bool, released: inout [AnyObject]
  ) -> ObservableOperation? {
    for level in levels.indices where levels[level].count > 0 {
      while let entry = levels[level].popFirst() {
        count -= 1
        if isCurrent(entry, level), isWanted(entry.operation) { return entry.operation }
        released.append(entry.operation)
      }
    }
    return nil
  }

  /// The operation whose turn it is, after letting go of what is out of date.
  mutating func first(
    where isWanted: (ObservableOperation) -> Bool, released: inout [AnyObject]
  ) -> ObservableOperation? {
    for level in levels.indices {
      while let entry = levels[level].first {
        if isCurrent(entry, level), isWanted(entry.operation) { return entry.operation }
        _ = levels[level].popFirst()
        count -= 1
        released.append(entry.operation)
      }
    }
    return nil
  }

  /// Lets go of what is out of date.
  mutating func sweep(
    where isWanted: (ObservableOperation) -> Bool, released: inout [AnyObject]
  ) {
    for level in levels.indices {
      let entries = levels[level].takeAll()
      count -= entries.count
      var lastOrder = Int.min
      for entry in entries.sorted() {
        // One that was offered again without another rank is there more than once.
        if isCurrent(entry, level), isWanted(entry.operation), entry.order != lastOrder {
          levels[level].insert(entry)
          lastOrder = entry.order
          count += 1
        } else {
          released.append(entry.operation)
        }
      }
    }
  }

  /// Takes everything out, and returns what is not out of date, once each.
  mutating func takeAll(
    where isWanted: (ObservableOperation) -> Bool, released: inout [AnyObject]
  ) -> [ObservableOperation] {
    guard count > 0 else { return [] }
    sweep(where: isWanted, released: &released)
    let all = levels.indices.flatMap { levels[$0].takeAll().sorted().map(\.operation) }
    count = 0
    return all
  }

  /// How many of those that may start stand at each level, the highest priority first.
  func counts(where isWanted: (ObservableOperation) -> Bool) -> [Int] {
    levels.indices.map { level in
      var orders: Set<Int> = []
      levels[level].forEach { entry in
        if isCurrent(entry, level), isWanted(entry.operation) { orders.insert(entry.order) }
      }
      return orders.count
    }
  }

  private func isCurrent(_ entry: Entry, _ level: Int) -> Bool {
    entry.operation.core.order == entry.order && Self.level(of: entry.operation) == level
  }

  static func level(of operation: ObservableOperation) -> Int {
    // Foundation's levels are -8, -4, 0, 4 and 8.
    min(max((8 - operation.core.priority.rawValue) / 4, 0), 4)
  }
}
