import Operations
import TestSupport
import Testing

@Suite("Operations that no event to come can end", .timeLimit(.minutes(5)))
struct StuckOperationsTests {
  private func jams(_ operations: [ObservableOperation]) -> [String] {
    operations[0].engine.stuckOperations(among: operations).map { jam in
      "\(jam.root.code.rawValue): " + jam.operations.map(\.displayName).joined(separator: " ")
    }
  }

  @Test("Each has one root, the nearest, and those that can end have none")
  func roots() throws {
    let bench = Bench()
    let (queue, paused) = (bench.queue(width: 3), bench.queue(paused: true))
    let (works, held, onPaused) = (bench.held("works"), bench.held("held"), bench.held("on-paused"))
    let (both, last, fine) = (bench.held("both"), bench.held("last"), bench.held("fine"))
    try both.depend(on: held)
    try both.depend(on: onPaused)
    try last.depend(on: both)
    try fine.depend(on: works)
    try queue.addOperations([works, both, last, fine], waitUntilFinished: false)
    try paused.addOperation(onPaused)
    #expect(
      jams([works, held, onPaused, both, last, fine]) == [
        "not-on-queue: held both last", "queue-paused: on-paused",
      ])
    try queue.addOperation(held)
    #expect(jams([held, onPaused, both, last]) == ["queue-paused: on-paused both last"])
    paused.isSuspended = false
    #expect(jams([held, onPaused, both, last, fine]).isEmpty)
    for operation in [works, held, onPaused, both, last, fine] { operation.cancel() }
    drain(queue)
    drain(paused)
  }

  @Test("Bodies that wait for one another are a circle, unless a wait has a time limit")
  func bodies() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let (a, b, next) = (bench.held("a"), bench.held("b"), bench.held("next"))
    try queue.addOperations([a, b, next], waitUntilFinished: false)
    #expect(eventually { a.state == .executing && b.state == .executing })
    a.setAwaited([b])
    #expect(jams([a, b, next]).isEmpty)
    b.setAwaited([next])
    #expect(jams([a, b, next]) == ["deadlock: a b next"])
    b.setAwaited([next], withTimeLimit: true)
    #expect(jams([a, b, next]).isEmpty)
    b.setAwaited([])
    a.setAwaited([])
    for operation in [a, b, next] { operation.cancel() }
    drain(queue)
  }
}
