/// An order of the unfinished operations in which each comes after everything it depends on.
///
/// It tells whether a dependency would close a cycle. Operations carry their position as a number,
/// and a new operation gets the highest one. So a dependency on an older operation costs one
/// comparison: it cannot close a cycle. A dependency on a newer operation needs a depth-first search
/// through everything that the newer one waits for. If the search does not find the dependent, what it
/// found moves to the front, where the same dependencies need no search again.
///
/// The comparison is what keeps the benchmark `engine/random/COUNT/late-edges` linear: without it
/// each of those dependencies would need a search.
struct DependencyOrder {
  private var lowest = 0
  private var highest = 0
  /// How many dependencies all searches together have followed.
  private(set) var stepCount = 0

  /// An operation on the way from the start of a search to where it is.
  private struct Visit {
    let operation: ObservableOperation
    /// The position of the next dependency to follow.
    var next = 0
  }

  /// Returns the position of a new operation: after all others.
  mutating func nextPosition() -> Int {
    highest += 1
    return highest
  }

  /// Has new operations come after one with this position.
  mutating func keepPosition(_ position: Int) { highest = max(highest, position) }

  /// Moves operations so that one can depend on another one, unless that would close a cycle.
  ///
  /// The dependency itself may then be added or not. References are not kept: whatever depends on an
  /// operation keeps it alive.
  ///
  /// - Parameters:
  ///   - dependent: The operation that is to wait.
  ///   - upstream: What it is to wait for, another operation.
  /// - Returns: The cycle, if there would be one: it begins and ends with the dependent, and each
  ///   waits for the next one. Nothing has moved then.
  mutating func makeRoom(
    for dependent: ObservableOperation, after upstream: ObservableOperation
  ) -> [ObservableOperation]? {
    guard upstream.core.state != .finished, dependent.core.state != .finished,
      dependent.core.position < upstream.core.position
    else { return nil }
    guard !dependent.core.downstream.isEmpty else {
      dependent.core.position = nextPosition()
      return nil
    }
    var way = [Visit(operation: upstream)]
    var visited: Set<ObjectIdentifier> = [ObjectIdentifier(upstream)]
    // Each comes after everything it waits for.
    var visitedInOrder: [ObservableOperation] = []
    while let visit = way.last {
      // One that waits for nothing may have a million dependencies that have finished.
      guard visit.operation.core.unmet > 0, visit.next < visit.operation.core.upstream.count else {
        visitedInOrder.append(visit.operation)
        way.removeLast()
        continue
      }
      stepCount += 1
      way[way.count - 1].next += 1
      let next = visit.operation.core.upstream[visit.next].operation
      if next === dependent { return [dependent] + way.map(\.operation) + [dependent] }
      if next.core.state != .finished, visited.insert(ObjectIdentifier(next)).inserted {
        way.append(Visit(operation: next))
      }
    }
    for operation in visitedInOrder.reversed() {
      lowest -= 1
      operation.core.position = lowest
    }
    return nil
  }
}
