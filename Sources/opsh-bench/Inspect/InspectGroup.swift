import Foundation
import Locking
import Operations
import Support

/// How long others wait for the lock of the engine while a queue of many operations is inspected.
struct InspectGroup {
  private typealias Look = @Sendable (InspectableQueue, ObservableOperation) throws -> Void

  private static let count = 100_000
  let report: Report
  let isQuick: Bool

  func run() throws {
    let count = isQuick ? Self.count / 10 : Self.count
    let looks: [(name: String, look: Look)] = [
      ("order", { queue, _ in _ = queue.predictedOrder() }),
      ("step", { queue, _ in try queue.step() }),
      ("why", { _, last in _ = last.waitReasons() }),
    ]
    var isAnyWanted = false
    for (name, look) in looks {
      let bench = "inspect/\(name)/\(count)/longest-wait"
      guard report.selection.includes(bench) else { continue }
      isAnyWanted = true
      let wait = try longestWait(count, while: look)
      report.add(Measurement(bench: bench, value: wait, unit: .seconds))
    }
    if isAnyWanted { report.endGroup("Longest wait for the lock while a queue is looked at") }
  }

  /// Looks at a paused queue whose last operation depends on all others, while another thread asks for
  /// the lock over and over.
  private func longestWait(_ count: Int, while look: Look) throws -> Double {
    let engine = OperationEngine()
    let queue = InspectableQueue(name: "many", engine: engine)
    queue.isSuspended = true
    let operations = (0..<count).map { _ in DelayOperation(duration: .seconds(1), engine: engine) }
    let last = DelayOperation(duration: .zero, engine: engine)
    for operation in operations { try last.depend(on: operation) }
    try queue.addOperations(operations + [last], waitUntilFinished: false)
    let isOver = Locked(false)
    let longest = Locked(0.0)
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !isOver.withLock({ $0 }) {
        let start = ContinuousClock.now
        _ = engine.log.count
        let time = start.duration(to: .now).seconds
        longest.withLock { $0 = max($0, time) }
      }
      hasEnded.signal()
    }
    for _ in 0..<5 { try look(queue, last) }
    isOver.withLock { $0 = true }
    hasEnded.wait()
    queue.cancelAllOperations()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    return longest.withLock { $0 }
  }
}
