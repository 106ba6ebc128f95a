/// What an operation depends on, in the order in which the dependencies were added.
///
/// The edges are strong and stay after the upstream operation has finished, as in Foundation:
/// people ask afterwards what something depended on, and bodies read the values.
struct UpstreamEdges: RandomAccessCollection {
  /// A list in which a search would take too long: without it the benchmark `engine/fan-in/COUNT/add`
  /// takes the square of the count.
  ///
  /// One that is removed leaves a gap, so that removing all of them takes no longer than adding them.
  /// The gaps are closed when a position is asked for, or they are the majority.
  private final class Long {
    private var places: [DependencyEdge?]
    /// Where the edge to an operation stands.
    private var positions: [ObjectIdentifier: Int] = [:]
    private var gapCount = 0
    /// All places before this are gaps.
    private var head = 0

    init(_ edges: [DependencyEdge]) {
      places = edges
      findPositions()
    }

    var count: Int { places.count - gapCount }

    var edges: [DependencyEdge] { places.compactMap { $0 } }

    /// The first of them.
    var first: DependencyEdge? {
      while head < places.count {
        if let edge = places[head] { return edge }
        head += 1
      }
      return nil
    }

    subscript(position: Int) -> DependencyEdge {
      if gapCount > 0 { closeGaps() }
      guard let edge = places[position] else {
        preconditionFailure("a list of dependencies without gaps has one at \(position)")
      }
      return edge
    }

    func contains(_ operation: ObservableOperation) -> Bool {
      positions[ObjectIdentifier(operation)] != nil
    }

    func position(of operation: ObservableOperation) -> Int? {
      // Adding one that was removed does not close the gap.
      guard contains(operation) else { return nil }
      if gapCount > 0 { closeGaps() }
      return positions[ObjectIdentifier(operation)]
    }

    func append(_ edge: DependencyEdge) {
      positions[ObjectIdentifier(edge.operation)] = places.count
      places.append(edge)
    }

    /// Puts an edge in the place of one that stands at a position.
    func replace(at position: Int, with edge: DependencyEdge) {
      positions[ObjectIdentifier(self[position].operation)] = nil
      positions[ObjectIdentifier(edge.operation)] = position
      places[position] = edge
    }

    func remove(_ operation: ObservableOperation) -> DependencyEdge? {
      guard let position = positions.removeValue(forKey: ObjectIdentifier(operation)) else {
        return nil
      }
      let edge = places[position]
      places[position] = nil
      gapCount += 1
      if gapCount * 2 > places.count { closeGaps() }
      return edge
    }

    private func closeGaps() {
      places.removeAll { $0 == nil }
      (gapCount, head) = (0, 0)
      findPositions()
    }

    private func findPositions() {
      positions.removeAll(keepingCapacity: true)
      for (position, edge) in places.enumerated() {
        if let edge { positions[ObjectIdentifier(edge.operation)] = position }
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
  }

  private static let longestScan = 12

  /// The parts of the first edge, so that an operation with one takes no memory beside its own, which
  /// the benchmark `engine/chain/COUNT/memory` shows.
  private var first: ObservableOperation?
  private var rest = Rest.few([])
  private var firstPolicy = FailurePolicy.run

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
    case .many(let list): return 1 + list.count
    }
  }

  subscript(position: Int) -> DependencyEdge {
    if position == 0, let first {
      return edge(to: first)
    }
    switch rest {
    case .few(let edges): return edges[position - 1]
    case .many(let list): return list[position - 1]
    }
  }

  private func edge(to first: ObservableOperation) -> DependencyEdge {
    DependencyEdge(operation: first, policy: firstPolicy)
  }

  // Inlined, because for a call the edges are retained as a whole: in each of a million operations
  // that took longer than the search.
  @inline(__always) func position(of operation: ObservableOperation) -> Int? {
    guard let first else { return nil }
    if first === operation { return 0 }
    // Only the references are compared: looking into the operations, which stand anywhere in
    // memory, took longer than all the rest.
    switch rest {
    case .few(let edges):
      return edges.firstIndex { $0.operation === operation }.map { $0 + 1 }
    case .many(let list):
      return list.position(of: operation).map { $0 + 1 }
    }
  }

  func policy(of operation: ObservableOperation) -> FailurePolicy? {
    position(of: operation).map { self[$0].policy }
  }

  mutating func append(_ edge: DependencyEdge) {
    guard first != nil else {
      (first, firstPolicy) = (edge.operation, edge.policy)
      return
    }
    switch rest {
    case .few(var edges):
      // The only reference is the one here, so that the array grows in place.
      rest = .few([])
      // The smallest array would hold one, and be copied for the next.
      if edges.isEmpty { edges.reserveCapacity(2) }
      edges.append(edge)
      rest = Rest(edges)
    case .many(let list):
      list.append(edge)
    }
  }

  mutating func setPolicy(_ policy: FailurePolicy, at position: Int) {
    replace(
      at: position, with: DependencyEdge(operation: self[position].operation, policy: policy))
  }

  /// Puts an edge in the place of another one.
  mutating func replace(at position: Int, with edge: DependencyEdge) {
    guard position > 0 else { return (first, firstPolicy) = (edge.operation, edge.policy) }
    switch rest {
    case .few(var edges):
      rest = .few([])
      edges[position - 1] = edge
      rest = .few(edges)
    case .many(let list):
      list.replace(at: position - 1, with: edge)
    }
  }

  /// Whether there is an edge to an operation; cheaper than asking for its position.
  func contains(_ operation: ObservableOperation) -> Bool {
    if case .many(let list) = rest { return first === operation || list.contains(operation) }
    return position(of: operation) != nil
  }

  /// Removes the edge to an operation, and returns it if there was one.
  mutating func remove(_ operation: ObservableOperation) -> DependencyEdge? {
    guard let first else { return nil }
    guard first === operation else { return removeFromRest(operation) }
    let edge = edge(to: first)
    if let second = firstOfRest, let moved = removeFromRest(second.operation) {
      (self.first, firstPolicy) = (moved.operation, moved.policy)
    } else {
      self.first = nil
    }
    return edge
  }

  private var firstOfRest: DependencyEdge? {
    switch rest {
    case .few(let edges): edges.first
    case .many(let list): list.first
    }
  }

  private mutating func removeFromRest(_ operation: ObservableOperation) -> DependencyEdge? {
    switch rest {
    case .few(var edges):
      guard let position = edges.firstIndex(where: { $0.operation === operation }) else {
        return nil
      }
      rest = .few([])
      defer { rest = .few(edges) }
      return edges.remove(at: position)
    case .many(let list):
      let edge = list.remove(operation)
      // Not at once, lest one that comes and goes makes a new list each time.
      if list.count * 2 <= Self.longestScan { rest = .few(list.edges) }
      return edge
    }
  }

  /// Removes the dependent, whose edges these are, from the lists of some of what it depends on.
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
        Self.withdraw(dependent, from: list[position - 1])
      }
    }
    return end
  }

  private static func withdraw(_ dependent: ObservableOperation, from edge: DependencyEdge) {
    edge.operation.core.downstream.remove(dependent)
  }

  /// Moves the edges to where they are released without recursion.
  mutating func discard() {
    if first != nil { ReleasePool.release { $0.take(&self) } }
  }
}
