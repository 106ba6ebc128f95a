import Testing

@testable import ViewCommands

@Suite("The layout of graphs")
struct GraphLayoutTests {
  /// A random graph: groups inside of groups, lines into and out of them, and circles.
  private struct RandomGraph {
    var items: [GraphLayout.Item] = []
    var edges: [GraphLayout.Edge] = []
    var random: SeededGenerator

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      let count = Int.random(in: 1...60, using: &random)
      let groupShare = Double.random(in: 0...0.3, using: &random)
      var groups: [Int] = []
      for index in 0..<count {
        let parent =
          Double.random(in: 0...1, using: &random) < 0.6
          ? groups.randomElement(using: &random) : nil
        items.append(
          .init(
            parent: parent, width: .random(in: 40...240, using: &random),
            height: [30, 54].randomElement(using: &random) ?? 54))
        if Double.random(in: 0...1, using: &random) < groupShare { groups.append(index) }
      }
      for _ in 0..<Int.random(in: 0...count * 2, using: &random) {
        let (from, to) = (
          Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random)
        )
        // Most lead onwards, and some close a circle.
        let isOnward = Int.random(in: 0..<10, using: &random) > 0
        edges.append(
          .init(
            from: isOnward ? min(from, to) : from, to: isOnward ? max(from, to) : to,
            isDashed: Bool.random(using: &random)))
      }
    }

    func isInside(_ item: Int, of group: Int) -> Bool {
      sequence(first: item) { items[$0].parent }.contains(group)
    }
  }

  /// Points of a path, close to one another.
  private static func points(of commands: [SVGPathCommand]) -> [SVGPoint] {
    var points: [SVGPoint] = []
    for command in commands {
      let start = points.last
      let curve: (SVGPoint, SVGPoint, SVGPoint)
      switch command {
      case .move(let point):
        points.append(point)
        continue
      case .line(let end): curve = (start ?? end, end, end)
      case .curve(let first, let second, let end): curve = (first, second, end)
      }
      guard let start else { continue }
      for step in 1...40 {
        let t = Double(step) / 40
        let (a, b, c, d) = (
          (1 - t) * (1 - t) * (1 - t), 3 * t * (1 - t) * (1 - t), 3 * t * t * (1 - t), t * t * t
        )
        points.append(
          SVGPoint(
            x: a * start.x + b * curve.0.x + c * curve.1.x + d * curve.2.x,
            y: a * start.y + b * curve.0.y + c * curve.1.y + d * curve.2.y))
      }
    }
    return points
  }

  private static func contains(_ box: SVGBuilder.Box, _ point: SVGPoint) -> Bool {
    point.x > box.x + 0.5 && point.x < box.right - 0.5 && point.y > box.y + 0.5
      && point.y < box.bottom - 0.5
  }

  @Test("No line passes a box, no box is over another, and frames hold their members alone")
  func randomGraphs() {
    var (lines, frames) = (0, 0)
    for seed in 1...200 as ClosedRange<UInt64> {
      let graph = RandomGraph(seed: seed)
      let limit = 2 + Int(seed % 9)
      let layout = GraphLayout(graph.items, graph.edges, rowLimit: limit, refines: seed % 20 == 0)
      lines += layout.routes.count
      frames += layout.frames.count
      for route in layout.routes {
        for point in Self.points(of: route.commands) {
          let crossed = layout.boxes.firstIndex { Self.contains($0, point) }
          #expect(crossed == nil, "seed \(seed): a line through box \(crossed ?? -1)")
          let isOnPicture =
            (-0.5...layout.width + 0.5).contains(point.x)
            && (-0.5...layout.height + 0.5).contains(point.y)
          #expect(isOnPicture, "seed \(seed): \(point) outside of the picture")
        }
      }
      for (index, box) in layout.boxes.enumerated() {
        for other in layout.boxes.indices.dropFirst(index + 1) {
          #expect(!box.overlaps(layout.boxes[other]), "seed \(seed): boxes \(index) and \(other)")
        }
        for (group, frame) in layout.frames {
          #expect(
            graph.isInside(index, of: group) ? Self.isInside(box, frame) : !box.overlaps(frame),
            "seed \(seed): box \(index) and the frame of \(group)")
        }
      }
      for (group, frame) in layout.frames {
        for (other, second) in layout.frames where other > group {
          #expect(
            graph.isInside(other, of: group)
              ? Self.isInside(second, frame) : !second.overlaps(frame),
            "seed \(seed): the frames of \(group) and \(other)")
        }
      }
    }
    // Otherwise the graphs show less than they seem to.
    #expect(lines > 10_000 && frames > 500, "\(lines) lines, \(frames) frames")
  }

  private static func isInside(_ box: SVGBuilder.Box, _ frame: SVGBuilder.Box) -> Bool {
    box.x >= frame.x && box.right <= frame.right && box.y >= frame.y
      && box.bottom <= frame.bottom
  }

  @Test("Every line begins at its first item and ends with a head at its second")
  func ends() {
    for seed in 1...50 as ClosedRange<UInt64> {
      let graph = RandomGraph(seed: seed)
      let layout = GraphLayout(graph.items, graph.edges, rowLimit: 6)
      var starts: Set<SVGPoint> = []
      var heads: [SVGPoint] = []
      for route in layout.routes {
        let points = Self.points(of: route.commands)
        if let first = points.first { starts.insert(first) }
        if let last = points.last, route.hasHead { heads.append(last) }
      }
      for edge in graph.edges where edge.from != edge.to {
        func touches(_ point: SVGPoint, _ item: Int) -> Bool {
          [layout.boxes[item], layout.frames[item]].compactMap { $0 }.contains { box in
            (box.x...box.right).contains(point.x)
              && [box.y, box.bottom].contains { abs($0 - point.y) < 0.01 }
          }
        }
        #expect(starts.contains { touches($0, edge.from) }, "seed \(seed): \(edge)")
        #expect(heads.contains { touches($0, edge.to) }, "seed \(seed): \(edge)")
      }
    }
  }

  @Test("What depends on something is below it")
  func below() {
    let items = (0..<6).map {
      GraphLayout.Item(parent: [nil, nil, 1, 1, nil, nil][$0], width: 80, height: 40)
    }
    let edges = [(0, 1), (2, 3), (1, 4), (0, 5)].map { GraphLayout.Edge(from: $0.0, to: $0.1) }
    let layout = GraphLayout(items, edges, rowLimit: 9)
    #expect(layout.boxes[0].bottom < layout.frames[1]?.y ?? 0)
    #expect(layout.boxes[2].bottom < layout.boxes[3].y)
    #expect(layout.frames[1]?.bottom ?? .infinity < layout.boxes[4].y)
    #expect(layout.boxes[5].y < layout.boxes[2].y)
  }
}
