import Foundation
import OpshLocking
import Testing

/// The same random scripts on Foundation's queue and on ours.
///
/// `OPSH_GRAPH=whileSuspended:123` runs one graph alone.
@Suite(.timeLimit(.minutes(15))) struct FoundationDifferentialTests {
  @Test(
    "At width 1 random graphs run in Foundation's order", arguments: GraphScript.Family.allCases)
  func order(family: GraphScript.Family) {
    let progress = Locked(Progress())
    let finished = DispatchSemaphore(value: 0)
    let seeds = StressLevel.seeds(
      of: family.rawValue, variable: "OPSH_GRAPH", 1_000, long: 40_000)
    let began = ContinuousClock.now
    // On a thread of its own, because Foundation's queue offers no wait with an end.
    Thread {
      for seed in seeds where !StressLevel.isEnough(since: began) {
        progress.withLock { $0.seed = seed }
        let problem = Self.compare(GraphScript(seed: seed, family: family))
        let count = progress.withLock { progress in
          progress.done += 1
          if let problem { progress.problems.append(problem) }
          return progress.problems.count
        }
        if count == 3 { break }
      }
      finished.signal()
    }.start()
    let isOver = finished.wait(timeout: .now() + 600) == .success
    let (seed, problems, done) = progress.withLock { ($0.seed, $0.problems, $0.done) }
    #expect(isOver, "it hangs in OPSH_GRAPH=\(family.rawValue):\(seed)")
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    if isOver, problems.isEmpty {
      StressLevel.check(done, of: seeds.count, share: 1_000, since: began)
    }
  }

  private struct Progress {
    var seed: UInt64 = 0
    var done = 0
    var problems: [String] = []
  }

  /// What Foundation may still be busy with for a moment, see `runOnFoundation(keeping:)`.
  private static let kept = Locked<[Operation]>([])

  private static func compare(_ script: GraphScript) -> String? {
    var keep: [Operation] = []
    let expected = script.runOnFoundation(keeping: &keep)
    kept.withLock { $0 = keep }
    let name = "OPSH_GRAPH=…:\(script.seed)"
    do {
      guard let actual = try script.runOnEngine() else { return "\(name): does not drain" }
      return actual == expected ? nil : "\(name):\n  ours \(actual)\n  Foundation \(expected)"
    } catch {
      return "\(name): refused with \(error)"
    }
  }

  @Test("The random scripts contain ties, cancels, late adds and late dependencies")
  func variety() throws {
    var seen: Set<String> = []
    for seed in 1...100 as ClosedRange<UInt64> {
      for family in GraphScript.Family.allCases {
        let script = GraphScript(seed: seed, family: family)
        let trace = try #require(try script.runOnEngine())
        #expect((5...60).contains(script.nodes.count))
        if trace.turns != trace.ran { seen.insert("a turn without running") }
        if !trace.cancelled.isEmpty { seen.insert("cancelled") }
        if trace.turns.count < script.nodes.count { seen.insert("never added") }
        if trace.ran != trace.ran.sorted() { seen.insert("out of order") }
        for action in script.actions + script.nodes.flatMap(\.actions) {
          switch action {
          case .prioritize: seen.insert("prioritize")
          case .cancel: seen.insert("cancel")
          case .add: seen.insert("add")
          case .depend: seen.insert("depend")
          }
        }
      }
    }
    #expect(seen.count == 8, "\(seen.sorted())")
  }
}
