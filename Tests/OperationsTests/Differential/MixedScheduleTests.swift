import Foundation
import Operations
import Testing

/// Random graphs in which exclusive names, delays, barriers and groups meet, judged by their log.
///
/// `OPSH_MIX=4:123` runs one graph at width 4 alone (the threads may still race differently).
@Suite(.timeLimit(.minutes(15))) struct MixedScheduleTests {
  private static let alone = ProcessInfo.processInfo.environment["OPSH_MIX"]

  private static func seeds(_ width: Int) -> [UInt64] {
    if let alone {
      let parts = alone.split(separator: ":")
      return parts.first.map(String.init) == "\(width)" ? [UInt64(parts.last ?? "") ?? 0] : []
    }
    return Array(1...UInt64(StressLevel.rounds(30, long: 6_000)))
  }

  @Test(
    "Random schedules obey the rules of names, delays, barriers and groups",
    arguments: [1, 2, 3, 4, 8, -1])
  func promises(width: Int) throws {
    let began = ContinuousClock.now
    let seeds = Self.seeds(width)
    var done = 0
    for seed in seeds where !StressLevel.isEnough(since: began) {
      let problems = try MixedSchedule(width: width, seed: seed).run(seed: seed)
      #expect(
        problems.isEmpty,
        "OPSH_MIX=\(width):\(seed)\n\(problems.prefix(5).joined(separator: "\n"))")
      if !problems.isEmpty { return }
      done += 1
    }
    StressLevel.check(done, of: seeds.count, share: 30, since: began)
  }
}
