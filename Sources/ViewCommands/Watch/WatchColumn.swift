import OpshTerminal

/// A column of the tables of `watch`.
struct WatchColumn<Row> {
  /// What becomes of a cell that is too wide.
  enum Fit {
    /// It never is: the column is as wide as its widest cell.
    case whole
    /// Its middle is left out, as that of a long name, which may end with a number.
    case name
    /// Its last words are left out.
    case words
  }

  var title: String
  /// The column with the greatest number is left out first.
  var rank: Int
  var fit = Fit.whole
  var alignment = TextAlignment.leading
  /// The least width; with `whole` that of the widest cell, if it is wider.
  var minimum = 1
  /// The width beyond which it does not grow.
  var maximum = Int.max
  var cell: (Row, _ width: Int) -> StyledText
}

/// Rows in columns, of which those fit that matter most.
struct WatchTable<Row> {
  /// The columns with their widths.
  private let columns: [(column: WatchColumn<Row>, width: Int)]
  private let gap: Int
  private let isASCII: Bool

  /// Chooses columns.
  init(_ columns: [WatchColumn<Row>], rows: [Row], width: Int, isASCII: Bool) {
    self.isASCII = isASCII
    gap = width >= 80 ? 2 : 1
    let natural = columns.map { column in
      rows.reduce(column.title.count) { max($0, column.cell($1, 0).columns) }
    }
    let least = zip(columns, natural).map { column, natural in
      column.fit == .whole
        ? max(column.minimum, natural) : min(max(column.minimum, column.title.count), width)
    }
    var chosen: Set<Int> = []
    var left = width
    for index in columns.indices.sorted(by: { columns[$0].rank < columns[$1].rank }) {
      let cost = least[index] + (chosen.isEmpty ? 0 : gap)
      guard cost <= left else { continue }
      chosen.insert(index)
      left -= cost
    }
    var widths = least
    for index in chosen.sorted(by: { columns[$0].rank < columns[$1].rank }) {
      let wanted = min(natural[index], columns[index].maximum)
      let more = min(max(0, wanted - widths[index]), left)
      widths[index] += more
      left -= more
    }
    self.columns = chosen.sorted().map { (columns[$0], widths[$0]) }
  }

  /// The titles of the chosen columns.
  var titles: StyledText {
    line { column, _ in StyledText(column.title) }
  }

  /// A row, without blanks at its end.
  func line(of row: Row) -> StyledText {
    line { $0.cell(row, $1) }
  }

  private func line(_ cell: (WatchColumn<Row>, Int) -> StyledText) -> StyledText {
    var line = StyledText()
    for (index, (column, width)) in columns.enumerated() {
      let text = cell(column, width).onOneLine
      let mark = isASCII ? "..." : "…"
      let fitting =
        switch column.fit {
        case .words: text.words(within: width, isASCII: isASCII)
        case .name: text.withoutMiddle(to: width, ellipsis: mark)
        case .whole: text.truncated(to: width, ellipsis: mark)
        }
      if index > 0 { line += StyledText(String(repeating: " ", count: gap)) }
      line += fitting.padded(to: width, alignment: column.alignment)
    }
    return line.withoutTrailingBlanks
  }
}

extension StyledText {
  /// The text without its middle where it is too wide: its end stays, with the whole number there.
  ///
  /// Its first style is that of all of it.
  func withoutMiddle(to width: Int, ellipsis: String) -> StyledText {
    guard columns > width, let style = spans.first?.style else { return self }
    let text = Array(plain)
    let room = width - TextWidth.columns(of: ellipsis)
    var start = text.count
    var used = 0
    while start > 0, used + TextWidth.columns(of: String(text[start - 1])) <= room * 2 / 5 {
      start -= 1
      used += TextWidth.columns(of: String(text[start]))
    }
    let number = (text.lastIndex { !$0.isNumber } ?? 0) + (text.last?.isNumber == true ? 0 : 1)
    if number < start, text.count - number <= room * 3 / 5 { start = number }
    if let hyphen = text[start...].firstIndex(of: "-") { start = hyphen }
    let end = String(text[start...])
    let left = width - TextWidth.columns(of: end)
    return StyledText(
      TextWidth.truncate(String(text[..<start]), to: left, ellipsis: ellipsis) + end, style: style)
  }

  /// The text without the last words that do not fit; a name that is too long alone is cut.
  func words(within width: Int, isASCII: Bool) -> StyledText {
    guard columns > width else { return self }
    let mark = isASCII ? "..." : "…"
    var kept = StyledText()
    var words = 0
    var isFull = false
    for span in spans where !isFull {
      let parts = span.text.split(separator: " ", omittingEmptySubsequences: false)
      for (index, word) in parts.enumerated() {
        let next = (index == 0 ? kept : kept + " ") + StyledText(String(word), style: span.style)
        guard next.columns + 1 + mark.count <= width else {
          isFull = true
          break
        }
        kept = next
        words += 1
      }
    }
    return words == 0 ? truncated(to: width, ellipsis: mark) : kept + StyledText(" " + mark)
  }
}
