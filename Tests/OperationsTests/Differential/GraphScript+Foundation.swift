import Foundation

extension GraphScript {
  /// Runs the script on Foundation's own queue of width 1.
  ///
  /// Nothing but documented calls, and of those none that are known to crash or to get stuck:
  /// every operation is kept until all have finished, no dependency is ever removed, and nothing
  /// is added to from two threads.
  ///
  /// - Parameter keep: Where to put the operations: Foundation's queue may still be busy with the
  ///   last one when it says that all have finished.
  /// - Returns: What was seen.
  func runOnFoundation(keeping keep: inout [Operation]) -> GraphTrace {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let (ran, turns) = (Gathered<Int>(), Gathered<Int>())
    let operations = nodes.indices.map { FoundationTurn(index: $0, turns: turns) }
    let stage = FoundationStage(queue: queue, operations: operations)
    for (index, node) in nodes.enumerated() {
      operations[index].queuePriority = node.priority
      for upstream in node.upstream { operations[index].addDependency(operations[upstream]) }
      operations[index].body = {
        ran.add(index)
        for action in node.actions { stage.perform(action) }
      }
    }
    let first = addOrder.map { operations[$0] }
    if isBatch {
      queue.addOperations(first, waitUntilFinished: false)
    } else {
      for operation in first { queue.addOperation(operation) }
    }
    for action in actions { stage.perform(action) }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    for operation in operations { operation.body = nil }
    keep = operations
    return GraphTrace(
      ran: ran.all, turns: turns.all,
      cancelled: operations.indices.filter { operations[$0].isCancelled })
  }
}

/// A Foundation operation that tells when its turn came, also when it is cancelled.
private final class FoundationTurn: Operation, @unchecked Sendable {
  // @unchecked because the superclass is; `body` is set before the queue is resumed and after all
  // have finished, and read in between.
  private let index: Int
  private let turns: Gathered<Int>
  var body: (@Sendable () -> Void)?

  init(index: Int, turns: Gathered<Int>) {
    self.index = index
    self.turns = turns
  }

  override func start() {
    turns.add(index)
    super.start()
  }

  override func main() { body?() }
}

/// What the actions of a script act on.
private final class FoundationStage: Sendable {
  private let queue: OperationQueue
  private let operations: [FoundationTurn]

  init(queue: OperationQueue, operations: [FoundationTurn]) {
    self.queue = queue
    self.operations = operations
  }

  func perform(_ action: GraphScript.Action) {
    switch action {
    case .prioritize(let id, let priority): operations[id].queuePriority = priority
    case .cancel(let id): operations[id].cancel()
    case .add(let id): queue.addOperation(operations[id])
    case .depend(let id, let upstream): operations[id].addDependency(operations[upstream])
    }
  }
}
