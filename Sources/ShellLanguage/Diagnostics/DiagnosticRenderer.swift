/// Turns a diagnostic into the lines that people read.
///
/// ```text
/// tour.opsh:3:7: error: there is no 'fetch questons'
///   fetch questons --count 2
///         ^~~~~~~~
/// help: did you mean 'questions'?
/// ```
public struct DiagnosticRenderer: Sendable {
  /// How many columns a character takes; the terminal knows, this target does not.
  public let width: @Sendable (Character) -> Int

  /// How many columns of the source line are shown at most.
  public let maximumColumns: Int

  /// Creates a renderer that asks `width` how many columns a character takes.
  public init(
    maximumColumns: Int = 160, width: @escaping @Sendable (Character) -> Int = { _ in 1 }
  ) {
    self.width = width
    self.maximumColumns = max(20, maximumColumns)
  }

  /// Returns the lines for one diagnostic, without line breaks.
  public func render(_ diagnostic: Diagnostic) -> [String] {
    var lines = [headline(diagnostic)]
    lines += excerpt(of: diagnostic.source, diagnostic.range)
    for label in diagnostic.labels {
      let place = label.source.place(of: label.range.lower)
      lines.append(
        "\(visible(label.source.name)):\(place.line):\(place.column): note: \(visible(label.message))"
      )
      lines += excerpt(of: label.source, label.range)
    }
    if let help = diagnostic.help { lines.append("help: \(visible(help))") }
    return lines
  }

  private func headline(_ diagnostic: Diagnostic) -> String {
    let place = diagnostic.place
    let severity = diagnostic.severity.rawValue
    return "\(visible(diagnostic.source.name)):\(place.line):\(place.column): \(severity): "
      + visible(diagnostic.message)
  }

  /// The source line and the carets under the part of it that the range covers.
  private func excerpt(of source: SourceText, _ range: SourceRange) -> [String] {
    let lineRange = source.lineRange(at: range.lower)
    let line = source.text(in: lineRange)
    if line.isEmpty && range.isEmpty { return [] }
    var cells: [(text: String, width: Int)] = []
    var caretStart: Int?
    var caretEnd: Int?
    var offset = lineRange.lower
    var column = 0
    for character in line {
      if caretStart == nil, offset + character.utf8.count > range.lower {
        caretStart = cells.count
      }
      if caretEnd == nil, offset >= range.upper { caretEnd = cells.count }
      let cell = cell(for: character, at: column)
      cells.append(cell)
      column += cell.width
      offset += character.utf8.count
    }
    let start = caretStart ?? cells.count
    let end = max(start + 1, caretEnd ?? cells.count)
    return draw(cells, start: start, end: end)
  }

  private func draw(_ cells: [(text: String, width: Int)], start: Int, end: Int) -> [String] {
    // A long line is cut to a window that shows what stands around the caret.
    let total = cells.reduce(0) { $0 + $1.width }
    var first = 0
    if total > maximumColumns {
      var room = maximumColumns / 3
      first = min(start, cells.count)
      while first > 0, room >= cells[first - 1].width {
        first -= 1
        room -= cells[first].width
      }
    }
    var text = first > 0 ? "  …" : "  "
    var carets = first > 0 ? "   " : "  "
    var used = 0
    var index = first
    while index < cells.count, used + cells[index].width <= maximumColumns {
      text += cells[index].text
      let mark: Character = index < start ? " " : index < end ? (index == start ? "^" : "~") : " "
      if mark == " " {
        if index < start { carets += String(repeating: " ", count: cells[index].width) }
      } else {
        carets.append(mark)
        carets += String(repeating: "~", count: max(0, cells[index].width - 1))
      }
      used += cells[index].width
      index += 1
    }
    if index < cells.count { text += "…" }
    if start >= cells.count { carets += "^" }
    return [text, carets]
  }

  private func cell(for character: Character, at column: Int) -> (text: String, width: Int) {
    if character == "\t" {
      let width = 8 - column % 8
      return (String(repeating: " ", count: width), width)
    }
    let shown = visible(String(character))
    if shown.count == 1, shown == String(character) { return (shown, max(0, width(character))) }
    return (shown, shown.count)
  }

  /// Returns the text with control characters written out, so that none reaches a terminal.
  private func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: Self.isUnsafe) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if Self.isUnsafe(scalar) {
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Control characters, and the marks that turn the direction of writing.
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
