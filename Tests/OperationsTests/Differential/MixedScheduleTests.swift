import Foundation
import Testing

/// Random graphs in which exclusive names, delays, barriers and groups meet, judged by their log.
///
/// `OPSH_MIX=4:123` runs one graph at width 4 alone (the threads may still race differently).
@Suite(.timeLimit(.minutes(15))) struct MixedScheduleTests {
  @Test(
    "Random schedules obey the rules of names, delays, barriers and groups",
    arguments: [1, 2, 3, 4, 8, -1])
  func promises(width: Int) throws {
    try StressLevel.runSeeds(width: width, variable: "OPSH_MIX", 30, long: 6_000) { seed in
      try MixedSchedule(width: width, seed: seed).run(seed: seed)
    }
  }
}
