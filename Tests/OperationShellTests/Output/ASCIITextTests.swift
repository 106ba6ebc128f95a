import OpshTerminal
import Testing

@testable import ShellOutput

@Suite("ASCII text")
struct ASCIITextTests {
  @Test(
    "opsh's symbols have ASCII replacements, other characters are escaped",
    arguments: [
      ("ready → executing", "ready -> executing"), ("✓ 30 questions", "ok 30 questions"),
      ("a … b", "a ... b"), ("na\u{EF}ve 👩‍🚀", "na\\u{ef}ve \\u{1f469}\\u{200d}\\u{1f680}"),
      ("plain\tok", "plain\tok"), ("", ""),
      ("12 µs", "12 us"), ("e\u{301}", "e\\u{301}"),
    ])
  func replaces(_ text: String, _ expected: String) {
    #expect(ASCIIText.replacing(text) == expected)
    let line = StyledText("a ", style: .bold) + StyledText(text, style: .dim)
    let replaced = ASCIIText.replacing(line)
    #expect(replaced.plain == "a " + expected)
    #expect(replaced.spans.first?.style == .bold)
  }

  @Test("Every outcome symbol has an ASCII replacement", arguments: ["✓", "✗", "⊘", "↷"])
  func marks(_ mark: String) {
    #expect(!ASCIIText.replacing(mark).contains("?"))
    #expect(ASCIIText.replacing(mark).utf8.allSatisfy { $0 < 0x80 })
  }
}
