import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// Operations on no queue that a command adds to queues, all or none.
struct HeldOperations {
  private let operations: [ObservableOperation]
  private let parameter: Positional<[OperationName]>
  private let invocation: Invocation

  /// - Parameters:
  ///   - operations: The operations, in the order in which they are added.
  ///   - parameter: What names them, for errors.
  ///   - invocation: The command.
  init(
    _ operations: [ObservableOperation], at parameter: Positional<[OperationName]>,
    _ invocation: Invocation
  ) {
    (self.operations, self.parameter, self.invocation) = (operations, parameter, invocation)
  }

  /// Adds each one to a queue; the first of all that are added starts first.
  func add(to queue: (ObservableOperation) throws -> InspectableQueue) throws {
    let places = try operations.map { (operation: $0, queue: try queue($0)) }
    try refuseCycles(places)
    try invocation.jobs.engine.withoutStarting {
      for (operation, queue) in places {
        if isBarrier(operation) {
          try queue.addBarrier(operation)
        } else {
          try queue.addOperation(operation)
        }
        // After that, so that a refused operation is still held.
        invocation.jobs.operations.releaseHold(of: operation)
      }
    }
  }

  private func isBarrier(_ operation: ObservableOperation) -> Bool {
    invocation.jobs.operations.hold(of: operation)?.isBarrier == true
  }

  /// Refuses operations that a barrier of their queue waits for: they would wait behind that.
  private func refuseCycles(
    _ places: [(operation: ObservableOperation, queue: InspectableQueue)]
  ) throws {
    var seen: Set<ObjectIdentifier> = []
    for (_, queue) in places where seen.insert(ObjectIdentifier(queue)).inserted {
      let added = places.filter { $0.queue === queue }.map(\.operation)
      for barrier in queue.barriers { try refuse(added[...], behind: barrier) }
      for (place, barrier) in added.enumerated() where isBarrier(barrier) {
        try refuse(added[(place + 1)...], behind: barrier)
      }
    }
  }

  private func refuse(
    _ operations: ArraySlice<ObservableOperation>, behind barrier: ObservableOperation
  ) throws {
    guard let path = barrier.waitPath(toAnyOf: operations, .start, followingBodies: false),
      let first = path.last
    else { return }
    let names = [first.displayName] + path.map(\.displayName)
    throw invocation.call.failure(
      .dependencyCycle,
      "'\(first.displayName)' would wait behind a barrier of its queue that waits for it: "
        + names.joined(separator: " → "), at: parameter,
      help: "'deps \(barrier.displayName)' shows what the barrier waits for; "
        + "'cancel \(barrier.displayName)' ends it")
  }

  /// Refuses a group whose block has not run.
  static func refuseUnderConstruction(
    _ operation: ObservableOperation, at parameter: Positional<[OperationName]>,
    _ invocation: Invocation
  ) throws {
    guard invocation.jobs.operations.isUnderConstruction(operation) else { return }
    throw invocation.call.failure(
      .underConstruction, "'\(operation.displayName)' is still being built", at: parameter,
      help: "a group is added to its queue when its block has run")
  }
}
