import OpshLocking

/// Turns a diagnostic into the lines that people read.
///
/// ```text
/// tour.opsh:3:7: error: there is no 'fetch questons' [unknown-subcommand]
///   fetch questons --count 2
///         ^~~~~~~~
/// help: did you mean 'questions'?
/// ```
public struct DiagnosticRenderer: Sendable {
  /// How many columns a character takes; the terminal knows, this target does not.
  public let width: @Sendable (Character) -> Int

  /// How many columns a line may have; nil for no limit but ``longestLine``.
  private let columns: @Sendable () -> Int?

  /// How many columns of the source line are shown at most.
  private static let longestLine = 160

  /// Masks the secrets of a source line without changing its length.
  private let mask: @Sendable (String) -> String
  private let maskVersion: @Sendable () -> Int

  /// The line that was shown last: a long one may have thousands of mistakes.
  private let latest = Locked<ShownLine?>(nil)

  /// How many errors of statements that ran were looked at for the line that was meant.
  private let correctedErrors = Locked(0)
  /// How many of them are.
  private static let mostCorrected = 20

  /// Creates a renderer.
  ///
  /// - Parameters:
  ///   - width: How many columns a character takes.
  ///   - columns: How many columns a line may have now, a long source line is cut to; nil where that
  ///     is of no interest.
  ///   - mask: Hides secrets. It is given source lines before they are cut, for what is left of
  ///     one may not show what it is; the length in characters must stay what it is.
  ///   - maskVersion: A number that changes when `mask` hides more than before.
  public init(
    width: @escaping @Sendable (Character) -> Int = { _ in 1 },
    columns: @escaping @Sendable () -> Int? = { nil },
    mask: @escaping @Sendable (String) -> String = { $0 },
    maskVersion: @escaping @Sendable () -> Int = { 0 }
  ) {
    self.width = width
    self.mask = mask
    self.maskVersion = maskVersion
    self.columns = columns
  }

  /// Counts an error of a statement that ran; returns whether it is one of the first, for which the
  /// line that was meant is searched.
  package func correctsNext() -> Bool {
    correctedErrors.withLock { count in
      count += 1
      return count <= Self.mostCorrected
    }
  }

  /// One line, in parts that may look different.
  public struct Line: Sendable {
    /// What a part is, so that a terminal can show it accordingly.
    public enum Role: Sendable, Hashable {
      case place, severity, message, code, carets, note, help, plain
    }

    /// The parts in order.
    public let parts: [(role: Role, text: String)]

    /// The line without any difference.
    public var text: String { parts.map(\.text).joined() }
  }

  /// Returns the lines for one diagnostic as plain text, without line breaks.
  public func render(_ diagnostic: Diagnostic) -> [String] { lines(of: diagnostic).map(\.text) }

  /// Returns the lines for one diagnostic, without line breaks.
  ///
  /// - Parameters:
  ///   - diagnostic: The diagnostic.
  ///   - showsPlace: Whether places in a source are shown as `FILE:LINE:COLUMN:`. Where they are
  ///     not, the carets alone show them.
  /// - Returns: The lines in order.
  public func lines(
    of diagnostic: Diagnostic, showsPlace: (SourceText) -> Bool = { _ in true }
  ) -> [Line] {
    var lines = [
      Line(parts: [
        (
          .place,
          showsPlace(diagnostic.source) ? placeText(diagnostic.source, diagnostic.range) : ""
        ),
        (.severity, "\(diagnostic.severity.rawValue):"),
        (.message, " " + visible(diagnostic.message)),
        (.code, " [\(visible(diagnostic.code))]"),
      ])
    ]
    lines += excerpt(of: diagnostic.source, diagnostic.range)
    for label in diagnostic.labels {
      lines.append(note(label, showsPlace: showsPlace))
      lines += excerpt(of: label.source, label.range)
    }
    lines += self.lines(of: diagnostic.calls, showsPlace: showsPlace)
    if let help = diagnostic.help {
      lines.append(Line(parts: [(.help, "help:"), (.plain, " " + visible(help))]))
    }
    return lines
  }

  /// One line for each call; there can be many, so that no source line is shown.
  private func lines(
    of calls: Backtrace, showsPlace: (SourceText) -> Bool
  ) -> [Line] {
    var lines = calls.innermost.map { note($0, showsPlace: showsPlace) }
    if calls.omittedCount > 0 {
      lines.append(
        Line(parts: [(.note, "note:"), (.plain, " … \(calls.omittedCount) more calls …")]))
    }
    return lines + calls.outermost.map { note($0, showsPlace: showsPlace) }
  }

  private func note(_ label: Diagnostic.Label, showsPlace: (SourceText) -> Bool) -> Line {
    Line(parts: [
      (.plain, showsPlace(label.source) ? placeText(label.source, label.range) : ""),
      (.note, "note:"), (.plain, " " + visible(label.message)),
    ])
  }

  private func placeText(_ source: SourceText, _ range: SourceRange) -> String {
    let place = source.place(of: range.lower)
    return "\(visible(source.name)):\(place.line):\(place.column): "
  }

  /// The source line and the carets under the part of it that the range covers.
  private func excerpt(of source: SourceText, _ range: SourceRange) -> [Line] {
    let lineRange = source.lineRange(at: range.lower)
    if lineRange.isEmpty && range.isEmpty { return [] }
    let line = shownLine(of: source, lineRange, near: range.lower)
    let start = line.firstIndex { $0.end > range.lower }
    let end = line.firstIndex { $0.start >= range.upper }
    return draw(line, start: start, end: max(start + 1, end))
  }

  /// How many bytes of a line are looked at on each side of a place: one of megabytes is not shown as a
  /// whole, and takes a hundred times as much memory as cells.
  private static let reach = 1 << 16

  private func shownLine(
    of source: SourceText, _ line: SourceRange, near place: Int
  ) -> ShownLine {
    let range =
      line.upper - line.lower <= 4 * Self.reach
      ? line
      : SourceRange(
        max(line.lower, place - Self.reach), min(line.upper, place + Self.reach))
    let version = maskVersion()
    if let known = latest.withLock({ $0 }), known.source.isSame(as: source),
      known.range == range, known.maskVersion == version
    {
      return known
    }
    // The whole line is masked: what makes a text a secret may be far from it.
    let text = source.text(in: line)
    var cells: [ShownLine.Cell] = []
    var end = line.lower
    var column = 0
    for (character, shown) in zip(text, mask(text)) {
      let start = end
      end += character.utf8.count
      guard start >= range.lower else { continue }
      guard end <= range.upper else { break }
      let (text, width) = cell(for: shown, at: column)
      cells.append(ShownLine.Cell(text: text, width: width, start: start, end: end))
      column += width
    }
    let result = ShownLine(
      source: source, range: range, maskVersion: version, cells: cells, width: column)
    latest.withLock { $0 = result }
    return result
  }

  private func draw(_ line: ShownLine, start: Int, end: Int) -> [Line] {
    // A long line is cut to a window that shows what stands around the caret; two columns are before
    // it, and a mark at each end.
    let cells = line.cells
    let maximumColumns = max(20, min(Self.longestLine, (columns() ?? .max) - 4))
    var first = 0
    if line.width > maximumColumns {
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
    return [Line(parts: [(.plain, text)]), Line(parts: [(.carets, carets)])]
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

/// A line of a source as it is shown.
private struct ShownLine: Sendable {
  /// A character; its place is in bytes of the source.
  struct Cell: Sendable {
    let text: String
    let width: Int
    let start: Int
    let end: Int
  }

  let source: SourceText
  let range: SourceRange
  let maskVersion: Int
  let cells: [Cell]
  /// How many columns it takes.
  let width: Int

  /// The first cell of those at the end of which all meet a condition, or the number of cells.
  func firstIndex(where isMet: (Cell) -> Bool) -> Int {
    var (low, high) = (0, cells.count)
    while low < high {
      let middle = (low + high) / 2
      if isMet(cells[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
