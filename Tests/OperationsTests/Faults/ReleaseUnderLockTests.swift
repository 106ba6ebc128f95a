import Foundation
import Operations
import Testing

/// Values whose last reference goes inside the engine, and whose end needs its lock.
@Suite(.timeLimit(.minutes(15))) struct ReleaseUnderLockTests {
  /// Keeps an operation.
  private final class Box: Sendable {
    let operation: ObservableOperation

    init(_ operation: ObservableOperation) { self.operation = operation }
  }

  private final class Boxed: ConcurrentOperation<Box>, @unchecked Sendable {
    // @unchecked because the superclass is, and this class adds nothing.
    override func execute() {}
  }

  @Test("A discarded early result is released outside the lock")
  func earlyResult() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (upstream, failing) = (bench.held("upstream"), bench.held("failing"))
    let boxed = Boxed(name: "boxed", engine: bench.engine)
    do {
      let dependent = bench.held("dependent")
      try dependent.depend(on: upstream)
      boxed.finish(.success(Box(dependent)))
    }
    try boxed.depend(on: failing, policy: .skip)
    try queue.addOperations([failing, boxed], waitUntilFinished: false)
    try #require(failing.waitUntilBegun())
    #expect(upstream.downstream.count == 1)
    try #require(comesBack(within: 30) { failing.finish(.failure(TestError())) })
    try #require(comesBack(within: 30) { _ = queue.operationCount })
    try drainOrStop(queue)
    #expect(boxed.outcome?.name == "skipped")
    #expect(upstream.downstream.isEmpty)
  }

  @Test("A wake-up handler that is replaced while it is due is released outside the lock")
  func wakeUpHandler() throws {
    let (bench, stranger) = (Bench(), Bench())
    let (upstream, engine) = (bench.held("upstream"), bench.engine)
    // Its log has had its wake-up, so that this one's stays due in between.
    stranger.held("before").cancel()
    let operations = [bench.held("one"), stranger.held("two"), bench.held("three")]
    do {
      let dependent = bench.held("dependent")
      try dependent.depend(on: upstream)
      engine.log.setWakeUp { withExtendedLifetime(dependent) {} }
    }
    let token = operations[2].observe(\.isCancelled, options: [.prior]) { _, change in
      guard change.isPrior else { return }
      engine.log.setWakeUp {}
      _ = engine.log.entries(from: 0, limit: .max)
    }
    try #require(comesBack(within: 30) { ObservableOperation.cancelAll(operations) })
    try #require(comesBack(within: 30) { _ = engine.log.count })
    #expect(upstream.downstream.isEmpty)
    engine.log.setWakeUp(nil)
    withExtendedLifetime(token) {}
  }

  @Test("The readers of all logs are woken when operations of several are cancelled together")
  func severalLogs() {
    let benches = (0..<3).map { _ in Bench() }
    let woken = Gathered<Int>()
    for (index, bench) in benches.enumerated() { bench.engine.log.setWakeUp { woken.add(index) } }
    ObservableOperation.cancelAll(benches.map { $0.held("operation") })
    #expect(woken.all.sorted() == [0, 1, 2])
  }
}
