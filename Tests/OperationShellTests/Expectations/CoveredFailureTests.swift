import Operations
import TestSupport
import Testing

@testable import ShellSession

/// What decides which failures a met expectation covers: how the operation ended, and no race.
@Suite("Failures that the condition of a met expectation covers", .timeLimit(.minutes(15)))
struct CoveredFailureTests {
  struct Case: Sendable, CustomTestStringConvertible {
    /// What stands between the building of the operations and the resuming of their queue.
    var before = ""
    var after = ""
    /// The ids of the operations whose failure is not expected.
    var uncovered: [Int] = []

    var testDescription: String { "\(before) | \(after) → \(uncovered)" }
  }

  enum Clock: String, Sendable, CaseIterable {
    case real, virtual
  }

  /// The operations fail one after another.
  private static let operations =
    "queue pause; block { fail no } --name a; block { fail no } --name b --after a\n"

  /// Conditions that are met before the operations start; both fail after that.
  private static let early: [(condition: String, uncovered: [Int])] = [
    ("a.outcome != succeeded", [2]),
    ("a.outcome != cancelled", [1, 2]),
    ("a.outcome == null", [1, 2]),
    ("a.error == null", [1, 2]),
    ("a.refusal == null", [1, 2]),
    ("a.error == null or a.error.code == script", [2]),
    ("(a.error.code ?? none) != timed-out", [1, 2]),
    ("not a.cancelled", [1, 2]),
    ("a.cancelled == false", [1, 2]),
    ("a.status == null", [2]),
    ("a.state != finished", [1, 2]),
    ("a.state != finished or a.outcome == failed", [2]),
    // With the state in which it ended.
    ("a.state != finished and a.outcome != succeeded", [1, 2]),
    ("b.state != finished and a.outcome != succeeded", [2]),
    ("network.paused and a.outcome != succeeded", [2]),
    // Negations.
    ("not (a.outcome == succeeded)", [2]),
    ("not (a.outcome == succeeded or a.outcome == skipped)", [2]),
    ("not (a.outcome == cancelled)", [1, 2]),
    ("not (a.state == finished and not (a.outcome == failed))", [2]),
    ("not (a.outcome == failed)", [1, 2]),
    // Several operations; what is not evaluated counts as well.
    ("a.outcome != succeeded or b.outcome == failed", []),
    ("a.outcome != succeeded and b.outcome != succeeded", []),
    ("true or a.outcome == failed", [2]),
    ("true or a.outcome == cancelled", [1, 2]),
    ("a.outcome == null and b.outcome != succeeded", [1]),
    ("(a.outcome != succeeded) == true", [2]),
    ("a.outcome in list(failed, skipped) or true", [2]),
    ("a.outcome in list(failed, succeeded) or true", [1, 2]),
    ("a.outcome matches \"fail*\" or true", [2]),
    ("a.outcome matches \"*ed\" or true", [1, 2]),
    ("\"${a.outcome ?? none}\" != succeeded", [2]),
    ("1.outcome != succeeded", [2]),
    ("last.outcome != succeeded", [1]),
    // Counts.
    ("(count of a* where outcome == failed) <= 5", [2]),
    ("(count of ops where outcome == failed) <= 5", []),
    ("(count of ops where outcome == failed) <= 0", [1, 2]),
    ("(count of ops where outcome == failed) == 0", [1, 2]),
    ("(count of ops where outcome != succeeded) >= 1", []),
    ("(count of ops where outcome != cancelled) >= 1", [1, 2]),
    ("(count of ops where not (outcome == succeeded)) == 2", []),
    ("not ((count of ops where outcome == failed) > 1)", []),
    ("(count of ops where outcome == succeeded) == 0", [1, 2]),
    ("(count of ops where state != finished) == 2", [1, 2]),
    ("(count of ops where id == 1 and outcome != succeeded) == 1", [2]),
    ("(count of ops where id == 2 and outcome != succeeded) <= 1 and a.outcome != succeeded", []),
  ]

  /// Conditions that are met when an operation has failed, or after that.
  private static let late: [(condition: String, uncovered: [Int])] = [
    ("a.outcome == failed", [2]),
    ("b.outcome == failed", [1]),
    ("a.outcome == failed or b.outcome == failed", []),
    ("a.outcome == failed and b.outcome == failed", []),
    ("a.outcome != null", [1, 2]),
    ("a.error", [2]),
    ("a.error != null", [2]),
    ("a.error.code == script", [2]),
    ("a.error.code != timed-out", [2]),
    ("a.error.code in list(script, timed-out)", [2]),
    ("a.state == finished", [1, 2]),
    ("a.state == finished and a.error.code matches \"scr*\"", [2]),
    ("not (a.outcome != failed)", [2]),
    ("(count of ops where outcome == failed) >= 1", []),
    ("(count of ops where outcome == failed) == 2", []),
    ("(count of ops where error.code == script) >= 1", []),
    ("(count of ops where state == finished and not cancelled) >= 1", [1, 2]),
    ("(count of b* where finished after a.finished and outcome == failed) == 1", [1]),
  ]

  private static let others = [
    // Through a variable or a definition.
    Case(before: "let o = (a.outcome != succeeded); expect ($o)", uncovered: [1, 2]),
    Case(
      before: "def fails { return (a.outcome != succeeded) }; let o = fails; expect ($o)",
      uncovered: [1, 2]),
    Case(
      before: "let c = block { fail no } --name c\nexpect ($c.outcome != succeeded)",
      uncovered: [1, 2]),
    Case(
      before: "let c = block { fail no } --name c\nexpect ($c[\"outcome\"] != succeeded)",
      uncovered: [1, 2]),
    Case(before: "let l = ops\nexpect ($l.first.outcome != succeeded)", uncovered: [2]),
    Case(
      before: "let l = ops\nexpect ((count of $l where outcome != succeeded) == 2)", uncovered: []),
    // A variable that changes later.
    Case(
      before: "let n = 1; expect ($n == 1 and a.outcome != succeeded); let n = 2", uncovered: [2]),
    // Renamed before and after.
    Case(before: "name a z; expect (z.outcome != succeeded)", uncovered: [2]),
    Case(before: "expect (a.outcome != succeeded); name a z", uncovered: [2]),
    Case(
      before: "expect ((count of a* where outcome != succeeded) == 1); name a z; name b a",
      uncovered: [2]),
    // Another operation, of the same name or by a retry.
    Case(
      before: "expect ((count of ops where outcome == failed) <= 9)",
      after: "wait a --any-outcome; block { fail no } --name a", uncovered: [3]),
    Case(after: "expect (a.outcome == failed) within 20s; retry a", uncovered: [2, 3]),
    // One failure too many.
    Case(
      before: "block { fail no } --name c --hold",
      after: "expect ((count of ops where outcome == failed) == 2) within 20s; start c",
      uncovered: [3]),
    // Groups.
    Case(
      before: "group g { block { fail no } --name c }; expect (g.outcome != succeeded)",
      uncovered: [1, 2, 4]),
    // What covers nothing.
    Case(after: "never (a.outcome == succeeded) until (a.outcome == failed)", uncovered: [1, 2]),
    Case(after: "try { expect (a.outcome == skipped) within 20s } catch e { }", uncovered: [1, 2]),
    Case(after: "on a failed { echo failed }", uncovered: [1, 2]),
  ]

  private static var cases: [Case] {
    early.map { Case(before: "expect (\($0.condition))", uncovered: $0.uncovered) }
      // Met already when its wait begins.
      + early.map { Case(before: "expect (\($0.condition)) within 20s", uncovered: $0.uncovered) }
      + late.map { Case(after: "expect (\($0.condition)) within 20s", uncovered: $0.uncovered) }
      // Both have ended when the statement begins.
      + late.map { late in
        Case(
          after: "expect (b.state == finished) within 20s; expect (\(late.condition))",
          uncovered: late.uncovered)
      }
      + others
  }

  @Test(
    "How an operation ends decides, not when the expectation is met", arguments: cases,
    Clock.allCases)
  func covered(_ test: Case, _ clock: Clock) throws {
    let fixture = try ShellFixture(
      "set clock \(clock.rawValue)\n" + Self.operations + test.before + "\nqueue resume\n"
        + test.after)
    _ = try fixture.session.run.settle { _ in }
    #expect(fixture.session.jobs.failures.unexpected.sorted() == test.uncovered)
  }

  @Test(
    "The status of a response that is expected covers its failure, before its body has come or not",
    arguments: [
      ("h.status == 400", true), ("h.status >= 400", true), ("h.status > 299", true),
      ("h.status in list(400, 404)", true), ("not (h.status in (200..299))", true),
      ("h.refusal != null", true), ("h.error.code matches \"invalid-status-code*\"", true),
      ("h.status", false), ("h.status < 600", false), ("h.status != 200", false),
      ("h.status != 200 or h.status == 400", true),
      ("h.status == 400 and h.state == executing", false),
    ], Clock.allCases)
  func statuses(_ test: (condition: String, isCovered: Bool), _ clock: Clock) throws {
    let fixture = try ShellFixture(
      "set clock \(clock.rawValue)\nget /2.3/nope --name h; "
        + "try { expect (\(test.condition)) within 20s } catch e { }")
    _ = try fixture.session.run.settle { _ in }
    #expect(fixture.session.jobs.failures.unexpected.isEmpty == test.isCovered)
  }

  @Test(
    "The status of a success covers no response whose body is broken", arguments: Clock.allCases)
  func brokenBody(_ clock: Clock) throws {
    let post = """
      post /1/classes/Quote --json '{"text":"So be it"}' --name p \
      --header 'X-Parse-Application-Id: opsh' --header 'X-Parse-REST-API-Key: practice'
      """
    let fixture = try ShellFixture(
      "set clock \(clock.rawValue)\nserver fault broken-gzip --route 'POST /1/classes/*'\n\(post)\n"
        + "expect (p.status == 201) within 20s")
    _ = try fixture.session.run.settle { _ in }
    #expect(fixture.session.jobs.failures.unexpected == [1])
    try fixture.run("expect (p.status == 201 and p.error.code == bad-response)")
    #expect(fixture.session.jobs.failures.unexpected.isEmpty)
  }

  @Test("Expectations about operations that have ended are not kept")
  func kept() throws {
    let fixture = try ShellFixture(
      "delay 1ms --name d; block { fail no } --name a\nwait --any-outcome\n"
        + "repeat 3 { expect (d.outcome == succeeded and a.outcome == failed) }")
    #expect(fixture.session.jobs.failures.awaitedCount == 0)
    try fixture.run(
      "queue pause; delay 1ms --name e; repeat 3 { expect (e.outcome == null) }")
    #expect(fixture.session.jobs.failures.awaitedCount == 1)
    try fixture.run("queue resume; wait")
    #expect(fixture.session.jobs.failures.awaitedCount == 0)
  }

  @Test("Of an expectation in a long loop only the newest conditions are kept, and cover a failure")
  func bounded() throws {
    let fixture = try ShellFixture(
      "queue pause; block { fail no } --name a; let n = 0\n"
        + "while ($n < 1000) { expect (a.outcome != succeeded and $n >= 0); let n = ($n + 1) }")
    #expect(fixture.session.jobs.failures.awaitedCount == 100)
    try fixture.run("queue resume")
    _ = try fixture.session.run.settle { _ in }
    #expect(fixture.session.jobs.failures.awaitedCount == 0)
    #expect(fixture.session.jobs.failures.unexpected.isEmpty)
  }
}
