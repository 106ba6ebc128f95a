/// Which layers the items of a graph are in: a box in one, a group from that of its name to that of
/// its last member.
struct GraphLayers {
  /// The layers of each item.
  private(set) var spans: [ClosedRange<Int>]

  /// What comes below what, and how many layers at least: a point for each item, and one for the end
  /// of each group.
  private var below: [[(point: Int, distance: Int)]]

  /// Assigns layers.
  ///
  /// Lines that lead round in a circle are left out where they would close it.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - isGroup: Which of them are groups with members.
  ///   - edges: The lines.
  ///   - rowLimit: How many boxes and groups stand in a layer at most, outside of groups.
  init(
    _ items: [GraphLayout.Item], _ isGroup: [Bool], _ edges: [GraphLayout.Edge], rowLimit: Int
  ) {
    let count = items.count
    below = Array(repeating: [], count: 2 * count)
    for (index, item) in items.enumerated() {
      guard let parent = item.parent else { continue }
      below[parent].append((index, 1))
      below[isGroup[index] ? count + index : index].append((count + parent, 0))
    }
    for index in items.indices where isGroup[index] { below[index].append((count + index, 0)) }
    let lines = edges.lazy.filter { $0.from != $0.to }.map { edge in
      (from: isGroup[edge.from] ? count + edge.from : edge.from, to: edge.to)
    }
    let inside = below
    for line in lines { below[line.from].append((line.to, 1)) }
    spans = Array(repeating: 0...0, count: count)
    var order = sorted()
    if order.count < below.count {
      below = inside
      for line in lines where !leads(from: line.to, to: line.from) {
        below[line.from].append((line.to, 1))
      }
      order = sorted()
    }
    var layer = [Int](repeating: 0, count: 2 * count)
    var memberCounts = [Int](repeating: 0, count: count)
    for item in items { if let parent = item.parent { memberCounts[parent] += 1 } }
    // How many boxes and groups stand in each layer of each group, and outside of all.
    var taken: [[Int]: Int] = [:]
    for point in order {
      if point < count {
        let parent = items[point].parent
        let limit =
          parent.map { min(rowLimit, max(3, Int(1.4 * Double(memberCounts[$0]).squareRoot()))) }
          ?? rowLimit
        while taken[[parent ?? -1, layer[point]], default: 0] >= limit { layer[point] += 1 }
        taken[[parent ?? -1, layer[point]], default: 0] += 1
      }
      for next in below[point] {
        layer[next.point] = max(layer[next.point], layer[point] + next.distance)
      }
    }
    for index in items.indices {
      spans[index] = layer[index]...(isGroup[index] ? layer[count + index] : layer[index])
    }
  }

  /// The points by how much comes before them, so that a full layer does not push what begins early
  /// below what ends late; without those of a circle and what is below it.
  private func sorted() -> [Int] {
    var missing = [Int](repeating: 0, count: below.count)
    for next in below.joined() { missing[next.point] += 1 }
    var order = missing.indices.filter { missing[$0] == 0 }
    var next = 0
    while next < order.count {
      for other in below[order[next]] {
        missing[other.point] -= 1
        if missing[other.point] == 0 { order.append(other.point) }
      }
      next += 1
    }
    return order
  }

  /// Whether one point comes before another.
  private func leads(from start: Int, to end: Int) -> Bool {
    var seen: Set<Int> = [start]
    var left = [start]
    while let point = left.popLast() {
      if point == end { return true }
      for next in below[point] where seen.insert(next.point).inserted { left.append(next.point) }
    }
    return false
  }
}
