import Foundation
import OpshLocking
import Operations
import Testing

extension EngineRaces {
  /// Who ends an operation, and how often.
  @Suite struct Finishing {
    @Test("Cancel, finish and start race: one end, one result, and the slot is free again")
    func cancelFinishStart() async throws {
      try await Stress(
        rounds: 1_000, long: 150_000, members: 3, ways: ["finished", "cancelled"]
      ).run { number, _ in
        let bench = Bench()
        let queue = bench.queue(width: 1, paused: number.isMultiple(of: 2))
        let results = Gathered<Result<Int, any Error>>()
        let operation = Held(name: "a", engine: bench.engine) { results.add($0) }
        let next = bench.quick("next")
        try next.depend(on: operation)
        let won = Gathered<Int>()
        let start: @Sendable () -> Void
        switch number % 3 {
        case 0:
          try queue.addOperation(operation)
          start = { queue.isSuspended = false }
        case 1:
          start = {
            try? queue.addOperation(operation)
            queue.isSuspended = false
          }
        default:
          // By hand; and if it is cancelled already, it finishes at once.
          start = {
            try? operation.startManually()
            queue.isSuspended = false
          }
        }
        try queue.addOperation(next)
        var round = RaceRound(engine: bench.engine)
        round.queues = [queue]
        round.operations = [operation, next]
        round.bodies = [
          start, { operation.cancel() },
          { if operation.finish(.success(7)) { won.add(7) } },
        ]
        round.check = { Self.judge(operation, results.all, hasWon: !won.all.isEmpty) }
        round.way = { won.all.isEmpty ? "cancelled" : "finished" }
        return round
      }
    }

    @Test("Of three concurrent finishes one wins, on an executing, waiting or unqueued operation")
    func threeFinishes() async throws {
      try await Stress(
        rounds: 1_000, long: 500_000, members: 3, ways: ["won by 0", "won by 1", "won by 2"]
      ).run { number, _ in
        let bench = Bench()
        let queue = bench.queue(width: 1, paused: number % 3 == 1)
        let results = Gathered<Result<Int, any Error>>()
        let operation = Held(name: "a", engine: bench.engine) { results.add($0) }
        if number % 3 != 2 { try queue.addOperation(operation) }
        let won = Gathered<Int>()
        var round = RaceRound(engine: bench.engine)
        round.bodies = (0..<3).map { index in
          { if operation.finish(.success(index)) { won.add(index) } }
        }
        round.afterwards = {
          if number % 3 == 2 { try? queue.addOperation(operation) }
          queue.isSuspended = false
        }
        round.queues = [queue]
        round.operations = [operation]
        round.check = {
          guard won.all.count == 1 else { return ["\(won.all.count) finishes won"] }
          guard operation.resultValue as? Int == won.all.first else { return ["another's result"] }
          return Self.judge(operation, results.all, hasWon: true)
        }
        round.way = { won.all.first.map { "won by \($0)" } }
        return round
      }
    }

    @Test("A blocking body cancelled while it begins or ends holds its slot until it returns")
    func blockingBody() async throws {
      try await Stress(
        rounds: 600, long: 400_000, members: 2,
        ways: ["never ran", "cancelled while it ran", "cancelled too late"]
      ).run { number, _ in
        let bench = Bench()
        let queue = bench.queue(width: 1, paused: true)
        let ran = Locked(0)
        let operation = BlockingOperation(name: "a", engine: bench.engine) { _ in
          ran.withLock { $0 += 1 }
          return number
        }
        let next = bench.quick("next")
        try queue.addOperations([operation, next], waitUntilFinished: false)
        var round = RaceRound(engine: bench.engine)
        round.facts = { ScheduleChecker.Facts(widths: [queue.name: 1]) }
        round.queues = [queue]
        round.operations = [operation, next]
        round.bodies = [{ queue.isSuspended = false }, { operation.cancel() }]
        round.check = {
          let hasExecuted = operation.timestamps.executing != nil
          if ran.withLock({ $0 }) != (hasExecuted ? 1 : 0) { return ["the body ran \(ran) times"] }
          let isCancelled = operation.isCancelled
          guard operation.outcome == (isCancelled ? .cancelled : .succeeded) else {
            return ["cancelled \(isCancelled), and \(String(describing: operation.outcome))"]
          }
          return (operation.resultValue == nil) == isCancelled ? [] : ["a value though cancelled"]
        }
        round.way = {
          if !operation.isCancelled { return "cancelled too late" }
          return ran.withLock { $0 } == 0 ? "never ran" : "cancelled while it ran"
        }
        return round
      }
    }

    @Test("A cancel after an early result: result and outcome agree")
    func keptResult() throws {
      let bench = Bench()
      let queue = bench.queue(paused: true)
      let operation = bench.held("a")
      try queue.addOperation(operation)
      #expect(operation.finish(.success(7)))
      operation.cancel()
      queue.isSuspended = false
      drain(queue)
      // The result was there first, so that cancelling came too late.
      #expect(operation.outcome == .succeeded)
      #expect(operation.resultValue as? Int == 7)
    }

    /// Compares outcome, result, what the handler was given, and who claims to have won.
    private static func judge(
      _ operation: Held, _ results: [Result<Int, any Error>], hasWon: Bool
    ) -> [String] {
      guard results.count == 1 else { return ["\(results.count) completions"] }
      let values = [results.first, operation.result].map { try? $0?.get() }
      guard values[0] == values[1] else { return ["the handler was given another result"] }
      let succeeded = values[0] != nil
      var problems: [String] = []
      if hasWon != succeeded { problems.append("finish won \(hasWon), the result is \(values)") }
      if operation.outcome != (succeeded ? .succeeded : .cancelled) {
        problems.append("the result is \(values), the outcome is not")
      }
      return problems
    }
  }
}
