import Dispatch
import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

extension EngineRaces {
  /// A width of n is n: neither fewer nor more execute at once, whatever they do.
  @Suite struct Width {
    /// A place where blocking bodies wait for one another.
    private final class Meeting: Sendable {
      private let arrived = Locked(0)
      private let gate = DispatchSemaphore(value: 0)

      var count: Int { arrived.withLock { $0 } }

      /// Waits, at most for the time in which a test must have ended.
      func attend() {
        arrived.withLock { $0 += 1 }
        _ = gate.wait(timeout: .now() + 60)
      }

      func release(_ count: Int) {
        for _ in 0..<count { gate.signal() }
      }

      func body(_ engine: OperationEngine, _ name: String) -> BlockingOperation {
        BlockingOperation(name: name, engine: engine) { [self] _ in
          attend()
          return nil
        }
      }
    }

    @Test("Eight blocking bodies at width 8 all execute at the same time")
    func allMeet() throws {
      let bench = Bench()
      let queue = bench.queue(width: 8)
      let meeting = Meeting()
      let bodies = (0..<8).map { meeting.body(bench.engine, "body-\($0)") }
      try queue.addOperations(bodies, waitUntilFinished: false)
      // Foundation's own threads would meet too, but they are eight only after five seconds. Under
      // the thread sanitizer ours may need as long.
      let limit = Duration.seconds(TestScale.isSanitized ? 60 : 4)
      #expect(eventually(timeout: limit) { meeting.count == 8 })
      #expect(bodies.allSatisfy { $0.state == .executing })
      #expect(queue.snapshot.slotHolders.map(\.slot) == Array(1...8))
      meeting.release(8)
      drain(queue)
    }

    @Test("At width 7 the eighth operation starts only when one of the seven has finished")
    func sevenDoNot() throws {
      let bench = Bench()
      let queue = bench.queue(width: 7)
      let meeting = Meeting()
      let bodies = (0..<8).map { meeting.body(bench.engine, "body-\($0)") }
      try queue.addOperations(bodies, waitUntilFinished: false)
      #expect(eventually(timeout: .seconds(30)) { meeting.count == 7 })
      let entries = bench.engine.log.count
      // Everything that could make a queue look for work again, but no free slot.
      for round in 0..<20 {
        bodies[7].queuePriority = round.isMultiple(of: 2) ? .veryHigh : .low
        queue.isSuspended = true
        queue.isSuspended = false
        queue.maxConcurrentOperationCount = round % 8
        bodies[0].cancel()
        #expect(bodies[7].state == .ready)
        #expect(queue.snapshot.executing == 7)
        let reason: Cause = round.isMultiple(of: 8) ? .widthZero : .queueFull
        #expect(bodies[7].waitReasons().map(\.code).contains(reason))
      }
      #expect(bench.engine.log.count == entries + 1, "only the cancel is to be in the log")
      queue.maxConcurrentOperationCount = 7
      #expect(meeting.count == 7)
      meeting.release(1)
      #expect(eventually(timeout: .seconds(30)) { meeting.count == 8 })
      let engine = bench.entries.filter { $0.event == .transition }
      let end = engine.first { $0.to == .finished }?.sequence ?? .max
      let start =
        engine.first { $0.operation.name == "body-7" && $0.to == .executing }?.sequence ?? 0
      #expect(start > end)
      meeting.release(7)
      drain(queue)
      #expect(
        ScheduleChecker.problems(
          in: bench.engine, .init(widths: ["network": 7], isOrderChecked: false)
        )
        .isEmpty)
    }

    @Test("A thousand delays at width 1000 execute at once, on a handful of threads")
    func delays() throws {
      let bench = Bench()
      let queue = bench.queue(width: 1_000)
      let before = Self.threads
      let operations = (0..<1_001).map { _ in
        DelayOperation(duration: .seconds(600), engine: bench.engine)
      }
      try queue.addOperations(operations, waitUntilFinished: false)
      #expect(queue.snapshot.executing == 1_000)
      #expect(operations[1_000].state == .ready)
      // Other tests come and go with threads of their own; but a thousand would stay.
      #expect(eventually(timeout: .seconds(30)) { Self.threads < before + 50 })
      #expect(queue.snapshot.executing == 1_000)
      operations[0].cancel()
      #expect(operations[1_000].state == .executing)
      queue.cancelAllOperations()
      drain(queue)
      #expect(operations.allSatisfy { $0.outcome == .cancelled })
      #expect(ScheduleChecker.problems(in: bench.engine, .init(isOrderChecked: false)).isEmpty)
    }

    @Test("A thousand short delays at width 1000 have all begun before the first one ends")
    func shortDelays() throws {
      let bench = Bench()
      // Paused while they are added, so that they start at once.
      let queue = bench.queue(width: 1_000, paused: true)
      let operations = (0..<1_000).map { _ in
        DelayOperation(duration: .seconds(2), engine: bench.engine)
      }
      try queue.addOperations(operations, waitUntilFinished: false)
      queue.isSuspended = false
      drain(queue)
      let engine = bench.entries.filter { $0.event == .transition }
      let lastStart = engine.last { $0.to == .executing }
      let firstEnd = engine.first { $0.to == .finished }
      #expect(operations.allSatisfy { $0.outcome == .succeeded })
      // The last one had begun before the first one ended, by the log and not by the clock.
      #expect((lastStart?.sequence ?? .max) < (firstEnd?.sequence ?? 0))
    }

    @Test("A hundred blocking bodies at unlimited width all execute at once")
    func unlimited() throws {
      let bench = Bench()
      let queue = bench.queue(width: -1)
      let meeting = Meeting()
      let bodies = (0..<100).map { meeting.body(bench.engine, "body-\($0)") }
      try queue.addOperations(bodies, waitUntilFinished: false)
      #expect(eventually(timeout: .seconds(30)) { meeting.count == 100 })
      #expect(queue.snapshot.executing == 100)
      meeting.release(100)
      drain(queue)
    }

    /// How many threads this process has.
    private static var threads: Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? .max
    }
  }
}
