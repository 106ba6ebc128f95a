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

  /// Whether this is a long run.
  static var isFull: Bool {
    environment["OPSH_SANITIZED"] == nil && environment["OPSH_LONG_TESTS"] != nil
  }

  static func rounds(_ share: Int, long: Int) -> Int {
    if environment["OPSH_SANITIZED"] != nil { return max(1, share / 10) }
    return environment["OPSH_LONG_TESTS"] == nil ? share : long
  }

  /// The seeds of random runs of a kind; if a variable such as `OPSH_GRAPH=4:123` is set, only the
  /// one that it names, and only for the kind that it names.
  static func seeds(of kind: String, variable: String, _ share: Int, long: Int) -> [UInt64] {
    guard let parts = environment[variable]?.split(separator: ":") else {
      return Array(1...UInt64(rounds(share, long: long)))
    }
    return parts.first.map(String.init) == kind ? [UInt64(parts.last ?? "") ?? 0] : []
  }

  /// Takes random runs at a width, one for each of the seeds, until one has problems.
  static func runSeeds(
    width: Int, variable: String, _ share: Int, long: Int,
    sourceLocation: SourceLocation = #_sourceLocation, problems: (UInt64) throws -> [String]
  ) rethrows {
    let began = ContinuousClock.now
    let seeds = seeds(of: "\(width)", variable: variable, share, long: long)
    var done = 0
    for seed in seeds where !isEnough(since: began) {
      let problems = try problems(seed)
      guard problems.isEmpty else {
        Issue.record(
          "\(variable)=\(width):\(seed)\n\(problems.prefix(5).joined(separator: "\n"))",
          sourceLocation: sourceLocation)
        return
      }
      done += 1
    }
    check(done, of: seeds.count, share: share, since: began, sourceLocation: sourceLocation)
  }

  /// Checks that as many rounds were done as were planned: a race that was run three times proves
  /// nothing.
  ///
  /// Fewer are enough only where the time was up, which a share never takes, and then there must
  /// have been at least as many as in a share.
  static func check(
    _ rounds: Int, of planned: Int, share: Int? = nil, since began: ContinuousClock.Instant,
    seen: [String: Int] = [:], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let least = isEnough(since: began) ? min(planned, share ?? planned) : planned
    #expect(
      rounds >= least, "\(rounds) of \(planned) rounds were done", sourceLocation: sourceLocation)
    report(rounds, since: began, seen, sourceLocation)
  }

  private static func report(
    _ rounds: Int, since began: ContinuousClock.Instant, _ seen: [String: Int],
    _ sourceLocation: SourceLocation
  ) {
    guard environment["OPSH_STRESS_TIMES"] != nil else { return }
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    print(
      "\(sourceLocation.fileName):\(sourceLocation.line): \(rounds) rounds in \(seconds) s, "
        + "\(Int(Double(rounds) / seconds)) a second"
        + seen.sorted { $0.key < $1.key }.map { ", \($0.value) \($0.key)" }.joined())
  }
}
