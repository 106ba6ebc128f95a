import OpshTerminal
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("What is typed for short", .timeLimit(.minutes(15)))
struct TypedShorthandTests {
  private func makeFixture() throws -> ShellFixture {
    try ShellFixture(
      "delay 1s --name alpha --hold; queue new lane; alias zap = cancel all; def upload { echo x }")
  }

  private func meaning(_ text: String, in fixture: ShellFixture) -> String? {
    let shell = fixture.shell
    let script = Parser.parse(SourceText(name: SourceText.promptName, text: text))
    return TypedShorthand(session: shell.session, interpreter: shell.interpreter).meaning(
      of: script, found: shell.check(typed: script), check: shell.check(typed:))?.source.text
  }

  @Test(
    "A line for short stands for a whole one",
    arguments: [
      ("wait?", "help wait"), ("queue pause?", "help queue pause"), ("status?", "help status"),
      ("alpha?", "show alpha"), ("alpha", "show alpha"), ("last", "show last"),
      ("lane", "queue show lane"),
      ("canc alpha", "cancel alpha"), ("que pau", "queue pause"), ("upl", "upload"),
      ("za", "zap"), ("ops; queue resu lane; canc alpha", "ops; queue resume lane; cancel alpha"),
      ("repeat 2 { que pau lane }", "repeat 2 { queue pause lane }"),
    ])
  func meanings(typed: String, meant: String) throws {
    #expect(meaning(typed, in: try makeFixture()) == meant)
  }

  @Test(
    "What has a meaning, or several, stays as it is",
    arguments: [
      "ops", "wait alpha", "q", "c", "que", "se", "nosuch", "cancel nosuch", "queue p", "echo 'a?'",
      "(1 +", "alpha beta", "wait nosuch?", "rep 2 { ops }",
      "if true; then echo x; fi", "ops; que res lane; nosuch",
    ])
  func others(typed: String) throws {
    let fixture = try makeFixture()
    // 'que' is the beginning of 'queue' alone.
    #expect(meaning(typed, in: fixture) == (typed == "que" ? "queue" : nil))
  }

  @Test("What is for short is no error while it is typed, and one in a script")
  func checks() throws {
    let fixture = try makeFixture()
    let preview = LinePreview(
      shell: fixture.shell, completer: Completer(shell: fixture.shell), history: History(file: nil))
    let error = try #require(LineTheme(.basic, environment: [:])).style(of: .error)
    for (text, isError) in [("canc alpha ", false), ("alpha ", false), ("cx alpha ", true)] {
      let look = preview.look(of: text, cursor: text.utf8.count)
      #expect(look.stretches.contains { $0.style == error } == isError, "\(text)")
    }
    for script in ["canc all", "delay 1ms --name a; a", "wait?"] {
      #expect(try Opsh.run(script).status == 2, "\(script)")
    }
  }

  @Test("'pause' and a queue lead to 'queue pause'")
  func pauseQueue() throws {
    let outcome = try Opsh.run("queue new up; pause up")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("help: 'up' is a queue: queue pause up"), "\(outcome.errors)")
  }
}
