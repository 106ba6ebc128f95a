import Foundation
import TestSupport
import Testing

@testable import ShellSession

/// What 'at' shows of a moment is what was shown at it.
///
/// `OPSH_PAST=virtual:123` takes the session of one seed alone.
@Suite("'at' in random sessions", .timeLimit(.minutes(15))) struct AtPropertyTests {
  @Test("On the virtual clock, it shows of a time and of a position what was printed then")
  func virtual() throws {
    try check("virtual", sessions: TestScale.count(60, long: 1_000), statements: 25) {
      answer, session in
      let atTime = try session.fixture.shown(by: "at \(answer.time) \(answer.question)")
      let atPosition = try session.fixture.shown(by: "at #\(answer.position) \(answer.question)")
      return Self.difference(answer.lines, atTime)
        ?? Self.differenceAtEvent(answer.lines, atPosition)
    }
  }

  @Test("On the real clock, it shows of a position what was printed there")
  func real() throws {
    try check("real", sessions: TestScale.count(100, long: 400), statements: 8) {
      answer, session in
      let shown = try session.fixture.shown(by: "at #\(answer.position) \(answer.question)")
      return Self.differenceAtEvent(answer.lines, shown)
    }
  }

  private func check(
    _ kind: String, sessions: Int, statements: Int,
    _ difference: (PastSession.Answer, PastSession) throws -> String?
  ) throws {
    let chosen = ProcessInfo.processInfo.environment["OPSH_PAST"]?.split(separator: ":")
    if let chosen, chosen.first.map(String.init) != kind { return }
    let seeds = chosen?.last.flatMap { UInt64($0) }.map { $0...$0 } ?? 1...UInt64(sessions)
    var (compared, failures) = (0, 0)
    for seed in seeds where failures < 3 {
      var session = try PastSession(seed: seed, isVirtual: kind == "virtual")
      try session.run(statements)
      for answer in session.answers {
        compared += 1
        guard let found = try difference(answer, session) else { continue }
        Issue.record(
          """
          OPSH_PAST=\(kind):\(seed)
          \(answer.question) at \(answer.time), #\(answer.position)
          \(found)
          \(session.script.suffix(3_000))
          """)
        failures += 1
        break
      }
    }
    // Otherwise little was asked.
    if chosen == nil, failures == 0 { #expect(compared > 10 * sessions) }
  }

  /// The first lines that differ; nil if none do.
  private static func difference(_ then: [String], _ now: [String]) -> String? {
    guard then != now else { return nil }
    let index = zip(then, now).enumerated().first { $1.0 != $1.1 }?.offset
    guard let index else { return "then \(then.count) lines, now \(now.count)" }
    return "then: \(then[index])\nnow:  \(now[index])"
  }

  /// The same, where what was printed may be later than the last event before it: without what counts
  /// up to the present, and without what changes between two events of the log, which are the
  /// statement of a body, the thread of an operation, and which queue is in use.
  private static func differenceAtEvent(_ then: [String], _ now: [String]) -> String? {
    // The pace of a queue ends by itself.
    guard !(then + now).contains(where: { $0.contains(" pace") || $0.contains("the next one in") })
    else { return nil }
    return difference(then.map(atEvent), now.map(atEvent))
  }

  private static func atEvent(_ line: String) -> String {
    guard !line.hasPrefix("thread ") else { return "" }
    return line.replacing(#/[0-9.]+ (ns|µs|ms|s|min|h)\b/#, with: "TIME")
      .replacing(#/[:,] (its body (runs|waits for a thread)|TIME left).*/#, with: "")
      .replacing(" * ", with: "   ").replacing(#/ +/#, with: " ")
  }
}
