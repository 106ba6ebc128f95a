import CommandParts

/// The lines of a drawn graph: each node that others depend on has a lane from its row down to the
/// row of the last of these.
struct DependencyLanes {
  /// The lanes at one node.
  struct Row {
    /// The column of the node.
    let column: Int
    /// The columns of its dependencies' lanes.
    let dependencies: Set<Int>
    /// The lanes in use above the node, and below.
    let above: Set<Int>
    let below: Set<Int>
  }

  private(set) var rows: [Row] = []
  /// How many lanes are in use side by side.
  private(set) var count = 0

  /// Assigns the lanes; nil if more are needed than there is room for.
  ///
  /// A node goes on in the lane of a dependency that ends with it, or takes the first free one.
  /// Takes time proportional to the nodes and the limit.
  ///
  /// - Parameters:
  ///   - graph: The nodes by layer.
  ///   - limit: The greatest number of lanes.
  init?(_ graph: DependencyGraph, limit: Int) {
    var lanes: [Int: Int] = [:]
    var used: Set<Int> = []
    var left = graph.nodes.map(\.dependentCount)
    for (position, node) in graph.nodes.enumerated() {
      let above = used
      var columns: Set<Int> = []
      var ending: [Int] = []
      // One that is drawn below is in a cycle with this one, and has no lane yet.
      for other in node.dependencies where other < position {
        guard let column = lanes[other] else { continue }
        columns.insert(column)
        left[other] -= 1
        if left[other] == 0 { ending.append(column) }
      }
      used.subtract(ending)
      let free = (0...limit).first { !used.contains($0) } ?? limit
      let column = ending.min() ?? free
      guard column < limit else { return nil }
      count = max(count, column + 1)
      if left[position] > 0 {
        lanes[position] = column
        used.insert(column)
      }
      rows.append(Row(column: column, dependencies: columns, above: above, below: used))
    }
  }
}

extension DependencyLanes.Row {
  /// The lines that lead from the dependencies to the node; empty without dependencies.
  func connection(of count: Int) -> String {
    guard let first = dependencies.min(), let last = dependencies.max() else { return "" }
    let span = min(first, column)...max(last, column)
    return (0..<count).map { place in
      let isJoined = place == column || dependencies.contains(place)
      let sign: Character
      if isJoined {
        sign = Self.sign(
          up: dependencies.contains(place) || place != column && above.contains(place),
          down: place == column || below.contains(place),
          left: place > span.lowerBound, right: place < span.upperBound)
      } else if above.contains(place) {
        sign = "│"
      } else {
        sign = span.contains(place) ? "─" : " "
      }
      let isWithin = span.contains(place) && place < span.upperBound
      return String(sign) + (isWithin ? "─" : " ")
    }.joined()
  }

  /// The lanes to the left of the node, and to the right.
  func lanes(of count: Int) -> (left: String, right: String) {
    func lane(_ place: Int) -> String { below.contains(place) ? "│ " : "  " }
    return (
      (0..<column).map(lane).joined(),
      " " + (column + 1..<max(count, column + 1)).map(lane).joined()
    )
  }

  private static func sign(up: Bool, down: Bool, left: Bool, right: Bool) -> Character {
    switch (up, down, left, right) {
    case (true, true, true, true): "┼"
    case (true, true, false, true): "├"
    case (true, true, true, false): "┤"
    case (true, false, true, true): "┴"
    case (false, true, true, true): "┬"
    case (true, false, true, false): "╯"
    case (true, false, false, true): "╰"
    case (false, true, true, false): "╮"
    case (false, true, false, true): "╭"
    case (false, false, _, _): "─"
    case (_, _, false, false): "│"
    }
  }
}
