/// The candidates below the line, one of which may be selected.
struct CompletionMenu: Equatable {
  /// More candidates than these are only shown when they are asked for again.
  static let greatestUnasked = 200
  /// The maximum number of its rows.
  private static let greatestHeight = 10

  let result: CompletionResult
  /// The selected candidate, which is in the line; nil before one is.
  private(set) var selected: Int?
  /// Whether it only says how many candidates there are.
  private(set) var asks: Bool
  private let hasSummaries: Bool
  /// The width of a candidate's text, and of its column where they have no summaries.
  private let textWidth: Int

  init(_ result: CompletionResult, asks: Bool) {
    self.result = result
    self.asks = asks
    hasSummaries = result.candidates.contains { !$0.summary.isEmpty }
    textWidth = result.candidates.reduce(0) { max($0, Self.shown($1).columns) }
  }

  var candidate: CompletionCandidate? { selected.map { result.candidates[$0] } }

  /// Selects a candidate some places further on, from the last one to the first; the first time the
  /// first or the last one.
  mutating func move(by count: Int) {
    let total = result.candidates.count
    asks = false
    guard let selected else { return self.selected = count > 0 ? 0 : total - 1 }
    // A page stops at the ends.
    let next = abs(count) == 1 ? (selected + count + total) % total : selected + count
    self.selected = min(max(0, next), total - 1)
  }

  /// Shows what it asked about.
  mutating func show() { asks = false }

  /// The number of candidates that a row has in a window.
  func perRow(columns: Int) -> Int {
    hasSummaries ? 1 : max(1, columns / (textWidth + 3))
  }

  /// Returns its rows.
  ///
  /// - Parameters:
  ///   - columns: The width of the window.
  ///   - room: The number of rows below the line that may be taken.
  ///   - isUTF8: Whether characters beyond ASCII may be shown.
  /// - Returns: A line for each row.
  func lines(columns: Int, room: Int, isUTF8: Bool) -> [StyledText] {
    if asks {
      return [
        StyledText("\(result.count) candidates: Tab lists them, more letters narrow", style: .dim)
      ]
    }
    let perRow = perRow(columns: columns)
    let rows = (result.candidates.count + perRow - 1) / perRow
    var height = min(rows, max(1, min(room, Self.greatestHeight)))
    let isWhole = height == rows && result.count == result.candidates.count
    if !isWhole, height > 1 { height -= 1 }
    let row = (selected ?? 0) / perRow
    let top = min(max(0, row - height / 2), rows - height)
    let shown = (top * perRow)..<min((top + height) * perRow, result.candidates.count)
    var lines = stride(from: shown.lowerBound, to: shown.upperBound, by: perRow).map { start in
      let cells = (start..<min(start + perRow, shown.upperBound)).map { cell($0, isUTF8) }
      return cells.reduce(StyledText(), +)
    }
    if !isWhole, room > 1 { lines.append(footer(shown, isUTF8)) }
    return lines
  }

  /// A mark tells the selected one where there are no styles.
  private func cell(_ index: Int, _ isUTF8: Bool) -> StyledText {
    let candidate = result.candidates[index]
    let isSelected = index == selected
    let text = Self.shown(candidate)
    let blanks = String(repeating: " ", count: max(0, textWidth - text.columns))
    let style = TextStyle(bold: true, reversed: isSelected)
    var cell = StyledText(isSelected ? "> " : "  ") + StyledText(text.plain, style: style)
    cell += StyledText(blanks + (hasSummaries ? "  " : " "))
    return hasSummaries ? cell + StyledText(candidate.summary, style: .dim) : cell
  }

  private func footer(_ shown: Range<Int>, _ isUTF8: Bool) -> StyledText {
    let dash = isUTF8 ? "–" : "-"
    let span = "\(shown.lowerBound + 1)\(dash)\(shown.upperBound)"
    let rest = result.count - result.candidates.count
    let more = rest > 0 ? "; more letters find the other \(rest)" : ""
    return StyledText("  \(span) of \(result.count)\(more)", style: .dim)
  }

  private static func shown(_ candidate: CompletionCandidate) -> StyledText {
    StyledText(VisibleText.escape(candidate.text))
  }
}
