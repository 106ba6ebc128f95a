import Operations
import OpshSupport
import TestSupport
import Testing

@Suite("Slow motion", .timeLimit(.minutes(5))) struct SpeedTests {
  @Test("A delay at a tenth of the speed takes ten times as long, and lasts as long as it says")
  func delay() throws {
    let bench = Bench()
    bench.engine.setSpeed(0.1)
    let start = ContinuousClock.now
    let delay = DelayOperation(duration: .milliseconds(20), engine: bench.engine)
    try bench.queue().addOperation(delay)
    finish(delay)
    #expect(ContinuousClock.now - start >= .milliseconds(200))
    let duration = try span(of: delay)
    #expect(duration >= .milliseconds(20) && duration < .seconds(1))
    #expect(bench.engine.speed == 0.1)
  }

  @Test("What is under way takes the rest of its time at the new speed")
  func change() throws {
    let bench = Bench()
    bench.engine.setSpeed(0.001)
    // A minute and more, unless the change takes effect.
    let delay = DelayOperation(duration: .milliseconds(100), engine: bench.engine)
    let limited = bench.held("limited")
    limited.timeLimit = .milliseconds(120)
    let late = bench.quick("late")
    late.startDelay = .milliseconds(110)
    try bench.queue(width: 3).addOperations([delay, limited, late], waitUntilFinished: false)
    let start = ContinuousClock.now
    bench.engine.setSpeed(1)
    for operation in [delay, late, limited] { finish(operation) }
    #expect(ContinuousClock.now - start >= .milliseconds(100))
    #expect(limited.outcome != .succeeded)
    #expect(try span(of: delay) >= .milliseconds(100))
  }

  @Test("The times of the log never go back while the speed changes at random")
  func order() throws {
    let bench = Bench()
    let queue = bench.queue(width: 8)
    var random = RandomSource(seed: 11)
    let delays = (0..<200).map { _ in
      DelayOperation(
        duration: .microseconds(Int(random.below(3_000))), engine: bench.engine)
    }
    for (index, delay) in delays.enumerated() {
      try queue.addOperation(delay)
      if index.isMultiple(of: 3) { bench.engine.setSpeed(max(0.05, random.unit())) }
    }
    bench.engine.setSpeed(1)
    drain(queue)
    let times = bench.entries.map(\.time)
    #expect(times.count >= 800)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    for delay in delays { #expect(try span(of: delay) >= delay.duration) }
  }

  private func span(of operation: ObservableOperation) throws -> Duration {
    let times = operation.timestamps
    let (start, end) = (try #require(times.executing), try #require(times.finished))
    return end - start
  }
}
