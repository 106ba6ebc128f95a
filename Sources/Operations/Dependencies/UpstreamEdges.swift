/// What an operation depends on, in the order in which the dependencies were added.
///
/// The edges are strong and stay after the upstream operation has finished, as in Foundation:
/// people ask afterwards what something depended on, and bodies read the values.
struct UpstreamEdges: RandomAccessCollection {
  /// A list in which a search would take too long.
  private final class Long {
    var edges: [DependencyEdge]
    /// Where the edge to an operation stands.
    var positions: [ObjectIdentifier: Int] = [:]

    init(_ edges: [DependencyEdge]) {
      self.edges = edges
      for (position, edge) in edges.enumerated() {
        positions[ObjectIdentifier(edge.operation)] = position
      }
    }
  }

  /// All edges but the first.
  private enum Rest {
    case few([DependencyEdge])
    case many(Long)

    init(_ edges: [DependencyEdge]) {
      self = edges.count > UpstreamEdges.longestScan ? .many(Long(edges)) : .few(edges)
    }

    var edges: [DependencyEdge] {
      switch self {
      case .few(let edges): edges
      case .many(let list): list.edges
      }
    }
  }

  /// The policy and the serial of an edge in four bytes.
  private struct Details {
    private var bits: UInt32 = 0

    init() {}

    init(of edge: DependencyEdge) {
      bits = edge.serial << 2 | edge.policy.ordinal
    }

    var policy: FailurePolicy { FailurePolicy(ordinal: bits & 3) }
    var serial: UInt32 { bits >> 2 }
  }

  private static let longestScan = 12

  /// The first edge stands here in its parts, so that an operation with one takes no more memory.
  private var first: ObservableOperation?
  private var rest = Rest.few([])
  private var firstDetails = Details()

  init() {}

  /// Edges that nothing depends on: they only keep operations until they are discarded.
  init(keeping operations: [ObservableOperation]) {
    first = operations.first
    rest = .few(operations.dropFirst().map { DependencyEdge(operation: $0, policy: .run) })
  }

  var isEmpty: Bool { first == nil }
  var startIndex: Int { 0 }
  var endIndex: Int {
    guard first != nil else { return 0 }
    switch rest {
    case .few(let edges): return 1 + edges.count
    case .many(let list): return 1 + list.edges.count
    }
  }

  subscript(position: Int) -> DependencyEdge {
    if position == 0, let first {
      return edge(to: first)
    }
    switch rest {
    case .few(let edges): return edges[position - 1]
    case .many(let list): return list.edges[position - 1]
    }
  }

  private func edge(to first: ObservableOperation) -> DependencyEdge {
    DependencyEdge(
      operation: first, policy: firstDetails.policy, serial: firstDetails.serial)
  }

  func position(of operation: ObservableOperation) -> Int? {
    guard let first else { return nil }
    if first === operation { return 0 }
    // Only the references are compared: looking into the operations, which stand anywhere in
    // memory, took longer than all the rest.
    switch rest {
    case .few(let edges):
      return edges.firstIndex { $0.operation === operation }.map { $0 + 1 }
    case .many(let list):
      return list.positions[ObjectIdentifier(operation)].map { $0 + 1 }
    }
  }

  func policy(of operation: ObservableOperation) -> FailurePolicy? {
    position(of: operation).map { self[$0].policy }
  }

  mutating func append(_ edge: DependencyEdge) {
    guard first != nil else {
      (first, firstDetails) = (edge.operation, Details(of: edge))
      return
    }
    switch rest {
    case .few(var edges):
      // The only reference is the one here, so that the array grows in place.
      rest = .few([])
      edges.append(edge)
      rest = Rest(edges)
    case .many(let list):
      list.positions[ObjectIdentifier(edge.operation)] = list.edges.count
      list.edges.append(edge)
    }
  }

  mutating func setPolicy(_ policy: FailurePolicy, at position: Int) {
    let old = self[position]
    let new = DependencyEdge(operation: old.operation, policy: policy, serial: old.serial)
    guard position > 0 else { return firstDetails = Details(of: new) }
    switch rest {
    case .few(var edges):
      rest = .few([])
      edges[position - 1] = new
      rest = .few(edges)
    case .many(let list):
      list.edges[position - 1] = new
    }
  }

  mutating func remove(at position: Int) -> DependencyEdge {
    let edge = self[position]
    var edges = rest.edges
    if position > 0 {
      edges.remove(at: position - 1)
    } else if let second = edges.first {
      (first, firstDetails) = (second.operation, Details(of: second))
      edges.removeFirst()
    } else {
      first = nil
    }
    rest = Rest(edges)
    return edge
  }

  /// Strikes the dependent, whose edges these are, off at some of what it depends on.
  ///
  /// - Parameters:
  ///   - dependent: The operation that is about to be gone.
  ///   - start: With which edge to begin.
  /// - Returns: With which edge to go on in a further transaction, so that others have their turn.
  func withdraw(_ dependent: ObservableOperation, from start: Int) -> Int {
    let end = Swift.min(start + 1024, endIndex)
    if start == 0, let first {
      Self.withdraw(dependent, from: edge(to: first))
    }
    switch rest {
    case .few(let edges):
      for edge in edges { Self.withdraw(dependent, from: edge) }
    case .many(let list):
      for position in Swift.max(start, 1)..<end {
        Self.withdraw(dependent, from: list.edges[position - 1])
      }
    }
    return end
  }

  private static func withdraw(_ dependent: ObservableOperation, from edge: DependencyEdge) {
    edge.operation.core.downstream.remove(dependent, serial: edge.serial)
  }

  /// Moves the edges to where they are released without recursion.
  mutating func discard() {
    if first != nil { ReleaseBin.shared.take(&self) }
  }
}
