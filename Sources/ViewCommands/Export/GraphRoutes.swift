/// The lines of a graph as paths: upright in the layers, and from side to side between two of them.
struct GraphRoutes {
  private(set) var routes: [GraphLayout.Route] = []

  private let vertices: [GraphVertex]
  private let segments: [GraphSegment]
  private let boxes: [SVGBuilder.Box]
  private let frames: [Int: SVGBuilder.Box]
  private let tops: [Double]
  private let bottoms: [Double]

  init(
    _ vertices: [GraphVertex], _ segments: [GraphSegment], boxes: [SVGBuilder.Box],
    frames: [Int: SVGBuilder.Box], tops: [Double], bottoms: [Double]
  ) {
    (self.vertices, self.segments) = (vertices, segments)
    (self.boxes, self.frames, self.tops, self.bottoms) = (boxes, frames, tops, bottoms)
    let starts = ports { ($0.from, $0.to, $0.fromFrame) }
    let ends = ports { ($0.to, $0.from, $0.toFrame) }
    for (index, segment) in segments.enumerated() {
      routes.append(route(segment, starts[index], ends[index]))
    }
  }

  /// Where the segments meet their boxes: side by side, in the order of where they come from.
  private func ports(
    _ ends: (GraphSegment) -> (own: Int, other: Int, isFrame: Bool)
  ) -> [Double] {
    var places = [Double](repeating: 0, count: segments.count)
    let groups = Dictionary(grouping: segments.indices) { index in
      let end = ends(segments[index])
      return [end.own, end.isFrame ? 1 : 0]
    }
    for indices in groups.values {
      let first = ends(segments[indices[0]])
      let box =
        first.own < boxes.count
        ? first.isFrame ? frames[first.own] ?? boxes[first.own] : boxes[first.own] : nil
      guard let box else {
        for index in indices { places[index] = vertices[first.own].middle }
        continue
      }
      let sorted = indices.sorted {
        (vertices[ends(segments[$0]).other].middle, $0)
          < (vertices[ends(segments[$1]).other].middle, $1)
      }
      let pitch = min(16, box.width * 0.7 / Double(max(1, sorted.count - 1)))
      let left = box.x + (box.width - pitch * Double(sorted.count - 1)) / 2
      for (place, index) in sorted.enumerated() { places[index] = left + pitch * Double(place) }
    }
    return places
  }

  private func route(_ segment: GraphSegment, _ startX: Double, _ endX: Double)
    -> GraphLayout.Route
  {
    let (from, to) = (vertices[segment.from], vertices[segment.to])
    let fromBox = segment.from < boxes.count ? boxes[segment.from] : nil
    let toBox = segment.to < boxes.count ? boxes[segment.to] : nil
    var commands: [SVGPathCommand] = []
    // In its layer a line is upright: from the top of the layer, or from the bottom of its box.
    let start: SVGPoint
    if segment.fromFrame, let frame = frames[segment.from] {
      start = SVGPoint(x: startX, y: frame.bottom)
      commands.append(.move(start))
    } else {
      start = SVGPoint(x: startX, y: bottoms[from.layer])
      let first = fromBox?.bottom ?? tops[from.layer]
      commands.append(.move(SVGPoint(x: startX, y: first)))
      if first < start.y { commands.append(.line(start)) }
    }
    if segment.isLevel(vertices) {
      // Two boxes of one layer, in a circle: below both, three quarters as deep as these points.
      let next =
        from.layer + 1 < tops.count ? tops[from.layer + 1] : start.y + GraphLayout.layerGap
      let depth = start.y + (next - start.y) * 1.2
      commands.append(
        .curve(
          SVGPoint(x: startX, y: depth), SVGPoint(x: endX, y: depth),
          SVGPoint(x: endX, y: bottoms[to.layer])))
      if let toBox, toBox.bottom < bottoms[to.layer] {
        commands.append(.line(SVGPoint(x: endX, y: toBox.bottom)))
      }
    } else {
      let y =
        segment.toFrame ? frames[segment.to]?.y ?? tops[to.layer] : tops[to.layer]
      let middle = (start.y + y) / 2
      let end = SVGPoint(x: endX, y: y)
      commands.append(
        .curve(SVGPoint(x: startX, y: middle), SVGPoint(x: endX, y: middle), end))
    }
    let isEnd = segment.isReversed ? fromBox != nil : toBox != nil
    return GraphLayout.Route(
      commands: segment.isReversed ? Self.reversed(commands) : commands,
      isDashed: segment.isDashed, hasHead: isEnd)
  }

  /// The same path from its end to its start.
  private static func reversed(_ commands: [SVGPathCommand]) -> [SVGPathCommand] {
    var points: [SVGPoint] = commands.map { command in
      switch command {
      case .move(let point), .line(let point), .curve(_, _, let point): point
      }
    }
    var result: [SVGPathCommand] = points.popLast().map { [.move($0)] } ?? []
    for command in commands.reversed() {
      guard let next = points.popLast() else { break }
      switch command {
      case .curve(let first, let second, _): result.append(.curve(second, first, next))
      case .line, .move: result.append(.line(next))
      }
    }
    return result
  }
}
