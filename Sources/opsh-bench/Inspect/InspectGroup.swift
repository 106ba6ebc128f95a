import Foundation
import OpshLocking
import Operations
import OpshSupport

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
    try foldLog(of: count / 4)
  }

  /// Measures how long it takes to reach the last moment of a log, and to tell what all lives went to.
  ///
  /// - Parameter count: How many operations the log is of; each has four transitions.
  /// - Throws: What adding them throws, which does not happen.
  private func foldLog(of count: Int) throws {
    let names = ["moment", "account"].map { "inspect/\($0)/\(4 * count)/total" }
    guard names.contains(where: report.selection.includes) else { return }
    let engine = OperationEngine()
    let queue = InspectableQueue(name: "many", maxConcurrentOperationCount: 4, engine: engine)
    let operations = (0..<count).map { _ in InspectableEngine.Item(engine: engine) }
    for (first, second) in zip(operations, operations.dropFirst()) where second.id % 8 > 0 {
      try second.depend(on: first)
    }
    try queue.addOperations(operations, waitUntilFinished: true)
    func median(_ body: () -> Void) -> Double {
      let clock = ContinuousClock()
      return (0..<5).map { _ in clock.measure(body).seconds }.sorted()[2]
    }
    let fold = median { WorldFold(of: engine.log).follow(engine.log) }
    let account = median { _ = LifeAccount(of: engine.log, until: engine.now).spans(of: count) }
    for (name, value) in zip(names, [fold, account]) where report.selection.includes(name) {
      report.add(Measurement(bench: name, value: value, unit: .seconds))
    }
    report.endGroup("Folding a log of that many transitions, and telling what the lives went to")
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
