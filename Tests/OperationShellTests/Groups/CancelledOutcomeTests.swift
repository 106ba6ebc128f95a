import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

/// A cancelled operation, and a group with one, as scripts and readers see them.
@Suite(.timeLimit(.minutes(15))) struct CancelledOutcomeTests {
  @Test(
    "The error of a cancelled operation says who cancelled",
    arguments: [
      ("delay 9s --name a; cancel a", "cancelled by 'cancel'"),
      ("delay 9s --name a; queue cancel", "cancelled by 'queue cancel network'"),
      ("group g { delay 9s --name a }; sleep 1ms; cancel g", "cancelled by 'cancel'"),
      ("delay 9s --name a; app background", "cancelled by 'app background'"),
      (
        "delay 9s --name a --essential; app background --grace 1s",
        "cancelled by the end of the time in the background"
      ),
      (
        "delay 9s --name a; delay 1s --name b; on b finished { cancel a }",
        "cancelled by the handler 'on b finished'"
      ),
      ("delay 9s --name a; block --name b { cancel a }", "cancelled by the body of 'b'"),
    ])
  func requester(_ script: String, _ message: String) throws {
    let fixture = try ShellFixture("set clock virtual; \(script); wait --any-outcome")
    #expect(try fixture.operation("a").error?.code == "cancelled")
    #expect(try fixture.text(of: "echo (a.error.message)") == message + "\n")
    #expect(try fixture.output(of: "show a").contains { $0 == "error      \(message)" })
  }

  @Test("Handlers, 'at' and 'result' tell who cancelled an operation")
  func readers() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 9s --name a
      let seen = "no"
      on a finished { let seen = $self.error.code }
      sleep 1s; cancel a; wait; sleep 1s
      """)
    #expect(try fixture.text(of: "echo $seen") == "cancelled\n")
    #expect(try fixture.output(of: "at 1.5s show a").contains("error      cancelled by 'cancel'"))
    #expect(try fixture.error(of: "result a").message == "'a' has no value: cancelled by 'cancel'")
    #expect(throws: Never.self) { try fixture.run("try { wait a } catch e { fail \"caught\" }") }
  }

  @Test("A sync of quotes whose parsing was cancelled is not a success, unless its option says so")
  func sync() throws {
    let script = "on parse-1 executing { cancel parse-1 }; start quotes-1; wait"
    let fixture = try ShellFixture("set clock virtual; quotes sync --hold; \(script)")
    let sync = try fixture.operation("quotes-1")
    #expect(sync.outcome == .cancelled && !sync.isCancelled)
    #expect(sync.outcomeSummary == "1 succeeded, 1 cancelled, 1 skipped")
    #expect(
      try fixture.text(of: "echo (quotes-1.error.message)")
        == "1 of 3 was cancelled: 'parse-1' by the handler 'on parse-1 executing'\n")
    let lenient = try ShellFixture(
      "set clock virtual; quotes sync --hold --members-may-be-cancelled; \(script)")
    #expect(try lenient.operation("quotes-1").outcome == .succeeded)
  }

  @Test("A retried group keeps that its members may be cancelled")
  func retried() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      group g --members-may-be-cancelled { delay 9s --name a }
      sleep 1s; cancel a; wait
      retry g
      sleep 1s; cancel a; wait
      """)
    let groups = fixture.session.jobs.operations.all.filter { $0 is GroupOperation }
    #expect(groups.map(\.outcome) == [.succeeded, .succeeded])
  }

  @Test(
    "Comparing the error of an operation with null is a warning that names its outcome",
    arguments: [
      ("if (a.error == null) { }", "a."), ("if (null != a.error) { }", "a."),
      ("echo (count of ops where error == null)", ""),
      ("on a finished { if ($self.error != null) { echo oh } }", "$self."),
    ])
  func warning(_ statement: String, _ subject: String) throws {
    let fixture = try ShellFixture()
    func check(_ text: String) -> [Diagnostic] {
      let script = Parser.parse(SourceText(name: "test.opsh", text: text))
      return fixture.session.run.check(
        script, isWhole: true, names: .all, in: fixture.shell.interpreter.makeContext())
    }
    let found = check("delay 1ms --name a\n\(statement)")
    #expect(found.map(\.code) == ["error-as-test"])
    #expect(found.first?.severity == .warning)
    #expect(found.first?.help?.contains("(\(subject)outcome == failed)") == true)
    #expect(check("delay 1ms --name a\nif (a.error) { echo (a.error.code) }").isEmpty)
  }
}
