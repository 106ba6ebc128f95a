import Foundation
import Operations
import OpshSupport
import Testing

extension EngineRaces {
  /// Threads and tasks that wait for an end that comes just then.
  @Suite struct Waiting {
    @Test("Blocking waits that race with the end return true only for a finished operation")
    func blocking() async throws {
      try await Stress(
        rounds: 800, long: 350_000, members: 3, ways: ["over", "out of time"]
      ).run { number, random in
        let bench = Bench()
        let queue = bench.queue(width: 1)
        let (operation, next) = (bench.held("a"), bench.quick("next"))
        try queue.addOperations([operation, next], waitUntilFinished: false)
        let timeouts: [Duration?] = [
          nil, .zero, .microseconds(20), .microseconds(200), .seconds(9),
        ]
        let (short, other) = (timeouts[random.below(5)], timeouts[random.below(5)])
        let (problems, isInTime) = (Gathered<String>(), Gathered<Bool>())
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          {
            if number.isMultiple(of: 3) {
              operation.cancel()
            } else {
              operation.finish(.success(1))
            }
          },
          {
            let isOver = operation.waitUntilFinished(timeout: short)
            isInTime.add(isOver)
            if isOver != (operation.outcome != nil), isOver || short == nil || short == .seconds(9)
            {
              problems.add("waited \(String(describing: short)), it is \(operation.state)")
            }
            if isOver, queue.operations.contains(where: { $0 === operation }) {
              problems.add("over, but still on its queue")
            }
          },
          {
            let isEmpty = queue.waitUntilAllOperationsAreFinished(timeout: other)
            if isEmpty != (queue.operationCount == 0), isEmpty || other == nil {
              problems.add("waited \(String(describing: other)), \(queue.operationCount) are left")
            }
          },
        ]
        round.queues = [queue]
        round.operations = [operation, next]
        round.check = { problems.all }
        round.way = { isInTime.all.first == true ? "over" : "out of time" }
        return round
      }
    }

    @Test("All tasks that await a value resume with the same result, also after a cancel")
    func values() async throws {
      try await Stress(rounds: 800, long: 350_000, members: 3).run { number, random in
        let bench = Bench()
        let queue = bench.queue(width: 1)
        let operation = bench.held("a")
        let isAddedBefore = random.below(2) == 0
        if isAddedBefore { try queue.addOperation(operation) }
        let answers = Gathered<Int>()
        let cancelsTask = random.below(4) == 0
        let wait: @Sendable () -> Void = {
          let task = Task { answers.add((try? await operation.value) ?? -1) }
          if cancelsTask { task.cancel() }
        }
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          {
            if number.isMultiple(of: 4) {
              operation.cancel()
            } else {
              operation.finish(.success(1))
            }
          },
          wait,
          {
            if !isAddedBefore { try? queue.addOperation(operation) }
            wait()
          },
        ]
        round.queues = [queue]
        round.operations = [operation]
        round.isOver = { answers.all.count == 2 }
        round.check = {
          let value = operation.resultValue as? Int ?? -1
          // A task that is cancelled need not see the value any more.
          let isRight = answers.all.allSatisfy { $0 == value || cancelsTask && $0 == -1 }
          return isRight ? [] : ["\(answers.all) instead of \(value)"]
        }
        return round
      }
    }
  }
}
