import Foundation
import OpshLocking
import Operations
import OpshSupport
import Testing

extension EngineRaces {
  /// What is done to a queue while operations come and go.
  @Suite struct Queues {
    /// The log entries written between two counts of them.
    private static func starts(_ engine: OperationEngine, in span: Range<Int>) -> Int {
      engine.log.entries(from: span.lowerBound, limit: span.count).entries
        .count { $0.event == .transition && $0.to == .executing }
    }

    @Test("A queue suspended and resumed while operations are added starts none while suspended")
    func suspendAgainstAdd() async throws {
      try await Stress(rounds: 800, long: 150_000, members: 3).run { _, random in
        let bench = Bench()
        let width = [1, 2, -1][random.below(3)]
        let queue = bench.queue(width: width)
        let operations = (0..<4).map { _ in Quick(engine: bench.engine) }
        let quiet = Locked<[Range<Int>]>([])
        var round = RaceRound(engine: bench.engine)
        round.queues = [queue]
        round.operations = operations
        round.facts = { ScheduleChecker.Facts(widths: [queue.name: width]) }
        let delays = (0..<4).map { _ in random.delay() }
        round.bodies = [
          {
            for delay in delays {
              queue.isSuspended = true
              let first = bench.engine.log.count
              for _ in 0..<delay { _ = quiet }
              let span = first..<bench.engine.log.count
              queue.isSuspended = false
              quiet.withLock { $0.append(span) }
            }
          },
          { for operation in operations.prefix(2) { try? queue.addOperation(operation) } },
          {
            try? queue.addOperations(Array(operations.suffix(2)), waitUntilFinished: false)
          },
        ]
        round.check = {
          let starts = quiet.withLock { $0 }.map { Self.starts(bench.engine, in: $0) }
          return starts.allSatisfy { $0 == 0 } ? [] : ["\(starts) started while suspended"]
        }
        return round
      }
    }

    @Test("The width changes while the queue drains, also to 0 and to unlimited")
    func widthAgainstDrain() async throws {
      try await Stress(rounds: 800, long: 80_000, members: 3).run { number, random in
        let bench = Bench()
        let queue = bench.queue(width: 1)
        let operations = (0..<6).map { _ in Quick(engine: bench.engine) }
        let isLimited = random.below(2) == 0
        let widths = (0..<5).map { _ in isLimited ? random.below(4) : random.below(4) - 1 }
        let held = Locked<[Range<Int>]>([])
        var round = RaceRound(engine: bench.engine)
        round.queues = [queue]
        round.operations = operations
        round.facts = { ScheduleChecker.Facts(widths: isLimited ? [queue.name: 3] : [:]) }
        let slow = bench.held("slow")
        try queue.addOperation(slow)
        round.bodies = [
          {
            for width in widths {
              queue.maxConcurrentOperationCount = width
              guard width == 0 else { continue }
              let first = bench.engine.log.count
              _ = queue.snapshot
              let span = first..<bench.engine.log.count
              held.withLock { $0.append(span) }
            }
          },
          { for operation in operations { try? queue.addOperation(operation) } },
          { slow.finish(.success(number)) },
        ]
        round.afterwards = { queue.maxConcurrentOperationCount = 1 }
        round.check = {
          let starts = held.withLock { $0 }.map { Self.starts(bench.engine, in: $0) }
          return starts.allSatisfy { $0 == 0 } ? [] : ["\(starts) started at width 0"]
        }
        return round
      }
    }

    @Test("A queue without references finishes its work and is then released")
    func released() async throws {
      var watched: [Weak] = []
      try await Stress(rounds: 800, long: 150_000, members: 2).run { number, random in
        let bench = Bench()
        let operations = (0..<3).map { _ in Quick(engine: bench.engine) }
        let gate = bench.held("gate")
        for operation in operations where random.below(2) == 0 { try operation.depend(on: gate) }
        let holder = Locked<InspectableQueue?>(bench.queue(width: 1 + random.below(2)))
        let other = bench.queue("other")
        try other.addOperation(gate)
        holder.withLock { queue in
          watched.append(Weak(queue))
          for operation in operations { try? queue?.addOperation(operation) }
        }
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          { holder.withLock { $0 = nil } }, { gate.finish(.success(number)) },
        ]
        round.operations = operations + [gate]
        round.queues = [other]
        round.check = {
          operations.allSatisfy { $0.outcome == .succeeded } ? [] : ["not all succeeded"]
        }
        return round
      }
      Weak.expectGone(watched)
    }

    @Test("Queues and operations leave nothing in memory")
    func nothingLeft() throws {
      var watched: [Weak] = []
      for number in 0..<100 {
        let bench = Bench()
        let queue = bench.queue(width: 1 + number % 3)
        let first = bench.quick("first")
        let second = Plain(engine: bench.engine)
        try second.depend(on: first)
        let third = bench.held("third")
        try queue.addOperations([third, second, first], waitUntilFinished: false)
        third.cancel()
        drain(queue)
        watched += [Weak(queue), Weak(first), Weak(second), Weak(third), Weak(bench.engine)]
      }
      Weak.expectGone(watched)
    }

    @Test("A priority changes just when a slot becomes free")
    func priorityAgainstStart() async throws {
      try await Stress(rounds: 800, long: 200_000, members: 3).run { number, random in
        let bench = Bench()
        let width = 1 + random.below(2)
        let queue = bench.queue(width: width)
        let recorder = ScheduleRecorder(engine: bench.engine, widths: [queue.name: width])
        let gates = (0..<width).map { bench.held("gate-\($0)") }
        try queue.addOperations(gates, waitUntilFinished: false)
        let operations = (0..<4).map { _ in Quick(engine: bench.engine) }
        let levels = (0..<8).map { _ in GraphScript.levels[random.below(5)] }
        for (index, operation) in operations.enumerated() {
          recorder.begin(operation, with: levels[7 - index])
        }
        try queue.addOperations(operations, waitUntilFinished: false)
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          { for gate in gates { gate.finish(.success(number)) } },
          { for index in 0..<4 { recorder.prioritize(operations[index], levels[index]) } },
          { for index in 0..<4 { recorder.prioritize(operations[3 - index], levels[4 + index]) } },
        ]
        round.queues = [queue]
        round.operations = operations + gates
        round.facts = { recorder.facts }
        return round
      }
    }

    @Test("Cancelling all while operations are added cancels the earlier ones and loses none")
    func cancelAllAgainstAdd() async throws {
      try await Stress(rounds: 800, long: 150_000, members: 3).run { number, random in
        let bench = Bench()
        let queue = bench.queue(width: 1 + random.below(2))
        let early = (0..<3).map { _ in bench.held("early") }
        if random.below(2) == 0 { try early[2].depend(on: early[1]) }
        try queue.addOperations(early, waitUntilFinished: false)
        let late = (0..<4).map { _ in Quick(engine: bench.engine) }
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          { queue.cancelAllOperations() },
          { for operation in late.prefix(2) { try? queue.addOperation(operation) } },
          { try? queue.addOperations(Array(late.suffix(2)), waitUntilFinished: false) },
        ]
        round.queues = [queue]
        round.operations = early + late
        round.check = {
          guard early.allSatisfy({ $0.outcome == .cancelled }) else { return ["not all cancelled"] }
          // All are marked in one go, so no operation starts between two of them.
          let marks = bench.entries.filter { $0.event == .cancelling }.map(\.sequence)
          guard let first = marks.first, let last = marks.last else { return ["no marks"] }
          return Self.starts(bench.engine, in: first..<last + 1) == 0 ? [] : ["a start in between"]
        }
        return round
      }
    }
  }
}
