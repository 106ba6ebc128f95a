/// Breaks the prompt and the text being edited into rows of the screen.
///
/// It is a pure function of its input: the painter stores the result, and thus always knows which
/// rows of the screen belong to it.
struct LineLayout: Equatable {
  /// The rows, at least one, none wider than the screen.
  private(set) var rows: [[Cell]] = [[]]
  /// The position of the cursor.
  private(set) var cursorRow = 0
  private(set) var cursorColumn = 0

  private let columns: Int
  private var column = 0

  /// Lays out a prompt and clusters of text.
  ///
  /// - Parameters:
  ///   - prompt: The text before the input; may contain newlines.
  ///   - continuations: The texts before the input's further lines; the last one counts for all
  ///     that follow.
  ///   - clusters: The text, cluster by cluster.
  ///   - styles: The styles of the clusters; none if all are plain.
  ///   - cursor: The number of clusters before the cursor.
  ///   - ghost: What follows the text without being part of it, as far as its row has room.
  ///   - marks: What tells the terminal where the prompt is.
  ///   - columns: The width of the screen.
  init(
    prompt: StyledText, continuations: [StyledText] = [], clusters: [String],
    styles: [TextStyle] = [], cursor: Int, ghost: StyledText = "",
    marks: Cell.Marks = Cell.Marks(), columns: Int
  ) {
    self.columns = max(1, columns)
    append(prompt)
    if let last = rows.indices.last, !rows[0].isEmpty, !rows[last].isEmpty {
      rows[0][0].marks.before = marks.before
      rows[last][rows[last].count - 1].marks.after = marks.after
    }
    var line = 0
    for (index, cluster) in clusters.enumerated() {
      if index == cursor { markCursor(before: cluster) }
      if cluster == "\n" {
        startRow()
        if let last = continuations.last {
          append(line < continuations.count ? continuations[line] : last)
        }
        line += 1
      } else {
        append(cluster, style: index < styles.count ? styles[index] : .plain)
      }
    }
    if cursor >= clusters.count {
      if column >= self.columns { startRow() }
      cursorRow = rows.count - 1
      cursorColumn = column
    }
    // One column stays free: at the end of a full row the cursor has no certain place.
    appendCut(ghost, to: self.columns - 1 - column)
  }

  /// Adds rows below the text, each with a line that is cut to its width.
  mutating func append(below lines: [StyledText]) {
    for line in lines {
      startRow()
      appendCut(line, to: columns)
    }
  }

  private mutating func appendCut(_ text: StyledText, to room: Int) {
    guard !text.isEmpty, room > 0 else { return }
    append(text.truncated(to: room, ellipsis: ""))
  }

  private mutating func append(_ text: StyledText) {
    for span in text.spans {
      for character in span.text {
        if character == "\n" || character == "\r\n" {
          startRow()
        } else {
          append(String(character), style: span.style)
        }
      }
    }
  }

  private mutating func append(_ cluster: String, style: TextStyle) {
    if cluster == "\t" {
      for _ in 0..<(8 - column % 8) {
        guard column < columns else { break }
        append(Cell(text: " ", width: 1, style: style))
      }
      return
    }
    if cluster.utf8.count == 1, let byte = cluster.utf8.first, byte >= 0x20, byte < 0x7F {
      append(Cell(text: cluster, width: 1, style: style))
      return
    }
    let visible = Self.visible(cluster)
    if visible == cluster {
      append(Cell(text: cluster, width: TextWidth.columns(of: cluster), style: style))
    } else {
      for character in visible {
        append(Cell(text: String(character), width: 1, style: style))
      }
    }
  }

  private mutating func append(_ cell: Cell) {
    var cell = cell
    if cell.width > columns { cell = Cell(text: "?", width: 1, style: cell.style) }
    if column + cell.width > columns { startRow() }
    rows[rows.count - 1].append(cell)
    column += cell.width
  }

  private mutating func startRow() {
    rows.append([])
    column = 0
  }

  private mutating func markCursor(before cluster: String) {
    cursorRow = rows.count - 1
    cursorColumn = column
    if cluster == "\n" {
      // At the end of a full row there is no column after the last character: place the cursor on
      // it.
      cursorColumn = min(column, columns - 1)
    } else if column >= columns || column + Self.width(of: cluster) > columns {
      cursorRow += 1
      cursorColumn = 0
    }
  }

  private static func width(of cluster: String) -> Int {
    visible(cluster) == cluster ? TextWidth.columns(of: cluster) : 1
  }

  /// A cluster in its displayed form: control characters and characters without width, such as an
  /// accent without a letter, are escaped.
  private static func visible(_ cluster: String) -> String {
    let escaped = VisibleText.escape(cluster)
    guard escaped == cluster, TextWidth.columns(of: cluster) == 0 else { return escaped }
    return cluster.unicodeScalars
      .map { "\\u{" + String($0.value, radix: 16, uppercase: true) + "}" }.joined()
  }
}
