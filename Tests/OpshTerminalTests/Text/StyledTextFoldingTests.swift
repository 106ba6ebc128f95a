import Testing

@testable import OpshTerminal

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

  @Test(
    "Wrapped text loses nothing: a word that is longer than a line is broken",
    arguments: [
      (4, "", [""]), (4, "a bc def", ["a bc", "def"]), (4, "  a   b ", ["a b"]),
      (4, "abcdefghi", ["abcd", "efgh", "i"]), (4, "x abcdef y", ["x", "abcd", "ef y"]),
      (4, "界界界", ["界界", "界"]), (1, "界a", ["界", "a"]), (.max, "a b", ["a b"]),
    ])
  func wraps(_ columns: Int, _ text: String, _ lines: [String]) {
    #expect(StyledText(text).wrapped(to: columns).map(\.plain) == lines)
  }

  @Test("A word of several styles stays one")
  func wrappedStyles() {
    let text = StyledText("ab", style: .dim) + "cd ef"
    #expect(text.wrapped(to: 5).map(\.plain) == ["abcd", "ef"])
  }
}
