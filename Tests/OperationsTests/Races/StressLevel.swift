import Foundation
import Testing

/// How many rounds a stress takes.
///
/// An ordinary run takes a share of each; `scripts/test --long` takes millions in all, and a run
/// under the thread sanitizer, which is some ten times slower, a tenth of the share. With
/// `OPSH_STRESS_TIMES` in the environment each says how fast it went.
enum StressLevel {
  private static let environment = ProcessInfo.processInfo.environment

  /// After this time a stress ends early and is content: on a busy machine a long run would
  /// otherwise come near the limit of a test.
  private static let longest = Duration.seconds(240)

  static func isEnough(since began: ContinuousClock.Instant) -> Bool {
    ContinuousClock.now - began > longest
  }

  static func rounds(_ share: Int, long: Int) -> Int {
    if environment["OPSH_SANITIZED"] != nil { return max(1, share / 10) }
    return environment["OPSH_LONG_TESTS"] == nil ? share : long
  }

  static func report(
    _ rounds: Int, since began: ContinuousClock.Instant, _ sourceLocation: SourceLocation
  ) {
    guard environment["OPSH_STRESS_TIMES"] != nil else { return }
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    print(
      "\(sourceLocation.fileName):\(sourceLocation.line): \(rounds) rounds in \(seconds) s, "
        + "\(Int(Double(rounds) / seconds)) a second")
  }
}
