import Foundation

extension LineEditor {
  /// The maximum number of listed candidates.
  private static let greatestList = 200

  /// Inserts the common prefix of all candidates, or lists them if there is nothing to insert.
  func complete() -> EditOutcome {
    let text = self.text
    let cursor = textBeforeCursor.count
    let result = delegate?.completions(for: text, cursor: cursor) ?? .none
    let characters = Array(text)
    let range = result.range.clamped(to: 0..<characters.count)
    guard let first = result.candidates.first else { return .beep }

    let before = String(characters[..<range.lowerBound])
    let after = String(characters[range.upperBound...])
    let replaced = String(characters[range])
    if result.candidates.count == 1 {
      let needsSpace = first.appendsSpace && after.first?.isWhitespace != true
      let inserted = before + first.text + (needsSpace ? " " : "")
      setText(inserted + after, cursorAfter: inserted)
      return .proceed
    }
    let common = Self.commonPrefix(of: result.candidates.map(\.text))
    if common.count > replaced.count, common.hasPrefix(replaced) {
      setText(before + common + after, cursorAfter: before + common)
      return .proceed
    }
    printAbove(list(of: result))
    return .proceed
  }

  private static func commonPrefix(of texts: [String]) -> String {
    guard var prefix = texts.first.map({ Array($0) }) else { return "" }
    for text in texts.dropFirst() {
      let same = zip(prefix, text).prefix { $0 == $1 }.count
      prefix.removeLast(prefix.count - same)
    }
    return String(prefix)
  }

  /// The prompt line is repeated above the list, so that the scrollback reads as a dialogue.
  private func list(of result: CompletionResult) -> [StyledText] {
    let shown = result.candidates.prefix(Self.greatestList)
    let hasSummaries = shown.contains { !$0.summary.isEmpty }
    var lines = hasSummaries ? described(shown) : inColumns(shown.map(\.text))
    let rest = result.count - shown.count
    if rest > 0 {
      let mark = capabilities.isUTF8 ? "…" : "..."
      lines.append(StyledText("\(mark) \(rest) more", style: .dim))
    }
    return lines
  }

  private func described(_ candidates: some Collection<CompletionCandidate>) -> [StyledText] {
    let table = Table(
      columns: [.init(""), .init("", isFlexible: true)],
      rows: candidates.map {
        [StyledText($0.text, style: .bold), StyledText($0.summary, style: .dim)]
      })
    return table.lines(width: painter.columns, ascii: !capabilities.isUTF8)
  }

  private func inColumns(_ texts: [String]) -> [StyledText] {
    let texts = texts.map { VisibleText.escape($0) }
    let width = (texts.map { TextWidth.columns(of: $0) }.max() ?? 0) + 2
    let columns = max(1, painter.columns / width)
    let rows = (texts.count + columns - 1) / columns
    let table = Table(
      columns: (0..<columns).map { _ in .init("", minimumWidth: width - 2, isFlexible: true) },
      rows: (0..<rows).map { row in
        stride(from: row, to: texts.count, by: rows).map { StyledText(texts[$0]) }
      })
    return table.lines(width: painter.columns, ascii: !capabilities.isUTF8)
  }
}
