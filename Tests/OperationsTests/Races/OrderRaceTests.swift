import Foundation
import OpshLocking
import OpshSupport
import Testing

@testable import Operations

extension EngineRaces {
  /// Dependencies that are added at the same moment, so that which of them closes a cycle is a
  /// matter of who comes first.
  @Suite struct Order {
    /// Makes operations that wait for one another in a row, the first for nothing.
    private func chain(_ name: String, _ bench: Bench, _ random: inout RandomSource) throws
      -> [Quick]
    {
      let made = (0..<2 + random.below(5)).map { bench.quick("\(name)-\($0)") }
      // In whichever direction and order, so that they stand anywhere.
      let chain = random.below(2) == 0 ? made : made.reversed()
      for index in (1..<chain.count).shuffled(using: &random) {
        try chain[index].depend(on: chain[index - 1])
      }
      return chain
    }

    @Test("If two concurrent dependencies would close a cycle, exactly one is refused")
    func oppositeEnds() async throws {
      try await Stress(
        rounds: 1_000, long: 100_000, members: 3, ways: ["left waits", "right waits"]
      ).run { _, random in
        let bench = Bench()
        let queue = bench.queue(width: 2)
        let (left, right) = (try chain("left", bench, &random), try chain("right", bench, &random))
        let among = try chain("among", bench, &random)
        let refused = Gathered<DependencyError>()
        let join: @Sendable ([Quick], [Quick]) -> Void = { first, second in
          do throws(DependencyError) {
            try first[0].depend(on: second[second.count - 1])
          } catch {
            refused.add(error)
          }
        }
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          { join(left, right) },
          { join(right, left) },
          // A third chain moves in between, on which one of the two waits.
          { try? left[left.count - 1].depend(on: among[among.count - 1]) },
        ]
        round.afterwards = {
          try? queue.addOperations(left + right + among, waitUntilFinished: false)
        }
        round.queues = [queue]
        round.operations = left + right + among
        round.check = {
          guard refused.all.count == 1, case .cycle = refused.all[0] else {
            return ["refused: \(refused.all)"]
          }
          return []
        }
        let (ofLeft, ofRight) = (left[0], right[right.count - 1])
        round.way = {
          ofLeft.upstream.contains { $0.operation === ofRight } ? "left waits" : "right waits"
        }
        return round
      }
    }

    @Test("Two threads add random dependencies while a third one runs the operations")
    func atRandom() async throws {
      try await Stress(rounds: 600, long: 60_000, members: 3).run { _, random in
        let bench = Bench()
        let queue = bench.queue(width: 2, paused: true)
        let all = (0..<12).map { bench.quick("op-\($0)") }
        try queue.addOperations(all, waitUntilFinished: false)
        let recorder = ScheduleRecorder(engine: bench.engine, widths: [queue.name: 2])
        let pairs = (0..<2).map { _ in (0..<10).map { _ in (random.below(12), random.below(12)) } }
        var round = RaceRound(engine: bench.engine)
        round.bodies = pairs.map { pairs in
          { for (first, second) in pairs { try? recorder.depend(all[first], on: all[second]) } }
        }
        round.bodies.append { queue.isSuspended = false }
        round.queues = [queue]
        round.operations = all
        round.facts = { recorder.facts }
        return round
      }
    }

    @Test("Dependents are released while a cycle search runs")
    func release() async throws {
      try await Stress(rounds: 600, long: 60_000, members: 3).run { _, random in
        let bench = Bench()
        let old = bench.quick("old")
        let branches = Locked<[[Quick]]>([])
        for _ in 0..<4 {
          // Only this list keeps a branch; its first operation depends on its newest one.
          let branch = (0..<3).map { bench.quick("branch-\($0)") }
          try branch[0].depend(on: branch[2])
          try branch[1].depend(on: branch[0])
          try branch[0].depend(on: old)
          branches.withLock { $0.append(branch) }
        }
        let new = (0..<3).map { bench.quick("new-\($0)") }
        try new[1].depend(on: new[2])
        try new[0].depend(on: new[1])
        var round = RaceRound(engine: bench.engine)
        let release: @Sendable () -> Void = {
          for _ in 0..<2 {
            let branch = branches.withLock { $0.popLast() }
            withExtendedLifetime(branch) {}
          }
        }
        round.bodies = [{ try? old.depend(on: new[0]) }, release, release]
        round.check = {
          (bench.isOrdered(new[0], old) ? [] : ["not in order"])
            + (old.upstream.count == 1 ? [] : ["refused"])
        }
        return round
      }
    }
  }
}
