import CommandParts
import Operations
import OpshTerminal

/// The dependencies as a picture: boxes in layers, each below all that it depends on.
struct SVGGraph {
  private static let size = (width: 1600.0, height: 900.0)
  private static let top = 80.0
  private static let margin = 30.0
  private static let longestName = 24
  /// More boxes could not be read.
  private static let mostNodes = 240

  let text: String

  /// - Parameters:
  ///   - session: The operations with their masked names.
  ///   - operations: The same operations, of which those with dependencies are drawn.
  init(of session: ExportedSession, _ operations: [ObservableOperation]) {
    let linked = DependencyGraph(operations)
    let nodes = (linked.nodes.isEmpty ? DependencyGraph(operations, keepsAll: true) : linked).nodes
    let shown = nodes.prefix(Self.mostNodes)
    let rows = session.rowsByID
    let layers = Dictionary(grouping: shown.indices) { shown[$0].layer }
    let count = layers.keys.max() ?? 1
    let pitch = (Self.size.height - Self.top - Self.margin) / Double(count)
    let boxHeight = min(54, pitch * 0.6)
    var boxes: [Int: (x: Double, y: Double, width: Double)] = [:]
    for (layer, members) in layers {
      let column = (Self.size.width - 2 * Self.margin) / Double(members.count)
      for (place, index) in members.sorted().enumerated() {
        let width = min(220, column * 0.86)
        boxes[index] = (
          Self.margin + column * (Double(place) + 0.5) - width / 2,
          Self.top + pitch * (Double(layer) - 0.5) - boxHeight / 2, width
        )
      }
    }
    var svg = SVGBuilder(width: Self.size.width, height: Self.size.height)
    let title = "\(OperationTable.count(nodes.count, "operation")) and what they depend on"
    svg.describe(
      title: "opsh dependencies: " + title,
      shown.prefix(40).compactMap { node in
        rows[node.operation.id].map { row in
          let names = node.dependencies.compactMap {
            rows[nodes[$0].operation.id].map { session.label(of: $0) }
          }
          return session.label(of: row)
            + (names.isEmpty ? "" : " after " + names.joined(separator: ", "))
        }
      }.joined(separator: "; "))
    svg.text(title, x: Self.margin, y: 46, size: 26, weight: "bold")
    if nodes.count > shown.count {
      svg.text("the first \(shown.count) are shown", x: Self.margin, y: 68, size: 15)
    }
    for index in shown.indices {
      guard let box = boxes[index], let row = rows[shown[index].operation.id] else { continue }
      for other in shown[index].dependencies {
        guard let above = boxes[other] else { continue }
        let id = nodes[other].operation.id
        let policy = row.dependencies.first { $0.id == id }?.policy ?? .run
        svg.arrow(
          from: (above.x + above.width / 2, above.y + boxHeight),
          to: (box.x + box.width / 2, box.y), dashed: policy != .run)
      }
    }
    for index in shown.indices.sorted() {
      guard let box = boxes[index], let row = rows[shown[index].operation.id] else { continue }
      svg.rectangle(
        box.x, box.y, box.width, boxHeight, fill: row.tone.fill, stroke: row.tone.line, radius: 8,
        title: "\(session.label(of: row)): \(row.note)")
      let fontSize = max(4, min(15, boxHeight * 0.3, box.width / 14))
      svg.text(
        session.label(of: row, columns: Self.longestName), x: box.x + box.width / 2,
        y: box.y + boxHeight * 0.45, size: fontSize,
        weight: "bold", anchor: "middle")
      svg.text(
        row.note, x: box.x + box.width / 2, y: box.y + boxHeight * 0.82, size: fontSize * 0.85,
        color: row.tone.line, anchor: "middle")
    }
    text = svg.text
  }
}
