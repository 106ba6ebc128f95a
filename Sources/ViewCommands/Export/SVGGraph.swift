import CommandParts
import Operations
import OpshTerminal

/// The dependencies as a picture: boxes in layers, each below all that it depends on, and a frame
/// around the members of each group.
struct SVGGraph {
  /// More boxes could not be read.
  private static let mostNodes = 240
  /// With more boxes each has its name alone; its colour says how it ended.
  private static let mostNotes = 60
  private static let fontSize = 16.0
  private static let boxWidths = 84.0...230.0
  private static let greatestScale = 1.5
  /// How many boxes stand in a layer at most; the one that makes the greatest picture is taken.
  private static let rowLimits = [2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 26]

  private var svg: SVGBuilder
  /// What was laid out, and the operations of its items.
  let layout: GraphLayout
  let rows: [ExportedSession.Row]

  /// - Parameters:
  ///   - session: The operations; those that depend on nothing, and on which nothing depends, are
  ///     drawn only if they are members of a group or if there are no others.
  ///   - title: The title; nil for the number of operations.
  ///   - theme: The colours.
  init(of session: ExportedSession, title: String? = nil, theme: SVGTheme = .light) {
    svg = SVGBuilder(theme)
    let all = Self.rows(of: session)
    let shown = Array(all.prefix(Self.mostNodes))
    rows = shown.map(\.row)
    var place: [Int: Int] = [:]
    for (index, row) in rows.enumerated() { place[row.id] = index }
    let hasNotes = rows.count <= Self.mostNotes
    let names = rows.map { Self.name(of: $0, in: session) }
    let isGroup = Set(shown.compactMap(\.parent))
    let items = shown.enumerated().map { index, node in
      let isChip = isGroup.contains(node.row.id)
      let text = isChip ? "\(names[index])  \(node.row.note)" : names[index]
      return GraphLayout.Item(
        parent: node.parent.flatMap { place[$0] },
        width: max(
          isChip ? 40 : Self.boxWidths.lowerBound,
          SVGText.width(of: text, size: Self.fontSize, isBold: true) + 22),
        height: isChip ? 30 : hasNotes ? 54 : 32)
    }
    let edges = rows.enumerated().flatMap { index, row in
      row.dependencies.compactMap { other in
        place[other.id].map {
          GraphLayout.Edge(from: $0, to: index, isDashed: other.policy != .run)
        }
      }
    }
    let told = OperationTable.count(all.count, "operation") + " and what they depend on"
    let cut = all.count > rows.count ? ", of which the first \(rows.count) are shown" : ""
    svg.describe(
      title: "opsh dependencies: " + (title.map { "\($0): " } ?? "") + told,
      Self.summary(of: rows, in: session))
    let note =
      edges.contains(where: \.isDashed) ? "dashed: skipped or failed if the other fails" : ""
    let below = title == nil ? [note] : [told + cut, note]
    let top =
      svg.head(title ?? told + cut, below.filter { !$0.isEmpty }.joined(separator: "; ")) + 16
    let area = (
      width: SVGBuilder.size.width - 2 * SVGBuilder.margin,
      height: SVGBuilder.size.height - top - SVGBuilder.margin
    )
    func scale(_ layout: GraphLayout) -> Double {
      min(Self.greatestScale, area.width / layout.width, area.height / layout.height)
    }
    var best = (limit: 0, scale: 0.0)
    for limit in Self.rowLimits {
      let scale = scale(GraphLayout(items, edges, rowLimit: limit))
      if scale > best.scale { best = (limit, scale) }
    }
    layout = GraphLayout(items, edges, rowLimit: best.limit, refines: true)
    let factor = scale(layout)
    svg.beginScale(
      factor, x: SVGBuilder.margin + (area.width - layout.width * factor) / 2,
      y: top + max(0, area.height - layout.height * factor) / 3)
    draw(names, hasNotes: hasNotes, isGroup, session)
    svg.endScale()
  }

  var text: String { svg.text }

  // MARK: What is drawn

  private typealias Node = (row: ExportedSession.Row, parent: Int?)

  private static func rows(of session: ExportedSession) -> [Node] {
    var nodes: [Node] = []
    var around: [Int] = []
    for row in session.rows {
      around = Array(around.prefix(row.depth))
      nodes.append((row, around.last))
      around.append(row.id)
    }
    let known = Set(session.rows.map(\.id))
    var linked: Set<Int> = []
    for row in session.rows {
      for other in row.dependencies where known.contains(other.id) {
        linked.formUnion([row.id, other.id])
      }
    }
    let groups = Set(nodes.compactMap(\.parent))
    let kept = nodes.filter {
      linked.contains($0.row.id) || $0.parent != nil || groups.contains($0.row.id)
    }
    return kept.isEmpty ? nodes : kept
  }

  private static func name(of row: ExportedSession.Row, in session: ExportedSession) -> String {
    var columns = 32
    while true {
      let label = session.label(of: row, columns: columns)
      let width = SVGText.width(of: label, size: fontSize, isBold: true) + 22
      if width <= boxWidths.upperBound || columns <= 8 { return label }
      columns -= 1
    }
  }

  private static func summary(of rows: [ExportedSession.Row], in session: ExportedSession)
    -> String
  {
    let byID = session.rowsByID
    return rows.prefix(40).map { row in
      let names = row.dependencies.compactMap { byID[$0.id].map { session.label(of: $0) } }
      return session.label(of: row)
        + (names.isEmpty ? "" : " after " + names.joined(separator: ", "))
    }.joined(separator: "; ")
  }

  // MARK: Drawing

  private mutating func draw(
    _ names: [String], hasNotes: Bool, _ isGroup: Set<Int>, _ session: ExportedSession
  ) {
    let theme = svg.theme
    for index in rows.indices {
      guard let frame = layout.frames[index] else { continue }
      svg.rectangle(
        frame, fill: theme.tint, stroke: rows[index].tone(theme).line, strokeWidth: 1.5, radius: 12)
    }
    for route in layout.routes {
      svg.stroke(
        route.commands, color: theme.line, width: 1.4, isDashed: route.isDashed,
        hasHead: route.hasHead)
    }
    for (index, row) in rows.enumerated() {
      let box = layout.boxes[index]
      let tone = row.tone(theme)
      let isChip = isGroup.contains(row.id)
      svg.rectangle(
        box, fill: isChip ? theme.tint : tone.fill, stroke: isChip ? nil : tone.line,
        strokeWidth: 1.5, radius: 8, title: "\(session.label(of: row)): \(row.note)")
      let size = Self.fontSize
      let middle = box.x + box.width / 2
      if isChip {
        svg.text(names[index], x: box.x + 4, y: box.y + 20, size: size, isBold: true)
        let width = SVGText.width(of: names[index] + "  ", size: size, isBold: true)
        svg.text(
          row.note, x: box.x + 4 + width, y: box.y + 20, size: size - 2, color: tone.line)
      } else if hasNotes {
        svg.text(
          names[index], x: middle, y: box.y + 23, size: size, isBold: true, anchor: .middle)
        svg.text(
          row.note, x: middle, y: box.y + 43, size: size - 2, color: tone.line, anchor: .middle)
      } else {
        svg.text(
          names[index], x: middle, y: box.y + 21.5, size: size, isBold: true, anchor: .middle)
      }
    }
  }
}
