/// The search that decides whether a dependency closes a cycle, or what has to move for it.
///
/// It starts from the two ends of a dependency that points backwards in the order: forwards, along
/// what waits, from the operation that is to wait, and backwards, along what is waited for, from
/// the one that it is to wait for. In turn each side follows *one* dependency, so that an operation
/// with a million of them does not hold up the other side. Forwards it goes on from the operation
/// that stands first, backwards from the one that stands last. It ends when
///
/// - one side meets the other: there is a cycle;
/// - a side has nothing more to follow: what it has visited moves, forwards to directly behind the
///   start of the other side, backwards to directly before it;
/// - the first of the one side stands behind the last of the other, so that nothing is left between
///   them: what each has visited beyond that point moves there, the backward side before the other.
///
/// What moves keeps its order among itself. Nothing outside of the two places is visited.
struct OrderSearch {
  private struct Visit {
    /// Whoever has a dependency on an operation keeps it alive, and `held` does so in the other
    /// direction.
    let operation: BorrowedOperation
    let position: OrderList.Position
    /// The visit from which it was reached; its own number at a start.
    let origin: Int
    let isForwards: Bool
    /// Which of its dependencies comes next.
    var next = 0
  }

  /// A visited operation that has dependencies to follow, by its place as its side sees it.
  private struct Open: Comparable {
    let position: OrderList.Position
    let visit: Int

    static func < (left: Open, right: Open) -> Bool { left.position < right.position }
  }

  private static let (dependent, upstream) = (0, 1)

  private var visits: [Visit] = []
  private var forwards = Heap<Open>()
  /// With mirrored positions, because here the last one comes first.
  private var backwards = Heap<Open>()
  private var forwardCount = 0
  /// How often each side was asked to follow a dependency, in all searches together.
  private(set) var stepCount = 0

  /// See ``TopologicalOrder/canWait(_:for:holding:)``.
  mutating func run(
    from dependent: ObservableOperation, to upstream: ObservableOperation, in list: OrderList,
    holding held: inout [AnyObject]
  ) -> TopologicalOrder.Answer {
    defer { reset() }
    add(dependent, at: list.position(of: dependent), from: Self.dependent, isForwards: true)
    add(upstream, at: list.position(of: upstream), from: Self.upstream, isForwards: false)
    while let first = forwards.first, let last = backwards.first,
      first.position < last.position.mirrored
    {
      stepCount += 1
      if let path = stepForwards(from: first.visit, in: list, holding: &held)
        ?? stepBackwards(from: last.visit, in: list)
      {
        return .closesCycle(path)
      }
    }
    return .fitsAfter(change)
  }

  // MARK: - Steps

  /// Follows a dependency forwards; returns the cycle if that closes one.
  private mutating func stepForwards(
    from origin: Int, in list: OrderList, holding held: inout [AnyObject]
  ) -> [ObservableOperation]? {
    let next = visits[origin].next
    visits[origin].next += 1
    let (reached, count) = visits[origin].operation.look {
      ($0.core.downstream.operation(at: next), $0.core.downstream.count)
    }
    if next + 1 == count { _ = forwards.popFirst() }
    guard let reached else { return nil }
    // If somebody lets go of it just now, this is the last reference.
    held.append(reached)
    guard reached.core.state != .finished else { return nil }
    if let visit = visit(of: reached) {
      return visits[visit].isForwards ? nil : path(forwards: origin, backwards: visit)
    }
    let position = list.position(of: reached)
    if position < visits[Self.upstream].position {
      add(reached, at: position, from: origin, isForwards: true)
    }
    return nil
  }

  /// Follows a dependency backwards; returns the cycle if that closes one.
  private mutating func stepBackwards(
    from origin: Int, in list: OrderList
  ) -> [ObservableOperation]? {
    let next = visits[origin].next
    visits[origin].next += 1
    let (reached, count) = visits[origin].operation.look {
      (BorrowedOperation($0.core.upstream[next].operation), $0.core.upstream.count)
    }
    if next + 1 == count { _ = backwards.popFirst() }
    return reached.look { reached in
      guard reached.core.state != .finished else { return nil }
      if let visit = visit(of: reached) {
        return visits[visit].isForwards ? path(forwards: visit, backwards: origin) : nil
      }
      let position = list.position(of: reached)
      if visits[Self.dependent].position < position {
        add(reached, at: position, from: origin, isForwards: false)
      }
      return nil
    }
  }

  private mutating func add(
    _ operation: ObservableOperation, at position: OrderList.Position, from origin: Int,
    isForwards: Bool
  ) {
    let visit = visits.count
    operation.core.position.visit = UInt32(visit)
    visits.append(
      Visit(
        operation: BorrowedOperation(operation), position: position, origin: origin,
        isForwards: isForwards))
    if isForwards {
      forwardCount += 1
      if !operation.core.downstream.isEmpty {
        forwards.insert(Open(position: position, visit: visit))
      }
    } else if operation.core.unmet > 0, !operation.core.upstream.isEmpty {
      backwards.insert(Open(position: position.mirrored, visit: visit))
    }
  }

  /// Which visit was the operation's, if there was one.
  private func visit(of operation: ObservableOperation) -> Int? {
    let visit = Int(operation.core.position.visit)
    guard visit < visits.count, visits[visit].operation == BorrowedOperation(operation) else {
      return nil
    }
    return visit
  }

  // MARK: - Results

  /// The way round, from the operation that was to wait, along what each waits for, back to it.
  private func path(forwards: Int, backwards: Int) -> [ObservableOperation] {
    var path = way(from: backwards)
    path.append(visits[Self.dependent].operation.operation)
    path.reverse()
    return path + way(from: forwards)
  }

  /// The way from a visit back to the start of its side.
  private func way(from visit: Int) -> [ObservableOperation] {
    var way = [visits[visit].operation.operation]
    var visit = visit
    while visits[visit].origin != visit {
      visit = visits[visit].origin
      way.append(visits[visit].operation.operation)
    }
    return way
  }

  /// What has to move, now that the search has ended without a cycle.
  private var change: TopologicalOrder.Change {
    let isForwardSmaller = forwardCount <= visits.count - forwardCount
    switch (forwards.first, backwards.first) {
    case (nil, let last) where last != nil || isForwardSmaller:
      let upstream = visits[Self.upstream].operation.operation
      return .init(moved: sorted(\.isForwards), target: .after(upstream))
    case (nil, _), (_, nil):
      let dependent = visits[Self.dependent].operation.operation
      return .init(moved: sorted { !$0.isForwards }, target: .before(dependent))
    case (let first?, .some):
      let point = first.position
      let moved =
        sorted { !$0.isForwards && point < $0.position }
        + sorted { $0.isForwards && $0.position < point }
      return .init(moved: moved, target: .before(visits[first.visit].operation.operation))
    }
  }

  private func sorted(_ isIncluded: (Visit) -> Bool) -> [BorrowedOperation] {
    visits.filter(isIncluded).sorted { $0.position < $1.position }.map(\.operation)
  }

  private mutating func reset() {
    // A large search was an exception; its memory is not kept for the next one.
    visits.removeAll(keepingCapacity: visits.count <= 1024)
    if forwards.count + backwards.count <= 1024 {
      forwards.removeAll()
      backwards.removeAll()
    } else {
      (forwards, backwards) = (Heap(), Heap())
    }
    forwardCount = 0
  }
}
