import Testing

@testable import OpshTerminal

@Suite("Tables")
struct TableTests {
  private let table = Table(
    columns: [
      .init("id", alignment: .trailing), .init("title", minimumWidth: 5, isFlexible: true),
      .init("state"),
    ],
    rows: [
      ["1", "How do I cancel an operation?", "finished"], ["12", "漢字 in a title", ""],
      ["3", "line\nbreak", "ready"],
    ])

  @Test("Columns are aligned, and no line ends in blanks")
  func natural() {
    #expect(
      table.lines(width: nil, ascii: false).map(\.plain) == [
        "id  title                          state",
        " 1  How do I cancel an operation?  finished",
        "12  漢字 in a title",
        " 3  line^Jbreak                    ready",
      ])
  }

  @Test("The flexible column shrinks first", arguments: [false, true])
  func fits(ascii: Bool) {
    let lines = table.lines(width: 30, ascii: ascii).map(\.plain)
    let title = ascii ? "How do I canc..." : "How do I cancel…"
    #expect(lines[1] == " 1  \(title)  finished")
    #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= 30 })
  }

  @Test("Tables never exceed the width, however small", arguments: 0...60)
  func everyWidth(_ width: Int) {
    for line in table.lines(width: width, ascii: width % 2 == 0) {
      #expect(line.columns <= width)
      #expect(!line.plain.hasSuffix(" "))
    }
  }

  @Test("Without titles there is no header")
  func noHeader() {
    let table = Table(columns: [.init(""), .init("")], rows: [["a"], ["bb", "c", "lost"]])
    #expect(table.lines(width: 80, ascii: true).map(\.plain) == ["a", "bb  c"])
    #expect(Table(columns: []).lines(width: 80, ascii: true).isEmpty)
  }
}
