import CommandParts
import Operations
import ShellSession
import OpshTerminal

/// A graph of dependencies as text: one row for each operation, with lines from its dependencies.
///
/// ```
/// layer
///     1  ○   load  executing
///        │ ○ tags  pending
///        ├─╯
///     2  ○   merge  pending  after load, tags
/// ```
struct GraphText {
  private static let marginWidth = "layer  ".count
  /// The columns that are kept for names and states.
  private static let leastTextWidth = 24

  private let graph: DependencyGraph
  private let lanes: DependencyLanes?
  private let labels: OperationLabels
  private let width: Int

  /// - Parameters:
  ///   - graph: The operations with their dependencies.
  ///   - width: The greatest number of columns of a line.
  init(_ graph: DependencyGraph, width: Int) {
    self.graph = graph
    self.width = width
    let limit = (width - Self.marginWidth - Self.leastTextWidth) / 2
    lanes = DependencyLanes(graph, limit: max(1, limit))
    labels = OperationLabels(graph.nodes.lazy.map(\.operation))
  }

  var lines: [StyledText] {
    var lines = [StyledText("layer", style: .dim)]
    var layer = 0
    for (position, node) in graph.nodes.enumerated() {
      let row = lanes?.rows[position]
      let count = lanes?.count ?? 0
      if let connection = row?.connection(of: count), !connection.isEmpty {
        let margin = String(repeating: " ", count: Self.marginWidth)
        lines.append(StyledText(margin + connection).withoutTrailingBlanks)
      }
      let number = node.layer == layer ? "" : String(node.layer)
      layer = node.layer
      let margin = StyledText(number, style: .dim)
        .padded(to: Self.marginWidth - 2, alignment: .trailing)
      let (left, right) = row?.lanes(of: count) ?? ("", " ")
      lines.append(
        (margin + "  " + StyledText(left) + mark(of: node.operation) + StyledText(right)
          + text(of: node)).truncated(to: width))
    }
    return lines + legend
  }

  private func mark(of operation: ObservableOperation) -> StyledText {
    let state = operation.state
    return StyledText(
      state == .finished ? "●" : "○", style: .state(state, outcome: operation.outcome))
  }

  private func text(of node: DependencyGraph.Node) -> StyledText {
    let operation = node.operation
    let text =
      StyledText(labels.label(of: operation), style: .bold) + "  "
      + (operation.outcome == nil
        ? OperationTable.state(of: operation) : OperationTable.outcome(of: operation))
    guard !node.dependencies.isEmpty else { return text }
    let others = OperationList.names(node.dependencies.map { graph.nodes[$0].operation })
    return text + StyledText("  after " + VisibleText.escape(others), style: .dim)
  }

  private var legend: [StyledText] {
    var parts = ["● finished", "○ not finished"]
    parts.append(
      lanes == nil
        ? "too many lines for this width: 'deps OP --graph' draws fewer"
        : "lines lead down to what waits")
    return parts.reduce(into: [StyledText]()) { lines, part in
      let part = StyledText(part, style: .dim)
      if let last = lines.last, last.columns + 3 + part.columns <= width {
        lines[lines.count - 1] = last + "   " + part
      } else {
        lines.append(part.truncated(to: width))
      }
    }
  }
}
