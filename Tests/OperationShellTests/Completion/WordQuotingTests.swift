import ShellLanguage
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Quoting of words")
struct WordQuotingTests {
  static let texts = [
    "plain", "two words", "it's", "say \"no\"", "a$b", "${x}", "back\\slash", "semi;colon", "a|b",
    "a>b", "(a)", "{a}", "#first", "in#side", "tab\there", "line\nbreak", "bell\u{7}", "é👩‍🚀",
    "'\"$\\", " ", "\u{200B}", "\u{85}x", "\u{2028}", "-dash", "~", "*", "a=b", "\u{1B}[31m",
  ]

  @Test(
    "A quoted word parses to the original text", arguments: texts, [nil, "'", "\""] as [Character?])
  func roundTrip(text: String, quote: Character?) throws {
    let quoting = WordQuoting(quote: quote, replaced: quote.map(String.init) ?? "")
    let word = quoting.spell(text, isComplete: true)
    let fixture = try ShellFixture()
    try fixture.run("let text = 0; for x in \(word) { let text = $x }")
    #expect(fixture.shell.interpreter.variables["text"]?.text == text, "\(word)")
  }

  @Test("A quoted word contains no control characters", arguments: texts)
  func visible(text: String) {
    let word = WordQuoting(quote: nil, replaced: "").spell(text, isComplete: true)
    #expect(word.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
  }
}
