/// Boxes in layers, each below all that it depends on, frames around the members of groups, and lines
/// that pass no box.
///
/// A line that passes a layer has a place of its own in it, as a box has, and is upright there; it goes
/// aside only between two layers, where no box is. A group has a small box with its name in a
/// layer of its own above its members, and no frame overlaps what is not inside of it.
struct GraphLayout {
  /// What is laid out: a box, or a group with a frame.
  struct Item {
    /// The group that it is in, as a position among the items, before it.
    var parent: Int?
    /// The size of the box; of a group with members that of the box with its name.
    var width: Double
    var height: Double
  }

  /// A line from one item to another one below it.
  struct Edge: Hashable {
    var from: Int
    var to: Int
    var isDashed = false
  }

  /// A part of a line as it is drawn.
  struct Route: Equatable {
    var commands: [SVGPathCommand]
    var isDashed: Bool
    /// Whether it ends at the item that it leads to.
    var hasHead: Bool
  }

  static let boxGap = 22.0
  static let lineGap = 12.0
  static let layerGap = 46.0
  /// The height below the names of groups, where no line begins.
  static let nameGap = 26.0
  static let padding = 14.0

  /// The boxes by item.
  private(set) var boxes: [SVGBuilder.Box] = []
  /// The frames of the groups that have members.
  private(set) var frames: [Int: SVGBuilder.Box] = [:]
  private(set) var routes: [Route] = []
  private(set) var width = 0.0
  private(set) var height = 0.0

  private let items: [Item]
  private let isGroup: [Bool]
  private var vertices: [GraphVertex]
  private var segments: [GraphSegment] = []
  private var layers: (tops: [Double], bottoms: [Double]) = ([], [])

  /// Lays items out.
  ///
  /// - Parameters:
  ///   - items: The items; a group comes before its members.
  ///   - edges: The lines.
  ///   - rowLimit: How many boxes and groups stand in a layer at most, outside of groups.
  ///   - refines: Whether to look for an order in which lines are easier to follow.
  init(_ items: [Item], _ edges: [Edge], rowLimit: Int, refines: Bool = false) {
    self.items = items
    var isGroup = [Bool](repeating: false, count: items.count)
    for item in items { if let parent = item.parent { isGroup[parent] = true } }
    self.isGroup = isGroup
    let spans = GraphLayers(items, isGroup, edges, rowLimit: rowLimit).spans
    vertices = items.enumerated().map { index, item in
      GraphVertex(
        container: isGroup[index] ? index : item.parent, layer: spans[index].lowerBound,
        width: item.width)
    }
    addSegments(edges, spans)
    var packing = GraphPacking(vertices, segments, items, spans, isGroup)
    packing.improve()
    if refines { packing.refine() }
    for index in vertices.indices { vertices[index].x = packing.x[index] }
    width = packing.width
    placeLayers(spans)
    boxes = items.indices.map { index in
      let vertex = vertices[index]
      return .init(
        x: vertex.x, y: layers.tops[vertex.layer], width: vertex.width,
        height: items[index].height)
    }
    placeFrames(spans, packing)
    routes =
      GraphRoutes(
        vertices, segments, boxes: boxes, frames: frames, tops: layers.tops,
        bottoms: layers.bottoms
      ).routes
  }

  // MARK: Lines

  private func ancestors(of item: Int) -> [Int] {
    Array(sequence(first: item) { self.items[$0].parent }.dropFirst())
  }

  /// Divides lines into segments between neighbouring layers.
  ///
  /// Lines to or from one item share their places in the layers between.
  private mutating func addSegments(_ edges: [Edge], _ spans: [ClosedRange<Int>]) {
    var outgoing = [Int](repeating: 0, count: items.count)
    var incoming = outgoing
    for edge in edges {
      outgoing[edge.from] += 1
      incoming[edge.to] += 1
    }
    var places: [GraphBundle: Int] = [:]
    var seen: Set<GraphSegment> = []
    for edge in edges where edge.from != edge.to {
      let isInside =
        ancestors(of: edge.from).contains(edge.to) || ancestors(of: edge.to).contains(edge.from)
      func span(_ item: Int) -> ClosedRange<Int> {
        isInside ? vertices[item].layer...vertices[item].layer : spans[item]
      }
      var isReversed = span(edge.to).upperBound < span(edge.from).lowerBound
      let isApart = isReversed || span(edge.from).upperBound < span(edge.to).lowerBound
      // Of groups beside one another, the names are connected.
      if !isApart { isReversed = vertices[edge.to].layer < vertices[edge.from].layer }
      let usesFrame = isApart && !isInside
      let (upper, lower) = isReversed ? (edge.to, edge.from) : (edge.from, edge.to)
      let start = isApart ? span(upper).upperBound : vertices[upper].layer
      let end = isApart ? span(lower).lowerBound : vertices[lower].layer
      let around = common(upper, lower, usesFrame: usesFrame)
      var chain = [upper]
      let isByUpper = isReversed == (incoming[edge.to] >= outgoing[edge.from])
      for layer in stride(from: start + 1, to: end, by: 1) {
        let bundle = GraphBundle(
          item: isByUpper ? upper : lower, isUpper: isByUpper, layer: layer,
          isDashed: edge.isDashed, isReversed: isReversed)
        let place = places[bundle] ?? vertices.count
        if place == vertices.count {
          places[bundle] = place
          vertices.append(GraphVertex(container: around, layer: layer, width: 2))
        }
        chain.append(place)
      }
      chain.append(lower)
      for (index, (from, to)) in zip(chain, chain.dropFirst()).enumerated() {
        let segment = GraphSegment(
          from: from, to: to, isDashed: edge.isDashed, isReversed: isReversed,
          fromFrame: usesFrame && index == 0 && isGroup[upper],
          toFrame: usesFrame && index == chain.count - 2 && isGroup[lower])
        if seen.insert(segment).inserted { segments.append(segment) }
      }
    }
  }

  /// The group around two items that is nearest to both; the name of a group is inside of it.
  private func common(_ one: Int, _ other: Int, usesFrame: Bool) -> Int? {
    func around(_ item: Int) -> [Int] {
      (isGroup[item] && !usesFrame ? [item] : []) + ancestors(of: item)
    }
    let others = Set(around(other))
    return around(one).first(where: others.contains)
  }

  // MARK: Heights

  /// How many frames end below a group's last layer: its own and those inside that end there.
  private func depth(of group: Int, _ spans: [ClosedRange<Int>]) -> Int {
    let inner = items.indices.filter { items[$0].parent == group && isGroup[$0] }
    return 1
      + (inner.filter { spans[$0].upperBound == spans[group].upperBound }
        .map { depth(of: $0, spans) }.max() ?? 0)
  }

  private mutating func placeLayers(_ spans: [ClosedRange<Int>]) {
    let count = (vertices.map(\.layer).max() ?? 0) + 1
    var heights = [Double](repeating: 0, count: count)
    var above = [Double](repeating: 0, count: count)
    var below = above
    var hasBoxes = [Bool](repeating: false, count: count)
    for index in items.indices {
      heights[vertices[index].layer] = max(heights[vertices[index].layer], items[index].height)
      guard isGroup[index] else {
        hasBoxes[vertices[index].layer] = true
        continue
      }
      above[spans[index].lowerBound] = Self.padding
      let end = spans[index].upperBound
      below[end] = max(below[end], Double(depth(of: index, spans)) * Self.padding)
    }
    var y = 0.0
    for layer in 0..<count {
      y += above[layer]
      layers.tops.append(y)
      layers.bottoms.append(y + heights[layer])
      y += heights[layer] + below[layer]
      if layer < count - 1 { y += hasBoxes[layer] ? Self.layerGap : Self.nameGap }
    }
    // A line between two boxes of the last layer is below them.
    let hasLineBelow = segments.contains { segment in
      segment.isLevel(vertices) && vertices[segment.from].layer == count - 1
    }
    height = y + (hasLineBelow ? Self.layerGap : 0)
  }

  private mutating func placeFrames(_ spans: [ClosedRange<Int>], _ packing: GraphPacking) {
    for index in items.indices where isGroup[index] {
      let range = packing.ranges[index] ?? 0...0
      let top = layers.tops[spans[index].lowerBound] - Self.padding
      let bottom =
        layers.bottoms[spans[index].upperBound]
        + Double(depth(of: index, spans)) * Self.padding
      frames[index] = .init(
        x: range.lowerBound, y: top, width: range.upperBound - range.lowerBound,
        height: bottom - top)
    }
  }
}

/// What has a place in a layer: the box of an item, or a line that passes.
struct GraphVertex {
  /// The group that it is in; the box with the name of a group is inside of that.
  let container: Int?
  let layer: Int
  let width: Double
  var x = 0.0

  var middle: Double { x + width / 2 }
}

/// A part of lines between two neighbouring layers, or between two boxes of one.
struct GraphSegment: Hashable {
  let from: Int
  let to: Int
  let isDashed: Bool
  /// Whether the item that it leads to is the upper one.
  let isReversed: Bool
  /// Whether it begins, or ends, at the frame of the group.
  let fromFrame: Bool
  let toFrame: Bool

  /// Whether it connects two boxes of one layer.
  func isLevel(_ vertices: [GraphVertex]) -> Bool {
    vertices[from].layer == vertices[to].layer && !fromFrame && !toFrame
  }
}

/// Lines that share a place in a layer.
private struct GraphBundle: Hashable {
  let item: Int
  let isUpper: Bool
  let layer: Int
  let isDashed: Bool
  let isReversed: Bool
}
