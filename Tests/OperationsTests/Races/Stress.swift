import Foundation
import Operations
import Testing

/// A race that is run many times, and judged each time.
struct Stress {
  /// How many rounds are made ready before the crew runs them one after the other.
  private static let batchSize = 50

  let rounds: Int
  let members: Int
  let sourceLocation: SourceLocation

  /// Plans so many rounds in an ordinary run, or in a long one, with that many threads.
  init(
    rounds: Int, long: Int, members: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    self.rounds = StressLevel.rounds(rounds, long: long)
    self.members = members
    self.sourceLocation = sourceLocation
  }

  /// Runs the race, of which `make` makes a round from its number.
  ///
  /// What it draws is the same in each run of the tests, so that the number of a failing round says
  /// which it was.
  func run(_ make: (Int, inout SplitMix) throws -> RaceRound) async throws {
    let crew = RaceCrew(size: members)
    defer { crew.dismiss() }
    let began = ContinuousClock.now
    var done = 0
    while done < rounds, !StressLevel.isEnough(since: began) {
      let numbers = done..<min(rounds, done + Self.batchSize)
      guard try await run(numbers, crew, make) else { return }
      done = numbers.upperBound
    }
    StressLevel.report(done, since: began, sourceLocation)
  }

  /// - Returns: Whether all was well.
  private func run(
    _ numbers: Range<Int>, _ crew: RaceCrew, _ make: (Int, inout SplitMix) throws -> RaceRound
  ) async throws -> Bool {
    var batch: [RaceRound] = []
    var turns: [[RaceCrew.Turn]] = []
    for number in numbers {
      var random = SplitMix(state: UInt64(number) &* 6_364_136_223_846_793_005)
      let round = try make(number, &random)
      batch.append(round)
      turns.append(round.bodies.map { RaceCrew.Turn(delay: random.delay(), body: $0) })
    }
    guard crew.run(turns) else {
      Issue.record("rounds \(numbers) hang", sourceLocation: sourceLocation)
      return false
    }
    turns = []
    for round in batch { round.afterwards() }
    for (number, round) in zip(numbers, batch) {
      let left = await round.drain()
      guard left.isEmpty else { return report(left, number) }
    }
    // Only now, so that something that comes too late has had some time to come.
    for (number, round) in zip(numbers, batch) {
      let problems = round.problems()
      guard problems.isEmpty else { return report(problems, number) }
    }
    return true
  }

  private func report(_ problems: [String], _ number: Int) -> Bool {
    Issue.record(
      "round \(number): \(problems.prefix(5).joined(separator: "\n"))",
      sourceLocation: sourceLocation)
    return false
  }
}
