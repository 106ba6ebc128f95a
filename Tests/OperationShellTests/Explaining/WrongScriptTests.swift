import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Wrong scripts", .timeLimit(.minutes(15)))
struct WrongScriptTests {
  @Test(
    "The check finds the one error of a wrong script, at its place", arguments: WrongScriptFile.all)
  func findsError(_ wrong: WrongScriptFile) throws {
    let fixture = try ShellFixture()
    let found = fixture.session.run.check(
      Parser.parse(SourceText(name: wrong.name, text: wrong.text)), isWhole: true, names: .all,
      in: fixture.shell.interpreter.makeContext())
    let errors = found.filter { $0.severity == .error }
    #expect(errors.count == 1, "an error has no consequential errors: \(errors)")
    let error = try #require(errors.first)
    #expect(error.code == wrong.code)
    #expect(error.place == SourcePlace(line: wrong.place.line, column: wrong.place.column))
    #expect(error.exitStatus == 2)
    #expect(!error.message.hasSuffix("."))
    let help = try #require(error.help, "every error says what to do")
    #expect(help.contains(wrong.help), "\(help)")
  }

  @Test("The folder has a script for every error of the language")
  func coversCodes() {
    let codes = Set(WrongScriptFile.all.map(\.code))
    #expect(WrongScriptFile.all.count > 500)
    // Sizes, depths and bytes have tests of their own, the warnings too; some only running shows.
    let elsewhere: Set = [
      "too-deep", "too-large", "nul-byte", "invalid-utf8", "syntax", "misplaced", "too-many-values",
      "unused-variable", "unreachable", "list-too-long", "failure", "local-variable",
      "replaces-command", "reused-name", "bare-seconds", "property-as-text", "no-value",
      "error-as-test",
    ]
    for page in LanguageErrors.groups.flatMap(\.pages) where !elsewhere.contains(page.code) {
      #expect(codes.contains(page.code), "\(page.code)")
    }
  }
}
