import TestSupport
import Testing

@testable import OpshTerminal

@Suite("The painter")
struct PainterTests {
  /// A pseudo-random sequence that depends only on the seed.
  struct Numbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 16 ^ state << 40
    }
  }

  static let alphabet = [
    "a", "b", "Z", " ", "漢", "é", "👩‍💻", "🇩🇪", "\n", "\t", "e\u{301}", "\u{1B}", "ﬁ", "-",
  ]

  @Test("An accent in the last column is drawn on its letter", arguments: [true, false])
  func accentInLastColumn(joinsClusters: Bool) {
    for text in ["abcde\u{301}", "abce\u{301}e\u{302}\u{323}"] {
      var screen = ScreenModel(columns: 5, rows: 4, joinsClusters: joinsClusters)
      var painter = Painter(columns: 5, rows: 4)
      let layout = LineLayout(
        prompt: "", clusters: text.map { String($0) }, cursor: 0, columns: 5)
      screen.feed(painter.frame(layout).utf8)
      #expect(screen.lines[0] == text)
      #expect(screen.cursorColumn == 0)
    }
  }

  @Test(
    "The marks of a prompt are sent around it, again where it is drawn again, and take no column")
  func promptMarks() {
    var screen = ScreenModel(columns: 20, rows: 4)
    var painter = Painter(columns: 20, rows: 4)
    func layout(_ text: String) -> LineLayout {
      LineLayout(
        prompt: "p> ", clusters: text.map { String($0) }, cursor: text.count,
        marks: Cell.Marks(before: "\u{1B}]133;A\u{7}", after: "\u{1B}]133;B\u{7}"), columns: 20)
    }
    let prompt = "\u{1B}]133;A\u{7}p> \u{1B}]133;B\u{7}"
    let first = painter.frame(layout("a"))
    #expect(first.contains(prompt + "a"))
    let next = painter.frame(layout("ab"))
    #expect(!next.contains("\u{1B}]"))
    let moved = painter.frame(layout("ab"), above: ["event"])
    #expect(moved.contains(prompt + "ab"))
    screen.feed((first + next + moved).utf8)
    #expect(Array(screen.lines.prefix(2)) == ["event", "p> ab"])
    #expect(screen.cursorColumn == 5)
  }

  @Test(
    "A mark that fits is in the row of the text, another one in the next row",
    arguments: [(5, ["abc^C", "", ""]), (4, ["abc", "^C", ""])])
  func finish(columns: Int, lines: [String]) {
    var screen = ScreenModel(columns: columns, rows: 3)
    var painter = Painter(columns: columns, rows: 3)
    let layout = LineLayout(prompt: "", clusters: ["a", "b", "c"], cursor: 0, columns: columns)
    screen.feed(painter.frame(layout).utf8)
    screen.feed(painter.finish(mark: "^C").utf8)
    #expect(screen.lines == lines)
  }

  @Test(
    "A screen that loses rows while a line fills it shows the end of the line", arguments: [1, 2])
  func fewerRows(lost: Int) {
    let text = "aaaaabbbbbcccccddd".map { String($0) }
    var screen = ScreenModel(columns: 5, rows: 4)
    var painter = Painter(columns: 5, rows: 4)
    let layout = LineLayout(prompt: "", clusters: text, cursor: text.count, columns: 5)
    screen.feed(painter.frame(layout).utf8)
    #expect(screen.lines == ["aaaaa", "bbbbb", "ccccc", "ddd"])
    screen.resize(columns: 5, rows: 4 - lost)
    painter.resize(columns: 5, rows: 4 - lost)
    for above in [[], ["event"]] {
      screen.feed(painter.frame(layout, above: above).utf8)
      #expect(screen.lines == ["aaaaa", "bbbbb", "ccccc", "ddd"].suffix(4 - lost), "\(above)")
    }
    #expect(screen.cursorRow == 3 - lost && screen.cursorColumn == 3)
    // What was scrolled off, and the event, are above, each once.
    #expect(screen.scrollback.filter { $0 == "event" }.count == 1)
    #expect(screen.scrollback.count == lost + 1, "\(screen.scrollback)")
  }

  @Test(
    "Any series of edits and lines above ends as a fresh drawing", arguments: 0..<60)
  func series(seed: Int) {
    var numbers = Numbers(state: UInt64(seed) &* 7_919 &+ 1)
    let columns = Int.random(in: 5...30, using: &numbers)
    let rows = Int.random(in: 4...10, using: &numbers)
    var screen = ScreenModel(columns: columns, rows: rows, joinsClusters: seed % 2 == 0)
    var painter = Painter(columns: columns, rows: rows)
    var clusters: [String] = []
    var printed: [String] = []
    for step in 0..<60 {
      for _ in 0..<Int.random(in: 0...4, using: &numbers) {
        let place = Int.random(in: 0...clusters.count, using: &numbers)
        if Bool.random(using: &numbers) || clusters.isEmpty {
          clusters.insert(Self.alphabet.randomElement(using: &numbers) ?? "a", at: place)
        } else {
          clusters.remove(at: min(place, clusters.count - 1))
        }
      }
      var above: [String] = []
      if Int.random(in: 0..<3, using: &numbers) == 0 {
        above = (0..<Int.random(in: 1...3, using: &numbers)).map { "event-\(step).\($0)" }
      }
      printed += above
      let layout = LineLayout(
        prompt: "> ", continuations: [". "], clusters: clusters,
        cursor: Int.random(in: 0...clusters.count, using: &numbers), columns: columns)
      screen.feed(painter.frame(layout, above: above).utf8)

      let expected = Self.visibleRows(layout, height: rows)
      let cursorInWindow = expected.firstIndex { $0.isCursor } ?? -1
      let start = screen.cursorRow - cursorInWindow
      guard start >= 0, start + expected.count <= rows else {
        Issue.record("step \(step): the cursor is in row \(screen.cursorRow)")
        return
      }
      let wanted = expected.map { Self.simplified($0.text, joinsClusters: screen.joinsClusters) }
      let shown = screen.lines[start..<(start + expected.count)].map {
        Self.simplified($0, joinsClusters: screen.joinsClusters)
      }
      #expect(shown == wanted, "step \(step)")
      #expect(screen.cursorColumn == layout.cursorColumn, "step \(step)")
      let before = screen.scrollback + screen.lines[..<start]
      if layout.rows.count <= rows {
        #expect(screen.lines[(start + expected.count)...].allSatisfy { $0 == "" }, "step \(step)")
        #expect(Self.joined(before, columns) == printed, "step \(step)")
      }
      if shown != wanted { return }
    }
  }

  /// A screen that does not join clusters may show part of an emoji, or of the next one, in its
  /// place; all other characters are correct.
  private static func simplified(_ text: String, joinsClusters: Bool) -> String {
    guard !joinsClusters else { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { !" 👩\u{200D}💻".unicodeScalars.contains($0) }))
  }

  private static func joined(_ lines: [String], _ columns: Int) -> [String] {
    lines.reduce(into: []) { result, line in
      if line.hasPrefix("event") || result.isEmpty {
        result.append(line)
      } else {
        result[result.count - 1] += line
      }
    }
  }

  private static func visibleRows(
    _ layout: LineLayout, height: Int
  ) -> [(text: String, isCursor: Bool)] {
    let rows = layout.rows.enumerated().map { index, cells in
      (
        text: String(cells.map(\.text).joined().reversed().drop { $0 == " " }.reversed()),
        isCursor: index == layout.cursorRow
      )
    }
    guard rows.count > height else { return rows }
    // The window may be anywhere around the cursor: only the cursor's row is compared.
    return rows.filter(\.isCursor)
  }
}
