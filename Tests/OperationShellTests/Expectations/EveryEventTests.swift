import Operations
import ShellLanguage
import ShellOutput
import TestSupport
import Testing

@testable import ShellSession

@Suite("Expectations look at every event", .timeLimit(.minutes(15)))
struct EveryEventTests {
  /// Number of condition evaluations for an expectation on the given number of operations.
  private func checks(_ count: Int, _ expectation: String) throws -> Int {
    let fixture = try ShellFixture(
      "set clock virtual; queue width 4; let all = delay 1ms --count \(count)")
    let statement = expectation.replacing("COUNT", with: "\(count)")
    let before = fixture.session.jobs.conditionCheckCount
    try fixture.run(statement)
    #expect(fixture.session.jobs.engine.log.count == 4 * count)
    return fixture.session.jobs.conditionCheckCount - before
  }

  @Test(
    "The cost of an expectation grows linearly with the number of operations",
    arguments: [
      "never ((count of ops where state == executing) > 4) until ((count of ops where state == finished) == COUNT)",
      "expect ((count of ops where outcome == succeeded) == COUNT) within 1h",
      "expect ((count of delay-* where outcome == succeeded) == COUNT) within 1h",
      "expect ((count of $all where state == finished and duration > 0) == COUNT) within 1h",
      "expect ((count of ops where started after delay-1.started) == (COUNT - 1)) within 1h; wait",
      "never ((count of ops where running > 1s) > 0) until (delay-COUNT.state == finished)",
      "never ((count of ops where waiting > 1h) > 0) until (delay-COUNT.state == finished)",
      "never ((count of ops where waiting > 1h or running < 0) > 0) until (delay-COUNT.state == finished)",
      "expect ((count of ops where waiting > 1ms) == (COUNT - 8)) within 1h; wait",
      "never (network.executing > 4) until (delay-COUNT.state == finished)",
      "never ((count of ops where bytes > 0 or priority == high) > 0) until (delay-COUNT.outcome == succeeded)",
    ])
  func steps(_ expectation: String) throws {
    let count = TestScale.isSanitized ? 1_000 : 5_000
    let few = try checks(count / 10, expectation)
    let many = try checks(count, expectation)
    #expect(many <= 12 * max(few, 1), "\(few) and \(many)")
    // For each count: once at the start, at each of four events, at the end, and when a duration
    // reaches the value it is compared with.
    #expect(many <= count * 100, "\(many)")
  }

  @Test(
    "Counts updated at each event equal counts computed from scratch",
    arguments: [
      ("ops", "state == executing"), ("ops", "outcome == failed"), ("ops", "cancelled"),
      ("d-*", "state != finished"), ("d*", "duration > 0 or wait > 0"),
      ("ops", "started after d-1.started"), ("ops", "error.code == script"),
      ("ops", "running >= 0"), ("ops", "waiting > 1ms"), ("ops", "state in list(ready, pending)"),
      ("ops", "priority == high"), ("ops", "id > $id"), ("$all", "state == finished"),
    ])
  func agreement(_ things: String, _ condition: String) throws {
    // The condition of a count inside another count is always evaluated from scratch.
    let anew = "count of \(things) where (\(condition)) and (count of queues) > 0"
    let kept = "count of \(things) where \(condition)"
    for keep in ["100", "2"] where keep == "100" || things == "ops" {
      let fixture = try ShellFixture(
        """
        set clock virtual
        set keep \(keep)
        let id = 3
        queue new side --width 1
        queue pause
        queue pause side
        delay 3ms --name d --count 6
        block --name b --retry 2 --backoff 1ms --queue side { fail "no" }
        delay 2ms --name s --queue side --count 3 --priority high
        delay 1h --name c --queue side
        group g { delay 2ms --name x --count 2; delay 1ms --name y --after x-1 }
        let all = ops
        on d-2 finished { delay 1ms --name late --count 2; cancel c; priority d-6 high }
        queue resume
        queue resume side
        """)
      try fixture.run("never ((\(kept)) != (\(anew))) until (b.outcome == failed) within 1h")
      // The failure of 'b', which is intended.
      #expect(fixture.session.jobs.failures.unexpected.count == 1)
    }
  }

  @Test("Counts of a queue are evaluated at each event")
  func queues() throws {
    let fixture = try ShellFixture("set clock virtual; queue width 3; delay 1s --count 7")
    try fixture.run("delay 1s --name end --after delay-7")
    let error = try fixture.error(
      of: "never (network.executing > 2) until (end.state == finished)")
    #expect(error.message.contains("; network.executing is 3"))
    try fixture.run("wait; expect (network.finished == 8)")
  }

  @Test(
    "A growing duration is evaluated when it passes the value it is compared with",
    arguments: [
      ("expect (delay-1.running > 2s) within 1m", 2.001),
      ("expect (delay-1.running >= 2s) within 1m", 2),
      ("expect ((count of ops where running > 1500ms) == 1) within 1m", 1.501),
      ("queue pause; delay 1s --name late; expect (late.waiting >= 5s) within 1m", 5),
      ("expect (delay-1.running + 1 >= 3) within 1m", 2),
      ("expect ((count of ops where running + 1 >= 3) == 1) within 1m", 2),
      ("delay 10s; expect ((count of ops where running >= 2s or waiting > 3s) == 2) within 1m", 2),
    ])
  func grows(_ script: String, _ seconds: Double) throws {
    let fixture = try ShellFixture("set clock virtual; delay 10s; " + script)
    let elapsed = fixture.session.run.clock.elapsed(fixture.session.run.clock.now)
    #expect((elapsed * 1000).rounded() / 1000 == seconds)
  }

  @Test(
    "A comparison with a constant duration can never become true",
    arguments: [
      ("never (p.running == 5s) until (p.state == finished)", "never-ends"),
      ("expect ((p.running ?? 0) + 1 > 3) within 1h", "expectation-failed"),
      (
        "never ((count of ops where (running ?? 0) * 2 > 5s) > 0) until (p.state == finished)",
        "never-ends"
      ),
    ])
  func standsStill(_ statement: String, _ code: String) throws {
    let fixture = try ShellFixture("set clock virtual; queue pause; delay 1s --name p")
    let error = try fixture.error(of: statement)
    #expect(error.code == code, "\(error.message)")
  }

  @Test("A duration is evaluated just before each event")
  func endOfInterval() throws {
    let fixture = try ShellFixture("set clock virtual; delay 10s")
    let error = try fixture.error(
      of:
        "never (delay-1.state == executing and delay-1.running > 9s) until (delay-1.state == finished)"
    )
    #expect(error.message.contains("delay-1.state is executing"))
    try fixture.run("wait")
    #expect(
      try fixture.error(
        of:
          "never (delay-1.state == executing and delay-1.running > 9s) until (delay-1.state == finished)"
      ).code == "expectation-failed")
  }
}

@Suite("'never' after the end of its operations", .timeLimit(.minutes(15)))
struct NeverFromStartTests {
  private static let history =
    "set clock virtual; delay 1s --name a; delay 1s --name b --after a; wait; "

  @Test(
    "'never' examines the events since the start of the run",
    arguments: [
      ("never (b.state == executing) until (a.state == finished)", true),
      ("never (a.state == executing) until (b.state == finished)", false),
      ("never ((count of ops where state == executing) > 1) until (b.state == finished)", true),
      ("never ((count of ops where state == executing) > 0) until (b.state == finished)", false),
      ("never (network.executing == 1) until (b.state == finished)", false),
      ("never (network.executing == 2) until (b.state == finished)", true),
      ("never (b.duration > 0) until (a.duration > 0)", true),
      ("never (a.duration > 0) until (b.started)", false),
      ("never (a.cancelled) until (b.started)", true),
      // No log entry reports when the queue was resumed.
      ("never (a.state == executing) until (network.paused == false)", false),
      ("never (a.outcome == failed) until (network.paused == false)", true),
    ])
  func history(_ statement: String, _ isMet: Bool) throws {
    let fixture = try ShellFixture(Self.history)
    if isMet {
      #expect(try fixture.run(statement).text == "true")
    } else {
      #expect(try fixture.error(of: statement).code == "expectation-failed")
    }
  }

  @Test("'never' is an error if the log has discarded the events it needs")
  func forgotten() throws {
    let fixture = try ShellFixture(
      "set keep 3; delay 0s --count 20000; wait; delay 0s --name z; wait")
    let error = try fixture.error(of: "never (z.outcome == failed) until (z.state == finished)")
    #expect(error.code == "record-dropped")
    #expect(error.message.contains("no longer reaches back to the start of the run"))
    let counting = try ShellFixture("set keep 1; delay 0s --count 3; wait")
    #expect(try counting.pump { counting.session.jobs.operations.all.count == 1 })
    #expect(
      try counting.error(of: "never ((count of ops) > 9) until (delay-3.state == finished)").code
        == "record-dropped")
  }
}
