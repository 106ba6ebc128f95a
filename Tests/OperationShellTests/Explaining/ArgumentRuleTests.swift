import ShellLanguage
import Testing

@testable import OperationShell
@testable import ShellCommands
@testable import ShellSession

@Suite("Rules of arguments", .timeLimit(.minutes(5)))
struct ArgumentRuleTests {
  /// A statement that a rule refuses, and how it gets the value that only running shows.
  struct Row: CustomTestStringConvertible, Sendable {
    let code: String
    /// The statement; what stands between two `@` is written out, or in a variable.
    let line: String
    let before: String

    init(_ code: String, _ line: String, before: String = "") {
      (self.code, self.line, self.before) = (code, line, before)
    }

    var testDescription: String { line }

    var written: String { before + line.replacing("@", with: "") }

    /// The same with the value in a variable, which the check cannot know.
    var hidden: String {
      let parts = line.split(separator: "@", omittingEmptySubsequences: false)
      let value = parts[1].hasPrefix("'") ? parts[1] : "'\(parts[1])'"
      return before + "let hidden = \(value)\n" + parts[0] + "$hidden" + parts[2]
    }
  }

  static let rows: [Row] = [
    Row("default-queue", "queue remove @network@"),
    Row("fixed-width", "queue width @main@ 4"),
    Row("bad-name", "queue new @network@"),
    Row("bad-jitter", "server latency 1ms --jitter @5ms@"),
    Row("bad-fault", "server fault @stall@ --size 3kB"),
    Row("bad-route", "server fault off --route @nonsense@"),
    Row("missing-service", "endpoint quotes @none@ --key abc"),
    Row("incomplete-credentials", "endpoint quotes @http://127.0.0.1:1@ --key abc"),
    Row("tag-invalid", "fetch tweets @''@"),
    Row("bad-limit", "set keep 1 @2@"),
    Row("unknown-choice", "explain @unclosed-quot@"),
    Row("unknown-command", "help @fetsh@"),
    Row("bad-name", "group @network@ { delay 1ms }"),
    Row("bad-program", "run @''@"),
    Row("bad-header", "get / --header @nonsense@"),
    Row("bad-auth", "get / --auth @basic:opsh:practice@"),
    Row("conflicting-options", "get / --auth bearer:env:HOME --header @'Authorization: a'@"),
    Row("conflicting-options", "get / --output a.txt --count @2@"),
    Row("conflicting-options", "post / --multipart a=b --header @'Content-Type: a; boundary=x'@"),
    Row("bad-output", "get / --output @-@"),
    Row("bad-form-field", "post / --form @title@"),
    Row("serialization", "post / --json @'{'@"),
    Row("unsafe-retry", "post / --body a --retry @3@"),
    Row("unknown-ending", "export @session.pdf@"),
    Row("conflicting-options", "export @a.csv@ --life last", before: "delay 1ms\n"),
    Row("self-dependency", "deps a on @a@", before: "delay 1ms --name a --hold\n"),
    Row(
      "missing-option", "deps a @off@ b --on-failure skip",
      before: "delay 1ms --name a --hold\ndelay 1ms --name b --hold\n"),
  ]

  private func check(_ text: String) throws -> [Diagnostic] {
    let fixture = try ShellFixture()
    return fixture.session.run.check(
      Parser.parse(SourceText(name: "test", text: text)), isWhole: true, names: .all,
      in: fixture.shell.interpreter.makeContext()
    ).filter { $0.severity == .error }
  }

  private func run(_ text: String) -> Diagnostic? {
    #expect(throws: Diagnostic.self) { try ShellFixture(text) }
  }

  @Test("A rule is checked before the run where the value is written out", arguments: rows)
  func written(row: Row) throws {
    #expect(try check(row.written).map(\.code) == [row.code])
    #expect(run(row.written)?.code == row.code)
  }

  @Test("A rule says nothing before the run about a value in a variable", arguments: rows)
  func hidden(row: Row) throws {
    #expect(try check(row.hidden).map(\.code) == [])
    let diagnostic = try #require(run(row.hidden))
    #expect(diagnostic.code == row.code)
    #expect(diagnostic.message == run(row.written)?.message)
  }

  @Test("An option that needs another may have it from the group around it")
  func inherited() throws {
    #expect(run("delay 1ms --backoff 1ms")?.code == "missing-option")
    _ = try ShellFixture(
      "group g --retry 2 { delay 1ms --backoff 1ms; get / --retry-on 404 }\nwait --any-outcome")
    #expect(run("group g { delay 1ms --backoff 1ms }")?.code == "missing-option")
  }

  @Test("The name of a definition has a page")
  func defined() throws {
    #expect(try check("def fetsh { echo a }\nhelp fetsh").isEmpty)
    _ = try ShellFixture("def fetsh { echo a }\nhelp fetsh")
  }
}
