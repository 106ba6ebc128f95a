import Foundation
import OpshLocking
import Operations
import OpshSupport

extension GraphScript {
  /// Runs the script on a queue of the engine, of width 1.
  ///
  /// - Returns: What was seen, or nil if the queue did not drain in time.
  /// - Throws: What the engine refuses.
  func runOnEngine() throws -> GraphTrace? {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: true)
    let ran = Gathered<Int>()
    let stage = EngineStage(queue: queue)
    var random = RandomSource(seed: seed)
    let operations = nodes.enumerated().map { index, node in
      EngineStage.operation(kind: random.below(20), engine: bench.engine) {
        ran.add(index)
        for action in node.actions { stage.perform(action) }
      }
    }
    stage.operations.withLock { $0 = operations }
    for (index, node) in nodes.enumerated() {
      operations[index].queuePriority = node.priority
      for upstream in node.upstream { try operations[index].depend(on: operations[upstream]) }
    }
    let first = addOrder.map { operations[$0] }
    if isBatch {
      try queue.addOperations(first, waitUntilFinished: false)
    } else {
      for operation in first { try queue.addOperation(operation) }
    }
    for action in actions { stage.perform(action) }
    queue.isSuspended = false
    guard queue.waitUntilAllOperationsAreFinished(timeout: .seconds(30)) else { return nil }
    let turns = bench.entries.filter { $0.event == .transition && $0.to == .finished }
    let cancelled = operations.indices.filter { operations[$0].isCancelled }
    let places = Dictionary(uniqueKeysWithValues: operations.enumerated().map { ($1.id, $0) })
    stage.operations.withLock { $0 = [] }
    return GraphTrace(
      ran: ran.all, turns: turns.compactMap { places[$0.operation.id] }, cancelled: cancelled)
  }
}

/// What the actions of a script act on.
private final class EngineStage: Sendable {
  private let queue: InspectableQueue
  /// Empty once the queue has drained: a body may go on after its operation was cancelled.
  let operations = Locked<[ObservableOperation]>([])

  init(queue: InspectableQueue) {
    self.queue = queue
  }

  func perform(_ action: GraphScript.Action) {
    let operations = operations.withLock { $0 }
    guard !operations.isEmpty else { return }
    switch action {
    case .prioritize(let id, let priority): operations[id].queuePriority = priority
    case .cancel(let id): operations[id].cancel()
    // Refusals are part of the game: what has begun takes no dependencies any more.
    case .add(let id): try? queue.addOperation(operations[id])
    case .depend(let id, let upstream): try? operations[id].depend(on: operations[upstream])
    }
  }

  /// Every kind of operation is to keep the same order; threads are dear, so few are blocking.
  static func operation(
    kind: Int, engine: OperationEngine, body: @escaping @Sendable () -> Void
  ) -> ObservableOperation {
    switch kind {
    case 0:
      BlockingOperation(engine: engine) { _ in
        body()
        return nil
      }
    case 1..<10:
      Plain(engine: engine, body: body)
    default:
      Scripted(engine: engine, body: body)
    }
  }
}
