import Testing

@testable import OpshTerminal

@Suite("Text")
struct TextTests {
  struct Width: Sendable, CustomTestStringConvertible {
    let text: String
    let columns: Int
    var testDescription: String { text.debugDescription }
  }

  @Test(
    "The width of a text is the number of its terminal columns",
    arguments: [
      Width(text: "", columns: 0), Width(text: "abc", columns: 3), Width(text: "é", columns: 1),
      Width(text: "e\u{301}", columns: 1), Width(text: "漢字", columns: 4),
      Width(text: "ｱ", columns: 1), Width(text: "한", columns: 2),
      Width(text: "\u{1112}\u{1161}\u{11AB}", columns: 2), Width(text: "👩‍💻", columns: 2),
      Width(text: "👨‍👩‍👧‍👦", columns: 2), Width(text: "👍🏽", columns: 2),
      Width(text: "🇩🇪🇫🇷", columns: 4), Width(text: "❤\u{FE0F}", columns: 2),
      Width(text: "1\u{FE0F}\u{20E3}", columns: 2), Width(text: "→ ✓ …", columns: 5),
      Width(text: "a\tb", columns: 9), Width(text: "\t", columns: 8),
      Width(text: "12345678\tx", columns: 17), Width(text: "\u{1B}[31m", columns: 6),
      Width(text: "\u{7F}", columns: 2), Width(text: "\u{9B}", columns: 6),
      Width(text: "ab\nabcd\nabc", columns: 4), Width(text: "\u{200D}", columns: 0),
      Width(text: "1\u{200D}", columns: 1),
    ])
  func widths(_ example: Width) {
    #expect(TextWidth.columns(of: example.text) == example.columns)
  }

  @Test("Truncation never exceeds the width and never splits a character")
  func truncation() {
    #expect(TextWidth.truncate("abcdef", to: 6) == "abcdef")
    #expect(TextWidth.truncate("abcdef", to: 5) == "abcd…")
    #expect(TextWidth.truncate("漢字漢字", to: 6) == "漢字…")
    #expect(TextWidth.truncate("👩‍💻👩‍💻", to: 3) == "👩‍💻…")
    #expect(TextWidth.truncate("abcdef", to: 2, ellipsis: "...") == "ab")
    #expect(TextWidth.truncate("abcdef", to: 0) == "")
  }

  @Test("Padding counts columns")
  func padding() {
    #expect(TextWidth.pad("漢", to: 4) == "漢  ")
    #expect(TextWidth.pad("1", to: 3, alignment: .trailing) == "  1")
    #expect(TextWidth.pad("abc", to: 2) == "abc")
  }

  @Test(
    "Control characters are escaped",
    arguments: [
      ("plain 漢字 👩‍💻 e\u{301}", "plain 漢字 👩‍💻 e\u{301}"), ("\u{1B}[2J", "^[[2J"),
      ("a\u{0}b", "a^@b"), ("\r\n", "^M^J"), ("\u{7F}", "^?"), ("\u{9B}31m", "\\u{9B}31m"),
      ("\u{202E}abc\u{2066}", "\\u{202E}abc\\u{2066}"), ("\u{2028}\u{FEFF}", "\\u{2028}\\u{FEFF}"),
      ("\t", "^I"), ("a\u{61C}b", "a\\u{61C}b"),
    ])
  func escaping(text: String, visible: String) {
    #expect(VisibleText.escape(text) == visible)
  }

  @Test("Escaped text contains no control character")
  func everyScalar() {
    for value in UInt32(0)...0x3000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let escaped = VisibleText.escape(String(Character(scalar)))
      #expect(escaped.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }
    #expect(VisibleText.escape("a\n\tb\r", keepNewlines: true) == "a\n\tb^M")
  }

  @Test("Styles are sent around their text, and never without text")
  func styles() {
    let text = StyledText("ok", style: TextStyle(color: .green, bold: true)) + " plain"
    #expect(text.rendered(color: true) == "\u{1B}[1;32mok\u{1B}[0m plain")
    #expect(text.rendered(color: false) == "ok plain")
    #expect(text.plain == "ok plain")
    #expect(text.columns == 8)
    #expect(
      StyledText("x\u{1B}[0m", style: .bold).rendered(color: true) == "\u{1B}[1mx^[[0m\u{1B}[0m")
    #expect((StyledText("a") + "b").spans.count == 1)
    #expect(TextStyle(color: .cyan).sequence == "\u{1B}[36m")
  }

  @Test("Truncating and splitting keep the styles")
  func fitting() {
    let text = StyledText("abc", style: .bold) + StyledText("def\nx", style: .dim)
    #expect(text.lines.map(\.plain) == ["abcdef", "x"])
    #expect(text.lines[1].spans == [StyledText.Span("x", style: .dim)])
    let cut = text.lines[0].truncated(to: 5)
    #expect(cut.spans == [.init("abc", style: .bold), .init("d…", style: .dim)])
    #expect(text.lines[0].truncated(to: 3).plain == "ab…")
    #expect(StyledText("a").padded(to: 3, alignment: .trailing).plain == "  a")
  }
}
