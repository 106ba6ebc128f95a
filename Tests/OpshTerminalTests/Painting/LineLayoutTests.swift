import Testing

@testable import OpshTerminal

@Suite("Line layout")
struct LineLayoutTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let cursor: Int
    let rows: [String]
    let place: (row: Int, column: Int)
    var testDescription: String { "\(text.debugDescription) at \(cursor)" }
  }

  @Test(
    "Text is wrapped into rows of ten columns",
    arguments: [
      Case(text: "", cursor: 0, rows: ["> "], place: (0, 2)),
      Case(text: "abc", cursor: 1, rows: ["> abc"], place: (0, 3)),
      Case(text: "abcdefgh", cursor: 8, rows: ["> abcdefgh", ""], place: (1, 0)),
      Case(text: "abcdefgh", cursor: 7, rows: ["> abcdefgh"], place: (0, 9)),
      Case(text: "abcdefghi", cursor: 8, rows: ["> abcdefgh", "i"], place: (1, 0)),
      Case(text: "abcdefg漢", cursor: 7, rows: ["> abcdefg", "漢"], place: (1, 0)),
      Case(text: "abcdefg漢", cursor: 8, rows: ["> abcdefg", "漢"], place: (1, 2)),
      Case(text: "a\nb", cursor: 2, rows: ["> a", ". b"], place: (1, 2)),
      Case(text: "a\nb", cursor: 1, rows: ["> a", ". b"], place: (0, 3)),
      Case(text: "abcdefgh\nb", cursor: 8, rows: ["> abcdefgh", ". b"], place: (0, 9)),
      Case(text: "a\tb", cursor: 3, rows: ["> a     b"], place: (0, 9)),
      Case(text: "\u{1B}\u{301}x", cursor: 2, rows: ["> ^[\\u{301", "}x"], place: (1, 1)),
    ])
  func rows(_ example: Case) {
    // An accent after an escape character is a cluster of its own, as in typed text.
    let clusters = example.text.unicodeScalars.map { String(Character($0)) }
    let layout = LineLayout(
      prompt: "> ", continuations: [". "], clusters: clusters, cursor: example.cursor, columns: 10)
    #expect(layout.rows.map { $0.map(\.text).joined() } == example.rows)
    #expect(layout.cursorRow == example.place.row)
    #expect(layout.cursorColumn == example.place.column)
  }

  @Test("A window of one column can show every character")
  func narrow() {
    let layout = LineLayout(prompt: ">", clusters: ["漢", "a"], cursor: 2, columns: 1)
    #expect(layout.rows.map { $0.map(\.text).joined() } == [">", "?", "a", ""])
  }
}
