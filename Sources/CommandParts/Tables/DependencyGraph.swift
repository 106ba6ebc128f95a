package import Operations

/// Operations with their dependencies, in layers: each is one layer below the lowest of its
/// dependencies.
package struct DependencyGraph {
  /// One operation of the graph.
  package struct Node {
    package let operation: ObservableOperation
    /// Its layer, the first being 1.
    package fileprivate(set) var layer = 1
    /// The positions of its dependencies among the nodes.
    package fileprivate(set) var dependencies: [Int] = []
    /// How many nodes of the graph depend on it.
    package fileprivate(set) var dependentCount = 0
  }

  /// The nodes by layer; within a layer each is near its dependencies.
  package private(set) var nodes: [Node] = []

  /// Creates the graph of an operation: what it depends on and what depends on it, directly or not.
  package init(around operation: ObservableOperation) {
    var found = [operation]
    Self.follow(&found) { $0.upstream.map(\.operation) }
    var below = [operation]
    Self.follow(&below) { $0.downstream }
    self.init(found + below.dropFirst(), keepsAll: true)
  }

  /// Creates the graph of those operations that have dependencies or that others depend on.
  ///
  /// Takes time proportional to the operations and their dependencies, and to sort each layer.
  ///
  /// - Parameters:
  ///   - operations: The operations; dependencies on others are left out.
  ///   - keepsAll: Whether operations without dependencies and dependents stay in the graph.
  package init(_ operations: [ObservableOperation], keepsAll: Bool = false) {
    var index: [Int: Int] = [:]
    for operation in operations where index[operation.id] == nil {
      index[operation.id] = nodes.count
      nodes.append(Node(operation: operation))
    }
    for position in nodes.indices {
      nodes[position].dependencies = nodes[position].operation.upstream.compactMap {
        index[$0.operation.id]
      }
      for other in nodes[position].dependencies { nodes[other].dependentCount += 1 }
    }
    assignLayers()
    sortByLayer(keepsAll: keepsAll)
  }

  private static func follow(
    _ found: inout [ObservableOperation],
    _ neighbours: (ObservableOperation) -> [ObservableOperation]
  ) {
    var seen = Set(found.map(\.id))
    var next = 0
    while next < found.count {
      for other in neighbours(found[next]) where seen.insert(other.id).inserted {
        found.append(other)
      }
      next += 1
    }
  }

  private mutating func assignLayers() {
    var dependents = [[Int]](repeating: [], count: nodes.count)
    var missing = nodes.map(\.dependencies.count)
    for (position, node) in nodes.enumerated() {
      for other in node.dependencies { dependents[other].append(position) }
    }
    // Operations that wait for one another in a cycle are never reached, and stay in layer 1.
    var ready = nodes.indices.filter { missing[$0] == 0 }
    while let position = ready.popLast() {
      for dependent in dependents[position] {
        nodes[dependent].layer = max(nodes[dependent].layer, nodes[position].layer + 1)
        missing[dependent] -= 1
        if missing[dependent] == 0 { ready.append(dependent) }
      }
    }
  }

  /// Sorts the nodes by layer, those of a layer by the mean place of their dependencies and by id.
  private mutating func sortByLayer(keepsAll: Bool) {
    let old = nodes
    let kept = old.indices.filter {
      keepsAll || !old[$0].dependencies.isEmpty || old[$0].dependentCount > 0
    }
    var place = [Int](repeating: 0, count: old.count)
    nodes = []
    for (_, members) in Dictionary(grouping: kept, by: { old[$0].layer }).sorted(by: {
      $0.key < $1.key
    }) {
      let keyed = members.map { member in
        let above = old[member].dependencies.map { place[$0] }
        let mean = above.isEmpty ? 0 : Double(above.reduce(0, +)) / Double(above.count)
        return (member: member, mean: mean, id: old[member].operation.id)
      }
      for item in keyed.sorted(by: { ($0.mean, $0.id) < ($1.mean, $1.id) }) {
        place[item.member] = nodes.count
        nodes.append(old[item.member])
      }
    }
    for position in nodes.indices {
      nodes[position].dependencies = nodes[position].dependencies.map { place[$0] }
    }
  }
}
