import Foundation
import OpshSupport
import Testing

/// A race that is run many times, and judged each time.
struct Stress {
  /// How many rounds are made ready before the crew runs them one after the other.
  private static let batchSize = 50

  let rounds: Int
  private let share: Int
  let members: Int
  /// The ways in which a round can go, all of which must have been seen in a long run.
  private let ways: Set<String>
  let sourceLocation: SourceLocation

  /// Plans so many rounds in an ordinary run, or in a long one, with that many threads.
  init(
    rounds: Int, long: Int, members: Int, ways: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    self.rounds = StressLevel.rounds(rounds, long: long)
    share = rounds
    self.members = members
    self.ways = ways
    self.sourceLocation = sourceLocation
  }

  /// Runs the race, of which `make` makes a round from its number.
  ///
  /// What it draws is the same in each run of the tests, so that the number of a failing round says
  /// which it was.
  func run(_ make: (Int, inout RandomSource) throws -> RaceRound) async throws {
    let crew = RaceCrew(size: members)
    defer { crew.dismiss() }
    let began = ContinuousClock.now
    var done = 0
    var seen: [String: Int] = [:]
    while done < rounds, !StressLevel.isEnough(since: began) {
      let numbers = done..<min(rounds, done + Self.batchSize)
      guard let went = try await run(numbers, crew, make) else { return }
      for way in went { seen[way, default: 0] += 1 }
      done = numbers.upperBound
    }
    StressLevel.check(
      done, of: rounds, share: share, since: began, seen: seen, sourceLocation: sourceLocation)
    // Few rounds may happen to go all the same way.
    guard StressLevel.isFull else { return }
    #expect(
      ways.isSubset(of: seen.keys), "of \(ways.sorted()) only \(seen) were seen",
      sourceLocation: sourceLocation)
  }

  /// - Returns: Which ways the rounds went; nil if not all was well.
  private func run(
    _ numbers: Range<Int>, _ crew: RaceCrew, _ make: (Int, inout RandomSource) throws -> RaceRound
  ) async throws -> [String]? {
    var batch: [RaceRound] = []
    var turns: [[RaceCrew.Turn]] = []
    for number in numbers {
      var random = RandomSource(seed: UInt64(number) &* 6_364_136_223_846_793_005)
      let round = try make(number, &random)
      batch.append(round)
      turns.append(round.bodies.map { RaceCrew.Turn(delay: random.delay(), body: $0) })
    }
    guard crew.run(turns) else {
      Issue.record("rounds \(numbers) hang", sourceLocation: sourceLocation)
      return nil
    }
    turns = []
    for round in batch { round.afterwards() }
    for (number, round) in zip(numbers, batch) {
      let left = await round.drain()
      guard left.isEmpty else {
        report(left, number)
        return nil
      }
    }
    // Only now, so that something that comes too late has had some time to come.
    for (number, round) in zip(numbers, batch) {
      let problems = round.problems()
      guard problems.isEmpty else {
        report(problems, number)
        return nil
      }
    }
    return batch.compactMap { $0.way() }
  }

  private func report(_ problems: [String], _ number: Int) {
    Issue.record(
      "round \(number): \(problems.prefix(5).joined(separator: "\n"))",
      sourceLocation: sourceLocation)
  }
}
