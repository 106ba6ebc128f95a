import Testing

@testable import Terminal

@Suite("Folding of lines")
struct StyledTextFoldingTests {
  @Test(
    "A long line is broken between fields, then between words, and never inside a word",
    arguments: [
      ("short", ["short"]),
      (
        " 2.040  get-1          executing → finished  ✗ invalid-status-code(404): not found there",
        [
          " 2.040  get-1  executing → finished",
          "     ✗ invalid-status-code(404): not", "     found there",
        ]
      ),
      (
        "  fetch questions  Fetches a page of questions",
        ["  fetch questions", "      Fetches a page of questions"]
      ),
      (
        " 2.008  get-1                        created → pending  added",
        [" 2.008  get-1  created → pending  added"]
      ),
      ("one two three four five six seven eight", ["one two three four five six seven eight"]),
      (
        "one two three four five six seven eight nine",
        ["one two three four five six seven eight", "nine"]
      ),
      (
        "url  https://example.com/a-very-long-path/that/does/not/fit/anywhere ok",
        ["url", "    https://example.com/a-very-long-path/that/does/not/fit/anywhere", "    ok"]
      ),
      (
        "  delay 10ms --name first; delay 20ms --after first",
        ["  delay 10ms --name first; delay 20ms", "    --after first"]
      ),
    ])
  func folds(_ line: String, _ folded: [String]) {
    #expect(StyledText(line).folded(to: 40).map(\.plain) == folded)
    #expect(StyledText(line).folded(to: nil).map(\.plain) == [line])
  }

  @Test("Styles stay with their characters, and wide characters count twice")
  func styles() {
    let line = StyledText("漢字漢字漢字漢字漢字", style: .bold) + StyledText("  and some more text")
    let lines = line.folded(to: 24)
    #expect(lines.map(\.plain) == ["漢字漢字漢字漢字漢字", "    and some more text"])
    #expect(lines[0].spans.map(\.style) == [.bold])
    #expect(lines[1].spans.allSatisfy { $0.style == TextStyle() })
  }
}
