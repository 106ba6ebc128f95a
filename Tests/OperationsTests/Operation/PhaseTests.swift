import OpshLocking
import TestSupport
import Testing

@testable import Operations

@Suite("Phases of the work of an operation", .timeLimit(.minutes(5)))
struct PhaseTests {
  private let bench = Bench()
  private var clock: VirtualClock { bench.engine.virtualClock }

  /// An executing operation, on the virtual clock.
  private func executing(_ name: String = "a", timeLimit: Duration? = nil) throws -> Held {
    clock.begin()
    let operation = bench.held(name)
    operation.timeLimit = timeLimit
    try bench.queue(width: 1).addOperation(operation)
    while clock.runNext() {}
    #expect(operation.waitUntilBegun())
    return operation
  }

  /// Counts how often the work of a phase was continued.
  private final class Work: Sendable {
    private let calls = Locked(0)
    var count: Int { calls.withLock { $0 } }
    func call() { calls.withLock { $0 += 1 } }
  }

  @Test("Without a wish a phase goes on at once: a change in the log, and no entry")
  func unasked() throws {
    let operation = try executing()
    let (work, entries) = (Work(), bench.entries.count)
    #expect(operation.phase == nil)
    #expect(operation.enter(PhaseProgress(.decoding, done: 30, of: 60)) { work.call() })
    #expect(operation.phase?.description == "decoding 30 of 60")
    #expect(work.count == 0 && bench.entries.count == entries)
    let changes = bench.engine.log.changes(from: 0, limit: .max).changes.map(\.event)
    #expect(changes.contains(.phase(PhaseProgress(.decoding, done: 30, of: 60))))
    operation.finish(.success(1))
    #expect(operation.phase == nil)
  }

  @Test("A pause holds the phase with a reason and two entries; resuming continues once")
  func pause() throws {
    let operation = try executing()
    let work = Work()
    operation.pause(at: .saving)
    #expect(operation.enter(PhaseProgress(.headers)) { work.call() })
    #expect(!operation.enter(PhaseProgress(.saving), note: "3 of them") { work.call() })
    #expect(operation.waitCodes == ["phase-held a"])
    #expect(operation.waitReasons().map(\.text) == ["'a' is paused at saving"])
    #expect(operation.state == .executing && !operation.canFinish)
    #expect(bench.entries.suffix(2).map(\.event) == [.phase, .awaitsFinish])
    #expect(
      bench.entries.suffix(2).map(\.reason) == ["saving: 3 of them", "'a' is paused at saving"])
    #expect(bench.engine.waitingBodyCount == 1)
    #expect(operation.resumeAtPhase() && work.count == 1)
    #expect(!operation.resumeAtPhase() && work.count == 1)
    #expect(operation.canFinish && operation.waitCodes.isEmpty)
    // It was to pause once.
    #expect(operation.enter(PhaseProgress(.saving)) { work.call() })
    #expect(bench.engine.waitingBodyCount == 0)
    operation.finish(.success(1))
  }

  @Test("A pause that was not reached is taken back by resuming")
  func takenBack() throws {
    let operation = try executing()
    operation.pause(at: .body)
    #expect(operation.phasePauses == [.body] && operation.resumeAtPhase())
    #expect(operation.phasePauses.isEmpty && operation.enter(PhaseProgress(.body)) {})
    operation.finish(.success(1))
  }

  @Test("A cancelled or overdue operation ends while it is paused, and drops the work")
  func ends() throws {
    let census = Census()
    for limit in [nil, Duration.milliseconds(20)] {
      let operation = try executing(timeLimit: limit)
      operation.pause(at: .decoding)
      let kept = census.resident()
      #expect(!operation.enter(PhaseProgress(.decoding)) { withExtendedLifetime(kept) {} })
      #expect(operation.canFinish == (limit != nil))
      if limit == nil { operation.cancel() }
      while clock.runNext() || clock.passTime() {}
      #expect(operation.state == .finished && operation.phase == nil)
      #expect(operation.outcome?.failure?.code == (limit == nil ? nil : "timed-out"))
      #expect(!operation.resumeAtPhase())
    }
    #expect(census.count == 0)
  }

  @Test("A slow phase lets its time pass, also after a pause, and no work follows a cancellation")
  func slow() throws {
    bench.engine.slow(.decoding, to: .seconds(2))
    #expect(bench.engine.phaseTimes == [.decoding: .seconds(2)])
    let operation = try executing()
    let work = Work()
    operation.pause(at: .decoding)
    let start = bench.engine.now
    #expect(!operation.enter(PhaseProgress(.decoding)) { work.call() })
    while clock.runNext() || clock.passTime() {}
    #expect(work.count == 0)
    operation.resumeAtPhase()
    #expect(work.count == 0 && operation.canFinish)
    while clock.runNext() || clock.passTime() {}
    #expect(work.count == 1 && bench.engine.now - start >= .seconds(2))
    #expect(!operation.enter(PhaseProgress(.decoding)) { work.call() })
    operation.cancel()
    while clock.runNext() || clock.passTime() {}
    #expect(work.count == 1 && operation.state == .finished)
    bench.engine.slow(.decoding, to: nil)
    #expect(bench.engine.phaseTimes.isEmpty)
  }

  @Test("The work continues when no handler keeps its hold any more")
  func handlers() throws {
    let operation = try executing()
    let (work, holds) = (Work(), Locked<[PhaseHold]>([]))
    let owner = Work()
    operation.handle(.headers, number: 1, for: owner) { _, hold in
      holds.withLock { $0.append(hold) }
    }
    operation.handle(.headers, number: 2, for: owner) { _, _ in }
    #expect(!operation.enter(PhaseProgress(.headers)) { work.call() })
    #expect(work.count == 0 && operation.canFinish)
    holds.withLock { $0.first }?.handling {
      #expect(operation.waitCodes == ["phase-held a"] && !operation.canFinish)
    }
    #expect(work.count == 0 && operation.canFinish)
    holds.withLock { $0 = [] }
    #expect(work.count == 1)
    withExtendedLifetime(owner) {}
    operation.finish(.success(1))
  }

  @Test("A fold of the log knows the phase and the pause at each moment")
  func fold() throws {
    let operation = try executing()
    operation.pause(at: .body)
    _ = operation.enter(PhaseProgress(.body)) {}
    var position = LogPosition()
    var end = LogPosition.Limit.end
    let fold = WorldFold(of: bench.engine.log)
    for event in bench.engine.log.batch(from: &position, to: &end) { try fold.apply(event) }
    let past = try fold.operation(operation.id)
    #expect(past.phase == PhaseProgress(.body) && past.finishWait == .phase)
    #expect(past.waitReasons().map(\.text) == ["'a' is paused at body"])
    operation.finish(.success(1))
  }

  @Test("Pausing, resuming and cancelling at once neither lose nor double the work")
  func races() throws {
    for round in 0..<300 {
      let operation = bench.held("a\(round)")
      try bench.queue(width: 1).addOperation(operation)
      #expect(operation.waitUntilBegun())
      operation.pause(at: .decoding)
      let work = Work()
      race([
        {
          if operation.enter(PhaseProgress(.decoding), then: { work.call() }) { work.call() }
        },
        { operation.resumeAtPhase() },
        { if round % 3 == 0 { operation.cancel() } },
      ])
      operation.resumeAtPhase()
      #expect(work.count == 1 || round % 3 == 0 && work.count == 0)
      operation.finish(.success(1))
      finish(operation)
    }
  }
}
