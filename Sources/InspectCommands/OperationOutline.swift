import CommandParts
import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// Operations as an indented outline.
struct OperationOutline {
  /// The depth from which rows state their depth and are not indented further, for long chains.
  private static let deepestMargin = 40

  /// One line: an operation, or a dependency on one.
  struct Row {
    let operation: ObservableOperation
    /// The dependency that the row shows; nil for an operation.
    let edge: DependencyEdge?
    /// The operation of the row above it in the hierarchy.
    let parent: ObservableOperation?
    let depth: Int
    /// The text before the rows below it.
    fileprivate let margin: String
    fileprivate let mark: String
    /// Whether the rows below it have been shown before.
    fileprivate var isRepeated = false
  }

  private let members: [Int: [ObservableOperation]]
  private let labels: OperationLabels
  private let jobs: Jobs
  private var blockers = FirstBlockers()
  private let followsDependencies: Bool

  /// - Parameters:
  ///   - operations: The operations that can be members of groups.
  ///   - jobs: The jobs that they are.
  ///   - followsDependencies: Whether the dependencies of a dependency are listed under it.
  init(
    _ operations: [ObservableOperation], in jobs: Jobs, followsDependencies: Bool = false
  ) {
    self.jobs = jobs
    members = OutlineRows.members(of: operations)
    labels = OperationLabels(operations)
    self.followsDependencies = followsDependencies
  }

  /// One row for each operation and each dependency, to any depth.
  func rows(of roots: [ObservableOperation]) -> [Row] {
    var rows: [Row] = []
    // Each dependency is followed once, so that a graph of many paths stays small.
    var followed: Set<Int> = []
    for root in roots {
      var stack = [
        Row(operation: root, edge: nil, parent: nil, depth: 0, margin: "", mark: "")
      ]
      while var next = stack.popLast() {
        let isFollowed =
          next.edge == nil || followsDependencies && !next.operation.upstream.isEmpty
        if isFollowed, next.edge != nil {
          next.isRepeated = !followed.insert(next.operation.id).inserted
        }
        rows.append(next)
        if isFollowed, !next.isRepeated { stack += rowsBelow(next) }
      }
    }
    return rows
  }

  /// The rows below an operation, the last first.
  private func rowsBelow(_ row: Row) -> [Row] {
    let operation = row.operation
    let edges = operation.ignoresDependencies ? [] : operation.upstream
    let members = row.edge == nil ? self.members[operation.id] ?? [] : []
    let items = edges.map { ($0.operation, Optional($0)) } + members.map { ($0, nil) }
    return items.enumerated().map { index, item in
      let isLast = index == items.count - 1
      let isDeep = row.depth >= Self.deepestMargin
      let depth = row.depth + 1
      return Row(
        operation: item.0, edge: item.1, parent: operation, depth: depth,
        margin: isDeep ? row.margin : row.margin + (isLast ? "   " : "│  "),
        mark: row.margin + (isLast ? "└─ " : "├─ ") + (isDeep ? "(\(depth) deep) " : ""))
    }.reversed()
  }

  /// The least width of the text beside a margin.
  private static let leastText = 20

  /// The text of a row, which goes on below its beginning where the terminal is too narrow.
  mutating func lines(of row: Row, width: Int?) -> [StyledText] {
    let mark = StyledText(row.mark, style: .dim)
    let text = text(of: row)
    let margin = StyledText(row.edge == nil && row.depth == 0 ? "  " : row.margin, style: .dim)
    let room = (width ?? .max) - max(mark.columns, margin.columns)
    guard room >= Self.leastText, text.columns > room else { return [mark + text] }
    return text.wrapped(to: room).enumerated().map { ($0 == 0 ? mark : margin) + $1 }
  }

  private mutating func text(of row: Row) -> StyledText {
    guard let edge = row.edge else { return line(for: row.operation) }
    let dependent = row.parent ?? row.operation
    return "after " + Deps.line(for: edge, of: dependent, labels)
      + (row.isRepeated ? ", shown above" : "")
  }

  /// The object of a row.
  mutating func fields(of row: Row) -> [String: JSONValue] {
    let operation = row.operation
    return [
      "operation": OperationDescription.reference(to: operation).value,
      "kind": .string(operation.kind), "state": .string(operation.state.rawValue),
      "outcome": .optional(operation.outcome?.name), "depth": .number(row.depth),
      "relation": .string(row.edge != nil ? "dependency" : row.parent == nil ? "root" : "member"),
      "parent": row.parent.map { OperationDescription.reference(to: $0).value } ?? .null,
      "policy": .optional(row.edge?.policy.rawValue),
      "waits": .optional(WhyReason.first(of: operation, &blockers, in: jobs)?.words),
    ]
  }

  private mutating func line(for operation: ObservableOperation) -> StyledText {
    var line =
      StyledText(labels.label(of: operation), style: .bold)
      + StyledText("  \(operation.kind), ", style: .dim) + OperationTable.state(of: operation)
    if operation.state == .finished {
      line += "  " + OperationTable.outcome(of: operation)
    } else if let words = WhyReason.first(of: operation, &blockers, in: jobs)?.words {
      line += ": " + StyledText(VisibleText.escape(words))
    }
    return line
  }
}
