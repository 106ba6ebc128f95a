import Foundation
import OpshLocking
import TestSupport
import Testing

@testable import Operations

@Suite("Advancing the virtual clock", .timeLimit(.minutes(5)))
struct AdvancingClockTests {
  private let engine = OperationEngine()
  private var clock: VirtualClock { engine.virtualClock }

  init() { clock.begin() }

  private func delay(_ seconds: Int) throws -> DelayOperation {
    let delay = DelayOperation(duration: .seconds(seconds), engine: engine)
    try InspectableQueue(name: "line", engine: engine).addOperation(delay)
    return delay
  }

  private func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

  @Test("A delay of 60 s measures 60 s, and ends when the clock is advanced by that")
  func advance() throws {
    let operation = try delay(60)
    clock.advance(by: .seconds(59))
    #expect(operation.state == .executing)
    clock.advance(by: .seconds(2))
    #expect(operation.state == .finished)
    let times = operation.timestamps
    let (started, finished) = (try #require(times.executing), try #require(times.finished))
    #expect(abs(seconds(finished - started) - 60) < 1e-6)
    #expect(abs(seconds(engine.now - engine.startInstant) - 61) < 1e-6)
  }

  @Test("The clock runs until a condition holds, and stops when nothing is left")
  func run() throws {
    let (first, second) = (try delay(10), try delay(100))
    #expect(clock.run { first.state == .finished })
    #expect(second.state == .executing)
    #expect(abs(seconds(engine.now - engine.startInstant) - 10) < 1e-6)
    #expect(!clock.run())
    #expect(second.state == .finished)
    #expect(abs(seconds(engine.now - engine.startInstant) - 100) < 1e-6)
  }

  @Test("A task sleeps by the virtual clock")
  func sleep() async throws {
    let task = Task { try await clock.sleep(until: clock.now + .seconds(3600)) }
    while !clock.hasTimers { await Task.yield() }
    clock.advance(by: .seconds(3599))
    #expect(clock.hasTimers)
    clock.advance(by: .seconds(2))
    try await task.value
    let cancelled = Task { try await clock.sleep(for: .seconds(60)) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  @Test("An asynchronous body runs by the virtual clock, its sleeps and retries included")
  func asyncBody() throws {
    for _ in 0..<20 {
      let engine = OperationEngine()
      let clock = engine.virtualClock
      clock.begin()
      let calls = Locked(0)
      let operation = ConcurrentOperation(engine: engine) {
        try await clock.sleep(for: .seconds(60))
        await Task.yield()
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        if call < 3 { throw TestError() }
        return call
      }
      operation.retryPolicy = RetryPolicy(limit: 2, backoff: .seconds(1), jitter: 0)
      try InspectableQueue(name: "line", engine: engine).addOperation(operation)
      clock.run()
      #expect(operation.resultValue as? Int == 3)
      // Three times a minute, and pauses of one and two seconds.
      #expect(abs(seconds(engine.now - engine.startInstant) - 183) < 1e-6)
    }
  }

  @Test("A body that waits for an operation lets the virtual clock go on")
  func waitingBody() throws {
    let operation = try delay(60)
    let body = BlockingOperation(engine: engine) { _ in operation.waitUntilFinished() }
    try InspectableQueue(name: "other", engine: engine).addOperation(body)
    #expect(clock.run { body.state == .finished })
    #expect(body.outcome == .succeeded)
  }
}
