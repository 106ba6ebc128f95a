/// A conflict: a group and an operation in it, at any depth, need the same exclusive name.
///
/// The group has the name until all in it has finished, so that what is in it would wait for ever.
struct ExclusiveConflict {
  let exclusiveName: String
  let member: ObservableOperation
  let group: ObservableOperation

  /// Finds a conflict that adding an operation to a queue would cause, in a transaction.
  ///
  /// It looks at the groups around only where the operation or something in it may need a name.
  ///
  /// - Parameters:
  ///   - operation: What is to be added.
  ///   - queue: Where.
  ///   - released: Objects that the caller must release outside the lock.
  init?(
    adding operation: ObservableOperation, to queue: InspectableQueue,
    released: inout [AnyObject]
  ) {
    let inner = (operation as? GroupOperation)?.innerQueue
    guard !operation.ownExclusiveNames.isEmpty || inner?.core.isEmpty == false else { return nil }
    let groups = queue.enclosingGroups
    released += groups as [AnyObject]
    self.init(of: operation, within: groups)
  }

  /// Finds a conflict that new exclusive names of an operation would cause, in a transaction.
  init?(
    naming operation: ObservableOperation, _ names: [String], released: inout [AnyObject]
  ) {
    if let queue = operation.core.queue {
      let groups = queue.enclosingGroups
      released += groups as [AnyObject]
      let holders = Self.holders(in: groups)
      for name in names {
        guard let group = holders[name] else { continue }
        self.init(exclusiveName: name, member: operation, group: group)
        return
      }
    }
    let holders = Dictionary(uniqueKeysWithValues: names.map { ($0, operation) })
    self.init(inside: operation, holders: holders)
  }

  private init(exclusiveName: String, member: ObservableOperation, group: ObservableOperation) {
    self.exclusiveName = exclusiveName
    self.member = member
    self.group = group
  }

  private init?(of operation: ObservableOperation, within groups: [ObservableOperation]) {
    let holders = Self.holders(in: groups)
    guard !holders.isEmpty else { return nil }
    for name in operation.ownExclusiveNames {
      guard let group = holders[name] else { continue }
      self.init(exclusiveName: name, member: operation, group: group)
      return
    }
    self.init(inside: operation, holders: holders)
  }

  /// Looks for one of the names in what is in a group, with a stack of its own: groups in groups can
  /// be a long chain.
  private init?(inside operation: ObservableOperation, holders: [String: ObservableOperation]) {
    var open = [operation]
    while let group = open.popLast() {
      guard let members = (group as? GroupOperation)?.innerQueue.core.operations else { continue }
      for member in members {
        for name in member.ownExclusiveNames {
          guard let holder = holders[name] else { continue }
          self.init(exclusiveName: name, member: member, group: holder)
          return
        }
      }
      open += members
    }
    return nil
  }

  /// The groups that need names, by the names; the innermost of those that need the same.
  private static func holders(
    in groups: [ObservableOperation]
  ) -> [String: ObservableOperation] {
    var holders: [String: ObservableOperation] = [:]
    for group in groups.reversed() {
      for name in group.ownExclusiveNames { holders[name] = group }
    }
    return holders
  }

  /// The error that the queue throws, in a transaction.
  var error: QueueError {
    .exclusiveConflict(
      exclusiveName: exclusiveName, member: member.identityInTransaction.name,
      group: group.identityInTransaction.name)
  }
}

extension ObservableOperation {
  /// Its exclusive names, in a transaction; none once it was cancelled, for then it needs none.
  fileprivate var ownExclusiveNames: [String] {
    core.isCancelled ? [] : core.extras?.exclusiveNames ?? []
  }
}
