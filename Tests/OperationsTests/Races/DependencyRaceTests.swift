import Foundation
import OpshLocking
import Operations
import OpshSupport
import Testing

extension EngineRaces {
  /// Dependencies that come and go just when what they lead to finishes.
  @Suite struct Dependencies {
    @Test("A dependency added while it finishes is honoured or refused, never forgotten")
    func addedAgainstFinish() async throws {
      try await Stress(
        rounds: 1_000, long: 150_000, members: 3, ways: ["honoured", "refused"]
      ).run { number, random in
        let bench = Bench()
        let (one, two) = (bench.queue("one", width: 1), bench.queue("two", width: 1))
        let (upstream, other) = (bench.held("upstream"), bench.held("other"))
        try one.addOperation(upstream)
        let dependent = bench.quick("dependent")
        if random.below(2) == 0 { try dependent.depend(on: other) }
        // It stands ready on a queue, waits for another, or is added by a third thread meanwhile.
        two.isSuspended = random.below(2) == 0
        let isAddedBefore = random.below(2) == 0
        if isAddedBefore { try two.addOperation(dependent) }
        let recorder = ScheduleRecorder(engine: bench.engine, widths: ["one": 1, "two": 1])
        let refused = Gathered<DependencyError>()
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          { upstream.finish(.success(number)) },
          {
            do throws(DependencyError) {
              try recorder.depend(dependent, on: upstream)
            } catch {
              refused.add(error)
            }
          },
          {
            if isAddedBefore {
              two.isSuspended = false
            } else {
              try? two.addOperation(dependent)
            }
          },
        ]
        round.afterwards = {
          try? one.addOperation(other)
          other.finish(.success(number))
          two.isSuspended = false
        }
        round.queues = [one, two]
        round.operations = [upstream, other, dependent]
        round.facts = { recorder.facts }
        round.check = {
          let isEdge = dependent.upstream.contains { $0.operation === upstream }
          if isEdge != refused.all.isEmpty { return ["refused \(refused.all), edge \(isEdge)"] }
          return dependent.outcome == .succeeded ? [] : ["the dependent did not succeed"]
        }
        round.way = { refused.all.isEmpty ? "honoured" : "refused" }
        return round
      }
    }

    @Test("A dependency is removed while it finishes, is cancelled or is added again")
    func removedAgainstFinish() async throws {
      try await Stress(
        rounds: 1_000, long: 100_000, members: 3, ways: ["removed", "too late"]
      ).run { number, random in
        let bench = Bench()
        let (one, two) = (bench.queue("one", width: 1), bench.queue("two", width: 2))
        let upstream = bench.held("upstream")
        let dependent = bench.quick("dependent")
        let last = bench.quick("last")
        try dependent.depend(on: upstream)
        try last.depend(on: dependent)
        try one.addOperation(upstream)
        let isAddedBefore = random.below(3) > 0
        if isAddedBefore { try two.addOperation(dependent) }
        try two.addOperation(last)
        let cancels = random.below(2) == 0
        let again = random.below(2) == 0
        let recorder = ScheduleRecorder(engine: bench.engine, widths: ["one": 1, "two": 2])
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          { if cancels { upstream.cancel() } else { upstream.finish(.success(number)) } },
          {
            _ = try? dependent.removeDependency(on: upstream)
            if again { try? recorder.depend(dependent, on: upstream) }
          },
          {
            if !isAddedBefore {
              try? two.addOperation(dependent)
            } else if number.isMultiple(of: 5) {
              dependent.cancel()
            }
          },
        ]
        round.queues = [one, two]
        round.operations = [upstream, dependent, last]
        round.facts = { recorder.facts }
        round.check = {
          let expected: OperationOutcome = dependent.isCancelled ? .cancelled : .succeeded
          guard dependent.outcome == expected || dependent.outcome == .succeeded else {
            return ["\(String(describing: dependent.outcome))"]
          }
          return last.outcome == .succeeded ? [] : ["the last one did not succeed"]
        }
        round.way = { again ? nil : dependent.upstream.isEmpty ? "removed" : "too late" }
        return round
      }
    }

    @Test("A dependency fails during a cancel, a policy change and the end of another one")
    func policiesAgainstFinish() async throws {
      try await Stress(
        rounds: 800, long: 150_000, members: 3,
        ways: ["cancelled", "decided", "changed", "too late"]
      ).run { number, random in
        let bench = Bench()
        let (one, two) = (bench.queue("one", width: 2), bench.queue("two", width: 1))
        let (bad, good) = (bench.held("bad"), bench.held("good"))
        try one.addOperations([bad, good], waitUntilFinished: false)
        let dependent = bench.quick("dependent")
        let first = FailurePolicy.allCases[random.below(3)]
        let second = FailurePolicy.allCases[random.below(3)]
        try dependent.depend(on: bad, policy: first)
        try dependent.depend(on: good, policy: .skip)
        try two.addOperation(dependent)
        let cancels = random.below(2) == 0
        let refused = Gathered<Bool>()
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          { bad.finish(.failure(TestError())) },
          { good.finish(.success(number)) },
          {
            if cancels {
              dependent.cancel()
            } else {
              do throws(DependencyError) {
                try dependent.depend(on: bad, policy: second)
              } catch {
                refused.add(true)
              }
            }
          },
        ]
        round.queues = [one, two]
        round.operations = [bad, good, dependent]
        round.facts = {
          // Which of the two policies counted is what the race decides; the check below knows it.
          ScheduleChecker.Facts(
            edges: Set([first, second]).map {
              ScheduleChecker.Edge(
                operation: dependent.id, upstream: bad.id, policy: $0,
                window: 0..<(first == second ? 0 : .max))
            })
        }
        round.check = {
          let policy = dependent.upstream.first?.policy ?? .run
          let expected: OperationOutcome =
            switch policy {
            case .run: .succeeded
            case .skip: .skipped
            case .fail: .failed(.init(OperationError.dependencyFailed(name: "bad")))
            }
          let isRight = dependent.outcome == expected
          if cancels { return isRight || dependent.outcome == .cancelled ? [] : ["neither"] }
          return isRight ? [] : ["\(policy), but \(String(describing: dependent.outcome))"]
        }
        round.way = {
          if cancels { return dependent.outcome == .cancelled ? "cancelled" : "decided" }
          return refused.all.isEmpty ? "changed" : "too late"
        }
        return round
      }
    }

    @Test("A skip is taken back before the operation is added")
    func verdictTakenBack() throws {
      for change in ["remove", "policy"] {
        let bench = Bench()
        let queue = bench.queue()
        let bad = bench.held("bad")
        let dependent = bench.quick("dependent")
        try dependent.depend(on: bad, policy: .skip)
        try queue.addOperation(bad)
        bad.finish(.failure(TestError()))
        drain(queue)
        if change == "remove" {
          try dependent.removeDependency(on: bad)
        } else {
          try dependent.depend(on: bad, policy: .run)
        }
        try queue.addOperation(dependent)
        #expect(dependent.isReady)
        if !dependent.isReady { dependent.cancel() }
        drain(queue)
      }
    }

    @Test("Dependents are released while their dependency finishes and is inspected")
    func goneAgainstFinish() async throws {
      try await Stress(
        rounds: 1_000, long: 300_000, members: 3, ways: ["seen", "gone"]
      ).run { number, random in
        let bench = Bench()
        let queue = bench.queue(width: 2)
        let upstream = bench.held("upstream")
        try queue.addOperation(upstream)
        let dependents = (0..<1 + random.below(20)).map { _ in Quick(engine: bench.engine) }
        for dependent in dependents { try dependent.depend(on: upstream) }
        // Some are kept by the queue, until they have finished.
        let queued = dependents.filter { _ in random.below(4) == 0 }
        try queue.addOperations(queued, waitUntilFinished: false)
        let gone = dependents.map { Weak($0) }
        let kept = Locked(dependents)
        let last = bench.quick("last")
        let (seen, isWaiting) = (Gathered<Int>(), random.below(2) == 0)
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          { while kept.withLock({ $0.popLast() }) != nil {} },
          { upstream.finish(.success(number)) },
          {
            for dependent in upstream.downstream { seen.add(dependent.id) }
            if isWaiting { try? last.depend(on: upstream) }
            for dependent in upstream.downstream { seen.add(dependent.id) }
          },
        ]
        round.afterwards = { try? queue.addOperation(last) }
        round.queues = [queue]
        round.operations = [upstream, last]
        round.check = {
          Weak.expectGone(gone)
          let left = upstream.downstream
          return left.allSatisfy { $0 === last } ? [] : ["\(left.count) are left"]
        }
        round.way = { seen.all.contains { $0 != last.id } ? "seen" : "gone" }
        return round
      }
    }
  }
}
