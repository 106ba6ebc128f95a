import Operations
import TestSupport
import Testing

@testable import ShellSession

@Suite("Failures that an expectation covers", .timeLimit(.minutes(15)))
struct ExpectedFailureTests {
  private static let failing = "block { fail 'no' } --name a; "

  @Test(
    "A met expectation whose condition tells the failed operation from a success expects the failure",
    arguments: [
      "expect (a.outcome == failed) within 20s",
      "expect (a.error.code == script) within 20s",
      "wait a --any-outcome; expect (a.outcome != succeeded)",
      "expect (a.state == finished) within 20s; expect (a.state == finished and a.status == null)",
      "expect ((count of ops where outcome == failed) == 1) within 20s",
      "expect ((count of ops where error.code == script) == 1) within 20s",
      "expect ((count of ops where state == finished or outcome == failed) == 1) within 20s",
      "expect (a.state == finished or a.outcome == failed) within 20s",
      "let f = $ops; expect ((count of $f where outcome == failed) == 1) within 20s",
      "wait a --any-outcome", "wait queue network --any-outcome", "queue drain --any-outcome",
      "sleep 200ms; wait queue network --any-outcome", "sleep 200ms; queue drain --any-outcome",
      "try { wait a } catch e { }", "try { wait } catch e { }",
    ])
  func covered(_ statement: String) throws {
    let fixture = try ShellFixture(
      (Self.failing + statement).replacing("let f = $ops", with: "let f = ops"))
    _ = try fixture.pump { try fixture.operation("a").state == .finished }
    _ = try fixture.session.run.pump()
    #expect(fixture.session.jobs.failures.unexpected.isEmpty)
  }

  @Test(
    "An expectation that a success would meet as well leaves the failure unexpected",
    arguments: [
      "expect (a.id == 1)",
      "expect (a.state == finished) within 20s",
      "expect (a.name == a and a.kind == block)",
      "expect ((count of ops where state == finished) == 1) within 20s",
      // Named, but not counted.
      "expect ((count of ops where outcome == failed) == 0)",
      "sleep 200ms; expect ((count of ops where outcome == succeeded) == 0)",
      // As it would be of a success.
      "expect (a.state == finished) within 20s; expect (a.state == finished and a.refusal == null)",
      "expect (a.state == finished) within 20s; expect (a.state == finished and not a.cancelled)",
      "expect ((count of a* where state == finished and not cancelled) == 1) within 20s",
      "expect (a.outcome == null)",
      "expect (not a.cancelled)",
      "never (a.outcome == succeeded) until (a.outcome == failed) within 20s",
      "never (a.outcome == succeeded) until (a.state == finished) within 20s",
      "on a failed { echo failed }",
      "try { expect (a.outcome == succeeded) } catch e { }",
    ])
  func uncovered(_ statement: String) throws {
    // The operation starts only after a statement with an immediate check.
    let isAtOnce = !statement.contains("within") && !statement.contains("sleep")
    let fixture = try ShellFixture(
      (isAtOnce ? "queue pause; " : "") + Self.failing + statement + "; queue resume")
    #expect(try fixture.pump { fixture.session.jobs.failures.unexpected.count == 1 })
    #expect(fixture.session.jobs.failures.status == 1)
  }

  @Test("A failure after the moment at which an expectation holds stays unexpected")
  func laterFailure() throws {
    let fixture = try ShellFixture(
      "delay 20ms --name d; block { fail 'no' } --name a --after d; "
        + "expect (a.state == executing and a.error == null) within 20s")
    #expect(try fixture.pump { fixture.session.jobs.failures.unexpected.count == 1 })
    #expect(fixture.session.jobs.failures.status == 1)
  }

  @Test("Reading the outcome of another operation leaves a failure unexpected")
  func others() throws {
    let fixture = try ShellFixture(
      "block { fail 'no' } --name a; block { fail 'no' } --name b --after a; "
        + "expect (b.outcome == failed) within 20s")
    let failed = try fixture.operation("a").id
    #expect(fixture.session.jobs.failures.unexpected == [failed])
  }

  @Test("A wait for a queue covers what is in a group, whose own failure was expected before")
  func queueOfExpectedGroup() throws {
    let outcome = try Opsh.run(
      """
      group g { block { fail no } --name f }; expect (g.outcome == failed) within 30s
      wait queue network --any-outcome
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let other = try Opsh.run(
      """
      group g { block { fail no } --name f }; expect (g.outcome == failed) within 30s
      wait queue network
      """)
    #expect(other.status == 1 && other.errors.contains("'f' failed"), "\(other.errors)")
  }

  @Test("An expectation on a group covers none of its members, a wait covers all")
  func groups() throws {
    let script = "group g { block { fail 'no' } --name a; block { fail 'no' } --name b }; "
    let fixture = try ShellFixture(script + "expect (g.outcome == failed) within 20s")
    let failed = try ["a", "b"].map { try fixture.operation($0).id }
    #expect(Set(fixture.session.jobs.failures.unexpected) == Set(failed))
    try fixture.run("expect (a.outcome == failed); expect (b.outcome == failed)")
    #expect(fixture.session.jobs.failures.unexpected.isEmpty)
    let waited = try ShellFixture(script + "wait g --any-outcome")
    #expect(waited.session.jobs.failures.unexpected.isEmpty)
  }

  @Test("The message for an unexpected failure shows how to mark it as intended")
  func message() throws {
    let outcome = try Opsh.run(
      "block { fail 'no' } --name a; expect (a.state == finished) within 20s")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        "error: 'a' failed (script: no (-c:1)); if that is intended: wait --any-outcome"))
    #expect(try Opsh.run(Self.failing + "expect (a.outcome == failed) within 20s").status == 0)
  }

  @Test("A wait names three failures, and says how many more there are", arguments: [3, 4, 5])
  func manyFailures(count: Int) throws {
    let outcome = try Opsh.run("events off; block --count \(count) { fail \"no\" }; wait")
    #expect(outcome.status == 1)
    let more = outcome.errors.contains(
      "'block-3' failed with script: no (-c:1), and \(count - 3) more failed")
    #expect(more == (count > 3) && !outcome.errors.contains("'block-4'"), "\(outcome.errors)")
  }
}
