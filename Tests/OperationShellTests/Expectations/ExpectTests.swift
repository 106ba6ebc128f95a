import Foundation
import ShellLanguage
import OpshTerminal
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Expectations", .timeLimit(.minutes(15)))
struct ExpectTests {
  @Test(
    "A met expectation is not an error",
    arguments: [
      "delay 1ms; expect (delay-1.state == finished) within 20s",
      "delay 1ms; expect (delay-1.state == finished) within 20s because 'it is short'",
      "delay 1ms; wait; expect (delay-1.outcome == succeeded) because \"it $delay is\"",
      "delay 1ms; delay 1ms --after delay-1; wait; expect (delay-1.finished before delay-2.started)",
      "delay 1ms --count 3; wait; expect ((count of ops where state == finished) >= 3)",
      "delay 1ms --count 3; expect ((count of delay-* where outcome == succeeded) == 3) within 20s",
      "queue new narrow; expect ((count of queues where name == narrow) == 1)",
      "expect ((count of list(1, 2, 3)) == 3)",
      "let some = (list(1, 2)); expect ((count of $some) == 2)",
      "expect ((count of ops) == 0)",
      // A property that is null may still get a value.
      "let q = block { sleep 5ms; fail \"no\" }; expect ($q.error.code == script) within 20s",
      "let q = fetch questions; expect ($q.result.items[0].score != -1) within 20s",
      "let q = block { fail 'no' }; never ($q.error.code == other) until ($q.error.code == script); expect ($q.error.code == script)",
      "delay 1ms; wait; delay 60s; expect (delay-2.state == executing) within 20s",
      "fetch questions --pagesize 2; expect (questions-1.bytes > 0) within 20s",
      "queue pause; block { queue resume } --queue other; expect (network.paused == false) within 20s",
      "delay 5ms; never (delay-1.outcome == failed) until (delay-1.state == finished)",
      "delay 5ms; delay 1ms --after delay-1; never (delay-2.state == executing) until (delay-1.state == finished)",
      "delay 2ms --count 6; never ((count of ops where state == executing) > 2) until ((count of ops where state == finished) == 6)",
      "block { fail 'no' }; never (last.outcome == succeeded) until (last.outcome == failed) within 20s; expect (last.outcome == failed)",
    ])
  func met(_ script: String) throws {
    let script = script.replacingOccurrences(of: "$delay", with: "delay")
    let prepared = script.contains("--queue other") ? "queue new other; " + script : script
    let fixture = try ShellFixture(prepared)
    #expect(fixture.session.jobs.failures.unexpected.isEmpty)
  }

  @Test(
    "A failed expectation reports the expected and actual values",
    arguments: [
      (
        "queue pause; delay 1ms; expect (delay-1.state == finished) within 20s",
        "expectation failed: (delay-1.state == finished) within 20s; delay-1.state is ready, and nothing can happen any more: 'delay-1': queue 'network' is paused ('queue resume network')"
      ),
      (
        "queue pause; delay 1ms; expect (delay-1.state == finished and (count of ops) == 2) within 20s",
        "expectation failed: (delay-1.state == finished and (count of ops) == 2) within 20s; delay-1.state is ready, count of ops is 1, and nothing can happen any more: 'delay-1': queue 'network' is paused ('queue resume network')"
      ),
      (
        "queue pause; delay 1ms; expect (network.ready == 0) within 20s",
        "expectation failed: (network.ready == 0) within 20s; network.ready is 1, and nothing can happen any more: 'delay-1': queue 'network' is paused ('queue resume network')"
      ),
      (
        "delay 10s; expect (delay-1.state == finished) within 5ms because 'it is short'",
        "expectation failed: (delay-1.state == finished) within 5ms because \"it is short\"; delay-1.state is executing"
      ),
      (
        "delay 1ms; expect (delay-1.error.code == x) within 20s",
        "expectation failed: (delay-1.error.code == x) within 20s; delay-1.error.code has no value: null has no property 'code', and nothing can happen any more"
      ),
      (
        "delay 1ms; wait; expect (delay-1.outcome == failed)",
        "expectation failed: (delay-1.outcome == failed); delay-1.outcome is succeeded"
      ),
      (
        "delay 1ms --count 2; wait; expect ((count of ops where state == finished) == 3)",
        "expectation failed: ((count of ops where state == finished) == 3); count of ops where state == finished is 2"
      ),
      (
        "delay 1ms; never (delay-1.state == finished) until (delay-1.outcome == failed)",
        "expectation failed: never (delay-1.state == finished) until (delay-1.outcome == failed); delay-1.state is finished, delay-1.outcome is succeeded"
      ),
      (
        "queue pause; delay 1ms; never (network.width == 9) until (network.ready == 0)",
        "expectation failed: never (network.width == 9) until (network.ready == 0); neither can happen any more: network.width is 2, network.ready is 1; 'delay-1': queue 'network' is paused ('queue resume network')"
      ),
      (
        "queue pause; delay 1ms; never (delay-1.outcome == failed) until (delay-1.state == finished)",
        "expectation failed: never (delay-1.outcome == failed) until (delay-1.state == finished); neither can happen any more: delay-1.outcome is null, delay-1.state is ready; 'delay-1': queue 'network' is paused ('queue resume network')"
      ),
    ])
  func failed(_ script: String, _ message: String) throws {
    let fixture = try ShellFixture()
    let error = try fixture.error(of: script)
    #expect(error.message == message)
    #expect(error.underlying is ExpectationFailure)
    #expect(error.phase == .running)
  }

  @Test("A failed expectation lists the last transitions")
  func transitions() throws {
    let fixture = try ShellFixture()
    let error = try fixture.error(
      of: "delay 1ms --count 5; wait; expect ((count of ops where outcome == failed) > 0)")
    let failure = try #require(error.underlying as? ExpectationFailure)
    #expect(failure.transitions.count == 14)
    #expect(failure.transitions[1].plain == "  … 8 earlier ones")
    #expect(failure.transitions.last?.plain.contains("executing → finished") == true)
  }

  @Test("'never' detects a condition that held only for a moment")
  func passed() throws {
    let fixture = try ShellFixture()
    // The second finishes on another thread while the interpreter is delayed between two checks;
    // the first takes long enough that both exist at the first check.
    let error = try fixture.error(
      of: """
        delay \(TestScale.isSanitized ? 2000 : 300)ms --hold --name quick
        on quick finished { sleep 30ms }
        start quick
        delay 20ms --name slow --after quick
        never (slow.state == executing) until (slow.state == finished)
        """)
    #expect(error.message.contains("; slow.state is executing"))
  }

  @Test("A failure counted by its outcome in a met expectation is expected, other failures are not")
  func accounted() throws {
    let counted = try ShellFixture(
      "block { fail 'a' }; block { fail 'b' }; "
        + "expect ((count of ops where outcome == failed) == 2) within 20s")
    #expect(counted.session.jobs.failures.unexpected.isEmpty)
    let other = try ShellFixture(
      "block { fail 'a' }; expect ((count of ops where state == finished) == 1) within 20s")
    #expect(other.session.jobs.failures.unexpected.count == 1)
  }

  @Test(
    "Errors in an expectation are found without running it",
    arguments: [
      ("expect ((count of oops) > 1)", "unknown-collection", 18),
      ("expect ((count of 3) > 1)", "type-mismatch", 18),
      ("expect ((count of ops where $x > 1) > 1)", "undefined-variable", 28),
      ("never (1 == 2)", "missing-argument", 0),
      ("never (1 == 2) until", "missing-argument", 0),
      ("expect (1 == 1) because", "missing-argument", 0),
      ("expect (1 == 1) within long", "wrong-kind", 23),
      ("expect (1 == 1) becuase x", "unexpected-argument", 16),
    ])
  func checked(_ script: String, _ code: String, _ offset: Int) throws {
    let fixture = try ShellFixture()
    let found = fixture.session.run.check(
      Parser.parse(SourceText(name: "test", text: script)), isWhole: true,
      in: fixture.shell.interpreter.makeContext())
    #expect(found.map(\.code) == [code])
    #expect(found.first?.range.lower == offset)
  }

  @Test("A count follows another operation that its condition names")
  func namedInCondition() throws {
    let fixture = try ShellFixture("set clock virtual; delay 1ms --count 2; delay 1s --name b")
    let met = "expect ((count of ops where b.state == finished) == 3) within 5s"
    #expect(throws: Never.self) { try fixture.run(met) }
  }

  @Test("A condition on many operations reads missing properties and their members as null")
  func missingParts() throws {
    let fixture = try ShellFixture(
      "block { fail no } --name bad; delay 1ms; wait --any-outcome")
    let found = try fixture.run("ops --where 'error.code == script'")
    guard case .list(let operations) = found else {
      Issue.record("\(found)")
      return
    }
    #expect(operations.count == 1)
    try fixture.run(
      """
      expect ((count of ops where error.code == script) == 1) within 1s
      expect ((count of ops where error.code != script) == 1)
      """)
    #expect(try fixture.error(of: "wait; echo (delay-1.error.code)").code == "no-value")
  }

  @Test("'--json' on a command prints objects for that command only")
  func perCommandJSON() throws {
    let fixture = try ShellFixture("delay 1ms; wait")
    let lines = try fixture.output(of: "ops --json")
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("{\"type\":\"operation\"") == true)
    #expect(
      try fixture.output(of: "echo hello --json").first?.contains("\"text\":\"hello\"") == true)
    #expect(try fixture.output(of: "echo hello") == ["hello"])
    #expect(
      try fixture.output(of: "expect (1 == 1) --json").first?.contains("\"met\":true") == true)
  }
}
