/// What an operation depends on, in the order in which the dependencies were added.
///
/// The edges are strong and stay after the upstream operation has finished, as in Foundation:
/// people ask afterwards what something depended on, and bodies read the values.
struct UpstreamEdges {
  private(set) var edges: [DependencyEdge] = []
  /// Where an edge stands, by the id of the operation; only kept for long lists.
  private var index: Index?
  private static let longestScan = 12

  /// A box, because nearly all lists are short.
  private final class Index {
    var positions: [Int: Int] = [:]
  }

  func position(of id: Int) -> Int? {
    if edges.count <= Self.longestScan {
      return edges.firstIndex { $0.operation.id == id }
    }
    return index?.positions[id]
  }

  func policy(of id: Int) -> FailurePolicy? {
    position(of: id).map { edges[$0].policy }
  }

  mutating func append(_ edge: DependencyEdge) {
    edges.append(edge)
    if edges.count > Self.longestScan + 1 {
      index?.positions[edge.operation.id] = edges.count - 1
    } else if edges.count > Self.longestScan {
      reindex()
    }
  }

  mutating func setPolicy(_ policy: FailurePolicy, at position: Int) {
    edges[position] = DependencyEdge(operation: edges[position].operation, policy: policy)
  }

  mutating func remove(at position: Int) -> DependencyEdge {
    let edge = edges.remove(at: position)
    reindex()
    return edge
  }

  /// Moves the edges to where they are released without recursion.
  mutating func discard() {
    if !edges.isEmpty { ReleaseBin.shared.take(&edges) }
  }

  private mutating func reindex() {
    guard edges.count > Self.longestScan else { return index = nil }
    let index = Index()
    for (position, edge) in edges.enumerated() { index.positions[edge.operation.id] = position }
    self.index = index
  }
}
