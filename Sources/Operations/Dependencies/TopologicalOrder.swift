/// An order of the unfinished operations in which each stands behind all that it depends on.
///
/// It answers whether a dependency would close a cycle. One that points forwards in the order
/// cannot, and costs one comparison. Only one that points backwards needs a search, between the
/// places of its two ends, and then a change of the order.
///
/// At first operations stand as their numbers do: graphs that are built in order, each operation
/// depending on older ones, never search and take no memory here. The others are moved, and keep
/// a node of the ``OrderList`` until they finish or are gone.
///
/// The search goes forwards from one end and backwards from the other, a dependency each in turn,
/// until one side has no way to go or they have passed each other (see ``OrderSearch``). Where one
/// side ends, it alone moves, and the search took twice its size: joining chains in whatever order
/// costs O(log n) for each dependency, amortised. For the worst of graphs it is O(√m log m), where
/// m is how many dependencies there are (B. Haeupler et al., *Incremental Cycle Detection,
/// Topological Ordering, and Strong Component Maintenance*, 2012).
///
/// Dependencies of finished operations do not count any more. Removing one changes nothing.
struct TopologicalOrder {
  /// What a dependency would mean.
  enum Answer {
    /// The order has room for it as it is.
    case fits
    /// The order has room for it after this change.
    case fitsAfter(Change)
    /// It would close a cycle: these wait for one another, the first and the last being the one
    /// that was to wait.
    case closesCycle([ObservableOperation])
  }

  /// A change of the order, to be made in the transaction that asked for it or not at all.
  struct Change {
    enum Target {
      case before(ObservableOperation)
      case after(ObservableOperation)
    }

    /// Who moves, in the order in which they will stand.
    let moved: [BorrowedOperation]
    /// What they will stand directly before or behind.
    let target: Target
  }

  private var list = OrderList()
  private var search = OrderSearch()

  /// How many unfinished operations do not stand where their numbers do.
  var movedCount: Int { list.count }
  /// How much is stored for them.
  var storedCount: Int { list.storedCount }
  /// How many steps all searches together took.
  var stepCount: Int { search.stepCount }

  /// Where an unfinished operation stands.
  func position(of operation: ObservableOperation) -> OrderList.Position {
    list.position(of: operation)
  }

  /// Says whether an operation can wait for another one; changes nothing yet.
  ///
  /// - Parameters:
  ///   - dependent: The operation that is to wait.
  ///   - upstream: What it is to wait for, another one.
  ///   - held: Receives operations that had to be held for a moment. The caller must let go of
  ///     them outside the lock.
  /// - Returns: The answer, which holds until something changes.
  mutating func canWait(
    _ dependent: ObservableOperation, for upstream: ObservableOperation,
    holding held: inout [AnyObject]
  ) -> Answer {
    guard upstream.core.state != .finished, dependent.core.state != .finished,
      list.position(of: dependent) < list.position(of: upstream)
    else { return .fits }
    let isLast = dependent.core.downstream.isEmpty
    // It may wait for a delay and depend on nothing.
    let isFirst = upstream.core.unmet == 0 || upstream.core.upstream.isEmpty
    guard isLast || isFirst else {
      return search.run(from: dependent, to: upstream, in: list, holding: &held)
    }
    // Where either may move, one that has moved before takes no more memory.
    if isLast, !isFirst || dependent.core.position.isStored || !upstream.core.position.isStored {
      return .fitsAfter(Change(moved: [BorrowedOperation(dependent)], target: .after(upstream)))
    }
    return .fitsAfter(Change(moved: [BorrowedOperation(upstream)], target: .before(dependent)))
  }

  mutating func make(_ change: Change) {
    var followers = change.moved.count
    switch change.target {
    case .before(let operation):
      let target = list.node(of: operation)
      for moved in change.moved {
        followers -= 1
        place(moved, at: list.insert(before: target, followers: followers))
      }
    case .after(let operation):
      var target = list.node(of: operation)
      for moved in change.moved {
        followers -= 1
        target = list.insert(after: target, followers: followers)
        place(moved, at: target)
      }
    }
  }

  /// Takes an operation out of the order that has finished or is gone.
  mutating func forget(_ operation: ObservableOperation) {
    guard operation.core.position.isStored else { return }
    list.remove(operation.core.position.node)
    operation.core.position.node = .none
  }

  private mutating func place(_ moved: BorrowedOperation, at node: OrderList.Node) {
    let old = moved.look { operation in
      defer { operation.core.position.node = node }
      return operation.core.position
    }
    // Only now, because with its last element the list around the target would have gone.
    if old.isStored { list.remove(old.node) }
  }
}

extension OrderList {
  func position(of operation: ObservableOperation) -> Position {
    let place = operation.core.position
    return place.isStored ? position(of: place.node) : Position(of: operation.id)
  }

  /// The element for an operation, to put something before or behind it at once.
  mutating func node(of operation: ObservableOperation) -> Node {
    let place = operation.core.position
    return place.isStored ? place.node : anchor(operation.id)
  }
}
