import TestSupport
import Testing

@testable import OpshTerminal

@Suite("Painting the full screen")
struct ScreenPainterTests {
  private func shown(_ frames: [[StyledText]], columns: Int = 20, rows: Int = 3) -> ScreenModel {
    var painter = ScreenPainter(columns: columns, rows: rows)
    var screen = ScreenModel(columns: columns, rows: rows)
    screen.feed("\u{1B}[?7l".utf8)
    for frame in frames { screen.feed(painter.frame(frame).utf8) }
    return screen
  }

  @Test("The screen shows the lines of the last frame")
  func lines() {
    let screen = shown([
      ["one", "two", "three"], ["one", StyledText("twenty", style: .bold), ""],
      ["ones", "twelve", "x"],
    ])
    #expect(screen.lines == ["ones", "twelve", "x"])
    #expect(screen.scrollback.isEmpty)
  }

  @Test("A full row, wide characters and clusters keep their places")
  func wide() {
    let full = String(repeating: "=", count: 20)
    let screen = shown([
      [StyledText(full), "漢字漢字漢字漢字漢字x", "👩‍💻 e\u{301} end"],
      [StyledText(full), "漢字ab漢字", "👩‍💻 e\u{301} fin"],
    ])
    #expect(screen.lines == [full, "漢字ab漢字", "👩‍💻 e\u{301} fin"])
    #expect(screen.scrollback.isEmpty)
  }

  @Test("Only what has changed is sent")
  func difference() {
    var painter = ScreenPainter(columns: 80, rows: 24)
    let lines = (0..<24).map { StyledText("row \($0) of the table") }
    #expect(painter.frame(lines).utf8.count > 24 * 15)
    #expect(painter.frame(lines).isEmpty)
    var changed = lines
    changed[7] = "row 7 at the table"
    let frame = painter.frame(changed)
    #expect(frame == "\u{1B}[8;7Hat")
    painter.resize(columns: 80, rows: 24)
    #expect(painter.frame(changed).utf8.count > 24 * 15)
  }

  @Test("Control characters are shown, and lines beyond the screen are left out")
  func hostile() {
    let screen = shown([["\u{1B}[2Jx\ny", "a", "b", "c", "d"]])
    #expect(screen.lines == ["^[[2Jx^Jy", "a", "b"])
  }

  @Test("Frames of random lines always end in the same picture as the last one alone")
  func random() {
    var random = SystemRandomNumberGenerator()
    let pieces = ["a", "bc", "漢", "é", "👩‍💻", " ", "\u{7}", "x  "]
    func line() -> StyledText {
      (0..<Int.random(in: 0...12, using: &random)).reduce(StyledText()) { line, _ in
        let style = TextStyle(bold: Bool.random(using: &random))
        return line + StyledText(pieces.randomElement(using: &random) ?? "", style: style)
      }
    }
    for _ in 0..<100 {
      let frames = (0..<4).map { _ in (0..<3).map { _ in line() } }
      #expect(shown(frames).lines == shown([frames[3]]).lines, "\(frames.map { $0.map(\.plain) })")
    }
  }
}
