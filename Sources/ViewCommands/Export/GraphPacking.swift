/// From left to right: each box, line and group near what it is connected with, none over another.
///
/// In a group, and outside of all, there is one order of what is in it. Each takes its place right of
/// those before it in the layers that it is in, so that a group is a rectangle of its own.
struct GraphPacking {
  /// What is packed: a vertex or a group.
  private enum Child: Hashable {
    case vertex(Int)
    case group(Int)
  }

  private static let rounds = 10
  /// Single lines of a greater graph are not followed, and trying each change would take long.
  private static let mostRefined = 60
  private static let farthestMove = 3

  /// The left edges of the vertices.
  private(set) var x: [Double]
  /// From where to where the frames of groups go.
  private(set) var ranges: [Int: ClosedRange<Double>] = [:]
  private(set) var width = 0.0

  private let vertices: [GraphVertex]
  private let items: [GraphLayout.Item]
  private let spans: [ClosedRange<Int>]
  private var children: [Int?: [Child]] = [:]
  private var neighbours: [[Int]]
  private let segments: [GraphSegment]
  /// Where each child is in its group, and how wide it is.
  private var offsets: [Child: Double] = [:]
  private var widths: [Child: Double] = [:]

  init(
    _ vertices: [GraphVertex], _ segments: [GraphSegment], _ items: [GraphLayout.Item],
    _ spans: [ClosedRange<Int>], _ isGroup: [Bool]
  ) {
    (self.vertices, self.items, self.spans) = (vertices, items, spans)
    self.segments = segments
    x = Array(repeating: 0, count: vertices.count)
    neighbours = Array(repeating: [], count: vertices.count)
    for segment in segments {
      neighbours[segment.from].append(segment.to)
      neighbours[segment.to].append(segment.from)
    }
    for (index, item) in items.enumerated() {
      if isGroup[index] { children[item.parent, default: []].append(.group(index)) }
      children[vertices[index].container, default: []].append(.vertex(index))
    }
  }

  /// Packs again and again, each time in the order of where the connections are, and keeps the
  /// shortest lines.
  mutating func improve() {
    packAll()
    addLines()
    var best = self
    for round in 0..<Self.rounds {
      sort(nil)
      packAll()
      if round == 0 || cost < best.cost { best = self }
    }
    self = best
  }

  /// Moves what is in a small graph from place to place as long as that makes it easier to read.
  mutating func refine() {
    guard segments.count <= Self.mostRefined, vertices.count <= Self.mostRefined else { return }
    var least = effort
    func tries(_ container: Int?, _ change: (inout [Child]) -> Void) {
      let kept = self
      change(&children[container, default: []])
      packAll()
      if effort < least - 0.01 { least = effort } else { self = kept }
    }
    for _ in 0..<Self.rounds / 2 {
      let before = least
      for container in children.keys.sorted(by: { ($0 ?? -1) < ($1 ?? -1) }) {
        tries(container) { $0.reverse() }
        for place in (children[container] ?? []).indices {
          for distance in -Self.farthestMove...Self.farthestMove where distance != 0 {
            tries(container) { children in
              let child = children.remove(at: place)
              children.insert(child, at: min(max(0, place + distance), children.count))
            }
          }
        }
      }
      guard least < before else { return }
    }
  }

  /// How hard it is to follow the lines: how far they go aside, where they cross, and which frames
  /// they pass without ending in them.
  private var effort: Double {
    var effort = cost
    for (index, one) in segments.enumerated() {
      let (left, right) = (middle(of: one.from), middle(of: one.to))
      let layer = vertices[one.from].layer
      for other in segments[(index + 1)...] where vertices[other.from].layer == layer {
        let start = left - middle(of: other.from)
        let end = right - middle(of: other.to)
        if start * end < 0 { effort += 150 }
      }
      for (group, range) in ranges
      where spans[group].contains(layer) && spans[group].contains(layer + 1)
        && min(left, right) < range.upperBound && max(left, right) > range.lowerBound
      {
        if !isInside(one.from, of: group), !isInside(one.to, of: group) { effort += 200 }
      }
    }
    return effort
  }

  private func isInside(_ vertex: Int, of group: Int) -> Bool {
    vertices[vertex].container.map { container in
      sequence(first: container) { items[$0].parent }.contains(group)
    } ?? false
  }

  /// Adds what passes a layer, each between the boxes that it connects.
  private mutating func addLines() {
    let lines = items.count..<vertices.count
    for line in lines {
      children[vertices[line].container, default: []].append(.vertex(line))
      let ends = neighbours[line].filter { $0 < items.count }
      if !ends.isEmpty { x[line] = ends.map(middle).reduce(0, +) / Double(ends.count) }
    }
    for _ in 0..<Self.rounds {
      for line in lines { x[line] = mean([line]) ?? x[line] }
    }
  }

  /// How far the lines go aside, and how wide it all is.
  private var cost: Double {
    segments.reduce(width) { $0 + abs(middle(of: $1.from) - middle(of: $1.to)) }
  }

  private func middle(of vertex: Int) -> Double { x[vertex] + vertices[vertex].width / 2 }

  // MARK: The order

  private mutating func sort(_ container: Int?) {
    let keyed = (children[container] ?? []).enumerated().map { place, child in
      (child: child, key: key(of: child), place: place)
    }
    children[container] = keyed.sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map(\.child)
    for case .group(let group) in children[container] ?? [] { sort(group) }
  }

  /// Where the connections of a child are; the box with the name of a group comes first.
  private func key(of child: Child) -> Double {
    switch child {
    case .vertex(let vertex):
      if isName(child) { return -.infinity }
      return mean([vertex]) ?? middle(of: vertex)
    case .group(let group):
      let inside = allVertices(of: group)
      return mean(inside) ?? inside.first.map(middle) ?? 0
    }
  }

  /// The mean place of what vertices are connected with, apart from one another.
  private func mean(_ vertices: [Int]) -> Double? {
    let own = Set(vertices)
    var (sum, count) = (0.0, 0.0)
    for vertex in vertices {
      for other in neighbours[vertex] where !own.contains(other) {
        sum += middle(of: other)
        count += 1
      }
    }
    return count > 0 ? sum / count : nil
  }

  private func allVertices(of group: Int) -> [Int] {
    (children[group] ?? []).flatMap { child in
      switch child {
      case .vertex(let vertex): [vertex]
      case .group(let inner): allVertices(of: inner)
      }
    }
  }

  // MARK: The places

  private mutating func packAll() {
    width = pack(nil)
    settle(nil, at: 0)
  }

  private func layers(of child: Child) -> ClosedRange<Int> {
    switch child {
    case .vertex(let vertex): vertices[vertex].layer...vertices[vertex].layer
    case .group(let group): spans[group]
    }
  }

  private func isLine(_ child: Child) -> Bool {
    if case .vertex(let vertex) = child { return vertex >= items.count }
    return false
  }

  /// Whether it is the box with the name of the group, which has a layer of its own there.
  private func isName(_ child: Child) -> Bool {
    if case .vertex(let vertex) = child { return vertices[vertex].container == vertex }
    return false
  }

  private func gap(_ left: Child, _ right: Child) -> Double {
    isLine(left) || isLine(right) ? GraphLayout.lineGap : GraphLayout.boxGap
  }

  /// Gives the children of a group their places; returns how wide it is inside.
  private mutating func pack(_ container: Int?) -> Double {
    let children = self.children[container] ?? []
    for child in children {
      switch child {
      case .vertex(let vertex): widths[child] = vertices[vertex].width
      case .group(let group): widths[child] = pack(group) + 2 * GraphLayout.padding
      }
    }
    var last: [Int: Child] = [:]
    var total = 0.0
    for child in children {
      var left = 0.0
      for layer in layers(of: child) {
        if let before = last[layer] { left = max(left, right(of: before) + gap(before, child)) }
        last[layer] = child
      }
      offsets[child] = left
      total = max(total, right(of: child))
    }
    align(children, in: total)
    // Below a long name, in the middle.
    let inside = children.filter { !isName($0) }
    let slack = total - (inside.map(right).max() ?? total)
    for child in inside { offsets[child]? += slack / 2 }
    return total
  }

  private func right(of child: Child) -> Double { (offsets[child] ?? 0) + (widths[child] ?? 0) }

  /// Moves children to where their connections are, as far as there is room.
  private mutating func align(_ children: [Child], in total: Double) {
    for _ in 0..<6 {
      var next: [Int: Child] = [:]
      for child in children.reversed() {
        var most = total - (widths[child] ?? 0)
        for layer in layers(of: child) {
          if let other = next[layer] {
            most = min(
              most, (offsets[other] ?? 0) - gap(child, other) - (widths[child] ?? 0))
          }
          next[layer] = child
        }
        let present = offsets[child] ?? 0
        offsets[child] = max(present, min(most, wanted(child) ?? present))
      }
      var last: [Int: Child] = [:]
      for child in children {
        var least = 0.0
        for layer in layers(of: child) {
          if let before = last[layer] {
            least = max(least, right(of: before) + gap(before, child))
          }
          last[layer] = child
        }
        let present = offsets[child] ?? 0
        offsets[child] = min(present, max(least, wanted(child) ?? present))
      }
    }
  }

  /// Where a child would be below or above what it is connected with in the same group.
  private func wanted(_ child: Child) -> Double? {
    guard case .vertex(let vertex) = child else { return nil }
    if isName(child) { return 0 }
    let container = vertices[vertex].container
    var (sum, count) = (0.0, 0.0)
    for other in neighbours[vertex] {
      guard let place = place(of: other, in: container) else { continue }
      sum += place
      count += 1
    }
    return count > 0 ? sum / count - vertices[vertex].width / 2 : nil
  }

  /// The middle of a vertex, or of the group that it is in, among the children of a container.
  private func place(of vertex: Int, in container: Int?) -> Double? {
    var child = Child.vertex(vertex)
    var around = vertices[vertex].container
    while around != container {
      guard let group = around else { return nil }
      child = .group(group)
      around = items[group].parent
    }
    return (offsets[child] ?? 0) + (widths[child] ?? 0) / 2
  }

  /// Turns the places in groups into those in the picture.
  private mutating func settle(_ container: Int?, at start: Double) {
    for child in children[container] ?? [] {
      let left = start + (offsets[child] ?? 0)
      switch child {
      case .vertex(let vertex): x[vertex] = left
      case .group(let group):
        ranges[group] = left...left + (widths[child] ?? 0)
        settle(group, at: left + GraphLayout.padding)
      }
    }
  }
}
