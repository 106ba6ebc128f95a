package import Operations
import ShellSession

/// Operations in the order of their ids, each followed by its members.
package struct OutlineRows {
  package typealias Row = (operation: ObservableOperation, depth: Int)

  package private(set) var rows: [Row] = []

  package init(_ operations: [ObservableOperation]) {
    let listed = Set(operations.map(\.id))
    let members = Self.members(of: operations)
    let roots = operations.filter { $0.group.map { !listed.contains($0.id) } ?? true }
    var stack: [Row] = roots.reversed().map { ($0, 0) }
    while let next = stack.popLast() {
      rows.append(next)
      stack += (members[next.operation.id] ?? []).reversed().map { ($0, next.depth + 1) }
    }
  }

  /// The members of groups by the id of the group, in the order of the operations.
  package static func members(of operations: [ObservableOperation]) -> [Int: [ObservableOperation]]
  {
    var members: [Int: [ObservableOperation]] = [:]
    for operation in operations {
      if let group = operation.group { members[group.id, default: []].append(operation) }
    }
    return members
  }
}
