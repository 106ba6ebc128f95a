import Testing

@testable import OpshTerminal

@Suite("Completion menu")
struct CompletionMenuTests {
  private func menu(_ texts: [String], count: Int? = nil, summary: String = "") -> CompletionMenu {
    CompletionMenu(
      CompletionResult(
        range: 0..<0, candidates: texts.map { CompletionCandidate($0, summary: summary) },
        count: count),
      asks: false)
  }

  private func rows(_ menu: CompletionMenu, columns: Int = 40, room: Int = 20) -> [String] {
    menu.lines(columns: columns, room: room, isUTF8: true).map { line in
      String(line.plain.reversed().drop { $0 == " " }.reversed())
    }
  }

  @Test("Candidates with descriptions have a row each, with a mark at the selected one")
  func described() {
    var menu = menu(["one", "three"], summary: "a number")
    #expect(rows(menu) == ["  one    a number", "  three  a number"])
    menu.move(by: 1)
    #expect(rows(menu) == ["> one    a number", "  three  a number"])
    menu.move(by: -1)
    #expect(rows(menu) == ["  one    a number", "> three  a number"])
    menu.move(by: 1)
    #expect(menu.candidate?.text == "one")
  }

  @Test("Candidates without descriptions share rows, the widest counting")
  func columns() {
    let menu = menu(["a", "漢字", "c", "d", "e"])
    #expect(rows(menu, columns: 21) == ["  a      漢字   c", "  d      e"])
    #expect(rows(menu, columns: 5) == ["  a", "  漢字", "  c", "  d", "  e"])
  }

  @Test("Of more rows than there is room for, those around the selected one are shown")
  func scrolls() {
    var menu = menu((1...30).map { "n\($0)" }, count: 1000, summary: "x")
    #expect(rows(menu, room: 4).last?.hasPrefix("  1–3 of 1000; more letters") == true)
    #expect(rows(menu, room: 4).dropLast() == ["  n1   x", "  n2   x", "  n3   x"])
    menu.move(by: -1)
    #expect(rows(menu, room: 4).dropLast() == ["  n28  x", "  n29  x", "> n30  x"])
    menu.move(by: -10)
    #expect(rows(menu, room: 4).dropLast() == ["  n19  x", "> n20  x", "  n21  x"])
    #expect(rows(menu, room: 1) == ["> n20  x"])
    #expect(rows(menu, room: -3) == ["> n20  x"])
  }

  @Test("Control characters in candidates are visible")
  func hostile() {
    #expect(rows(menu(["a\u{1B}[2Jb"])) == ["  a^[[2Jb"])
  }
}
