/// Lays out rows and columns of text.
///
/// ```swift
/// let table = Table(
///   columns: [.init("id", alignment: .trailing), .init("title", isFlexible: true)],
///   rows: [["1", "How do I cancel an operation?"]])
/// for line in table.lines(width: 80, ascii: false) { print(line.rendered(color: true)) }
/// ```
public struct Table: Sendable {
  /// A column: its title and how its cells stand in it.
  public struct Column: Sendable {
    /// The title; with all titles empty there is no header.
    public var title: StyledText
    /// The alignment of cells.
    public var alignment: TextAlignment
    /// The least width in columns.
    public var minimumWidth: Int
    /// The greatest width in columns, or nil.
    public var maximumWidth: Int?
    /// Whether the column shrinks if the table is too wide.
    public var isFlexible: Bool
    /// Whether a cell that is cut keeps its end, where names have their numbers.
    public var keepsEnds: Bool
    /// Whether its cells go to lines of their own, below those of the row, where the table would
    /// leave them too little room to be read.
    public var goesBelow: Bool

    /// Creates a column.
    public init(
      _ title: StyledText, alignment: TextAlignment = .leading, minimumWidth: Int = 1,
      maximumWidth: Int? = nil, isFlexible: Bool = false, keepsEnds: Bool = false,
      goesBelow: Bool = false
    ) {
      self.title = title
      self.alignment = alignment
      self.minimumWidth = max(1, minimumWidth)
      self.maximumWidth = maximumWidth
      self.isFlexible = isFlexible
      self.keepsEnds = keepsEnds
      self.goesBelow = goesBelow
    }
  }

  /// The columns, from left to right.
  public var columns: [Column]
  /// The cells, row by row; a short row has empty cells at its end.
  public var rows: [[StyledText]]
  /// The number of blanks between two columns.
  private static let gap = 2

  /// Creates a table.
  public init(columns: [Column], rows: [[StyledText]] = []) {
    self.columns = columns
    self.rows = rows
  }

  /// Lays out the table.
  ///
  /// If it is wider than `width`, the widest flexible column shrinks first, down to its minimum
  /// width; if that is not enough, so do the others, and finally lines are truncated. Columns that
  /// may go below their rows do so before.
  ///
  /// - Parameters:
  ///   - width: The greatest number of columns, or nil for as many as needed.
  ///   - ascii: Whether the marks of cut cells and the header's rule are plain ASCII.
  /// - Returns: The header, if there is one, and the rows, without blanks at their ends.
  public func lines(width: Int?, ascii: Bool) -> [StyledText] {
    let cells = rows.map { row in
      columns.indices.map { $0 < row.count ? row[$0].onOneLine : StyledText() }
    }
    if let width, let lines = linesWithCellsBelow(width: width, ascii: ascii) { return lines }
    let titles = columns.map(\.title.onOneLine)
    let hasHeader = titles.contains { !$0.isEmpty }
    var widths = naturalWidths(of: hasHeader ? [titles] + cells : cells)
    if let width { shrink(&widths, to: width) }

    let ellipsis = ascii ? "..." : "…"
    var lines: [StyledText] = []
    if hasHeader {
      let header = line(of: titles, widths: widths, ellipsis: ellipsis)
      lines.append(
        header.restyled {
          $0.dim = true; $0.underlined = true
        })
    }
    lines += cells.map { line(of: $0, widths: widths, ellipsis: ellipsis) }
    guard let width else { return lines }
    return lines.map { $0.truncated(to: width, ellipsis: ellipsis).withoutTrailingBlanks }
  }

  /// The least width of a column that may go below the rows.
  private static let leastReadableWidth = 16

  /// The lines with cells below the rows, indented; nil where there is room for them in the rows.
  private func linesWithCellsBelow(width: Int, ascii: Bool) -> [StyledText]? {
    let below = columns.indices.filter { columns[$0].goesBelow }
    guard !below.isEmpty, below.count < columns.count else { return nil }
    var widths = naturalWidths(of: [columns.map(\.title)] + rows)
    for index in below { widths[index] = min(widths[index], Self.leastReadableWidth) }
    guard widths.reduce(Self.gap * (columns.count - 1), +) > width else { return nil }
    let kept = columns.indices.filter { !below.contains($0) }
    var table = self
    table.columns = kept.map { columns[$0] }
    table.rows = rows.map { row in kept.map { $0 < row.count ? row[$0] : StyledText() } }
    let lines = table.lines(width: width, ascii: ascii)
    let headerCount = lines.count - rows.count
    return lines.prefix(headerCount)
      + zip(lines.dropFirst(headerCount), rows).flatMap { line, row in
        [line]
          + below.filter { $0 < row.count && !row[$0].isEmpty }.flatMap {
            (StyledText("    ") + row[$0].onOneLine).folded(to: width)
          }
      }
  }

  /// The width in which a flexible column counts as whole.
  private static let readableWidth = 24

  /// Removes columns until no cell has to be cut, as far as that is enough.
  ///
  /// - Parameters:
  ///   - candidates: The positions of columns that may go, the first to go first.
  ///   - width: The greatest number of columns of the terminal, or nil for as many as needed.
  public mutating func removeColumns(_ candidates: [Int], toFit width: Int?) {
    guard let width else { return }
    var widths = naturalWidths(of: [columns.map(\.title)] + rows)
    for index in columns.indices where columns[index].isFlexible {
      widths[index] = min(widths[index], Self.readableWidth)
    }
    var kept = columns.indices.map { (index: $0, width: widths[$0]) }
    for candidate in candidates
    where kept.reduce(0, { $0 + $1.width + Self.gap }) - Self.gap > width {
      kept.removeAll { $0.index == candidate }
    }
    rows = rows.map { row in kept.compactMap { $0.index < row.count ? row[$0.index] : nil } }
    columns = kept.map { columns[$0.index] }
  }

  /// Returns the width that is left for the last column where the others are whole.
  ///
  /// - Parameter width: The columns of the terminal.
  /// - Returns: The columns; negative where not even the others fit.
  public func room(forLastIn width: Int) -> Int {
    let widths = naturalWidths(of: [columns.map(\.title)] + rows)
    return width - widths.dropLast().reduce(0) { $0 + $1 + Self.gap }
  }

  private func naturalWidths(of rows: [[StyledText]]) -> [Int] {
    columns.indices.map { index in
      let column = columns[index]
      let widest = rows.reduce(column.minimumWidth) { max($0, $1[index].columns) }
      return min(widest, max(column.minimumWidth, column.maximumWidth ?? Int.max))
    }
  }

  private func shrink(_ widths: inout [Int], to limit: Int) {
    let gaps = Self.gap * max(0, columns.count - 1)
    for flexibleOnly in [true, false] {
      while widths.reduce(gaps, +) > limit {
        let candidates = columns.indices.filter {
          (columns[$0].isFlexible || !flexibleOnly) && widths[$0] > columns[$0].minimumWidth
        }
        guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
        // Down to the next widest at once: a cell may be megabytes wide.
        let excess = widths.reduce(gaps, +) - limit
        let next = candidates.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
        let step = max(1, min(excess, widths[widest] - max(next, columns[widest].minimumWidth)))
        widths[widest] -= step
      }
    }
  }

  private func line(of cells: [StyledText], widths: [Int], ellipsis: String) -> StyledText {
    var line = StyledText()
    var pendingBlanks = 0
    for (index, cell) in cells.enumerated() {
      let cut =
        columns[index].keepsEnds
        ? cell.truncatedAtStart(to: widths[index], ellipsis: ellipsis)
        : cell.truncated(to: widths[index], ellipsis: ellipsis)
      let missing = max(0, widths[index] - cut.columns)
      let before = columns[index].alignment == .trailing ? missing : 0
      if index > 0 { pendingBlanks += Self.gap }
      if cut.isEmpty {
        pendingBlanks += widths[index]
        continue
      }
      // Blanks are written only before a cell with something in it: no line ends in them.
      line += StyledText(String(repeating: " ", count: pendingBlanks + before))
      line += cut
      pendingBlanks = missing - before
    }
    return line
  }
}
