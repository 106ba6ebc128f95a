/// Draws the line being edited, and other lines above it.
///
/// It remembers which rows of the screen it has drawn and where it left the cursor, moves only
/// relatively to that, and so never needs to know where on the screen the rows are. A frame is
/// one string, to be sent with one write.
///
/// The sequences it sends:
///
/// | sequence | effect |
/// |---|---|
/// | `CR`, `CR LF` | to the row's first column; to the next row, scrolling at the bottom |
/// | `ESC [ n A`, `ESC [ n B` | up and down n rows |
/// | `ESC [ n C`, `ESC [ n G` | right n columns; to column n |
/// | `ESC [ K`, `ESC [ 2 K` | erase to the end of the row; the whole row |
/// | `ESC [ … m` | style |
/// | `ESC [ ? 7 l`, `ESC [ ? 7 h` | no automatic margins; automatic margins |
/// | `ESC ] 133 ; A`, `B` | the beginning and the end of the prompt, for the terminal |
/// | `ESC [ H`, `ESC [ 2 J` | first row; erase the screen (Ctrl-L only) |
///
/// `ESC [ J` is not among them: tmux takes it, at the top left, as a reason to copy the screen
/// into its history, with the prompt in it.
struct Painter {
  private static let escape = "\u{1B}["

  /// The window's size.
  private(set) var columns: Int
  private(set) var screenRows: Int

  /// The content of the screen, row by row; nil for a row with unknown content.
  private var drawn: [[Cell]?] = []
  private var cursorRow = 0
  private var cursorColumn = 0
  /// The first row of the layout on the screen, if it does not fit.
  private var top = 0

  init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.screenRows = max(1, rows)
  }

  /// Handles a new size of the window.
  ///
  /// Terminals break rows that have become too long, so that what was drawn takes more rows.
  /// The few that cut them instead lose as many rows above the line as were broken.
  mutating func resize(columns newColumns: Int, rows newRows: Int) {
    let newColumns = max(1, newColumns)
    screenRows = max(1, newRows)
    if newColumns != columns { reflow(to: newColumns) }
    // What is higher than the screen has been scrolled off its top.
    let lost = drawn.count - screenRows
    guard lost > 0 else { return }
    drawn = Array(repeating: nil, count: screenRows)
    cursorRow = max(0, cursorRow - lost)
  }

  private mutating func reflow(to newColumns: Int) {
    columns = newColumns
    let heights = drawn.map { max(1, (($0?.columns ?? 0) + newColumns - 1) / newColumns) }
    let above = heights.prefix(cursorRow).reduce(0, +)
    let inside = min(cursorColumn / newColumns, (heights.dropFirst(cursorRow).first ?? 1) - 1)
    cursorRow = above + inside
    cursorColumn = min(cursorColumn - inside * newColumns, newColumns - 1)
    drawn = Array(repeating: nil, count: heights.reduce(0, +))
  }

  /// Returns the output that changes the screen to the given layout, with lines added above it.
  ///
  /// - Parameters:
  ///   - layout: The rows, made for this painter's width.
  ///   - above: Lines ready to be sent, without newlines.
  /// - Returns: The frame; empty if nothing changes.
  mutating func frame(_ layout: LineLayout, above: [String] = []) -> String {
    let (rows, row) = window(of: layout)
    var frame = ""
    if !above.isEmpty || drawn.contains(nil) {
      eraseAll(&frame)
      for line in above { frame += line + "\r\n" }
    }
    for (index, cells) in rows.enumerated() { update(index, to: cells, in: &frame) }
    eraseRows(from: rows.count, in: &frame)
    move(toRow: row, column: layout.cursorColumn, in: &frame)
    return frame
  }

  /// Returns the output that moves the cursor to a fresh row below the text; nothing remains drawn.
  mutating func finish(mark: String = "") -> String {
    var frame = ""
    if let last = drawn.last {
      let end = last?.columns ?? 0
      move(toRow: drawn.count - 1, column: end, in: &frame)
      if end + mark.count > columns { frame += "\r\n" }
    }
    forget()
    return frame + mark + "\r\n"
  }

  /// Returns the output that erases the whole screen; the next frame starts at its top.
  mutating func clearScreen() -> String {
    forget()
    return Self.escape + "H" + Self.escape + "2J"
  }

  /// Handles that the cursor is in the first column of an empty row.
  mutating func forget() {
    drawn = []
    cursorRow = 0
    cursorColumn = 0
    top = 0
  }

  /// Selects the rows that fit on the screen, including the cursor's.
  private mutating func window(of layout: LineLayout) -> (ArraySlice<[Cell]>, Int) {
    let height = min(layout.rows.count, screenRows)
    top = min(top, layout.rows.count - height)
    if layout.cursorRow < top { top = layout.cursorRow }
    if layout.cursorRow >= top + height { top = layout.cursorRow - height + 1 }
    return (layout.rows[top..<(top + height)], layout.cursorRow - top)
  }

  private mutating func update(_ index: Int, to cells: [Cell], in frame: inout String) {
    if index >= drawn.count {
      if index > 0 {
        move(toRow: index - 1, column: nil, in: &frame)
        frame += "\r\n"
        cursorRow = index
      } else if cursorColumn != 0 {
        frame += "\r"
      }
      cursorColumn = 0
      drawn.append([])
    }
    let old = drawn[index] ?? []
    guard old != cells else { return }
    var same = 0
    while same < old.count, same < cells.count, old[same] == cells[same] { same += 1 }
    let start = cells[..<same].reduce(0) { $0 + $1.width }
    move(toRow: index, column: start, in: &frame)
    draw(cells[same...], from: start, in: &frame)
    // After the last column the cursor hangs over the row's end, where erasing would take
    // the last character: a full row has nothing left to erase.
    if old.columns > cells.columns, cells.columns < columns { frame += Self.escape + "K" }
    drawn[index] = cells
  }

  private mutating func draw(_ cells: ArraySlice<Cell>, from start: Int, in frame: inout String) {
    var column = start
    var style = TextStyle.plain
    // If a terminal draws a sequence wider than expected, it must not continue in the next row.
    let isUncertain = cells.contains { $0.hasUncertainWidth }
    if isUncertain { frame += Self.escape + "?7l" }
    for cell in cells {
      // Without margins the cursor stays on the last column, and tmux puts an accent on the letter
      // before that.
      if cell.isAccentedLetter, column + cell.width == columns { frame += Self.escape + "?7h" }
      if cell.style != style {
        if style != .plain { frame += TextStyle.reset }
        frame += cell.style.sequence
        style = cell.style
      }
      frame += cell.marks.before + cell.text + cell.marks.after
      column += cell.width
      // The terminal may use another width: position the next character explicitly.
      if cell.hasUncertainWidth, column < columns { frame += Self.escape + "\(column + 1)G" }
    }
    if style != .plain { frame += TextStyle.reset }
    if isUncertain {
      if column < columns { frame += Self.escape + "K" }
      frame += Self.escape + "?7h"
    }
    cursorColumn = column
  }

  private mutating func eraseAll(_ frame: inout String) {
    guard !drawn.isEmpty else {
      if cursorColumn != 0 { frame += "\r" }
      cursorColumn = 0
      return
    }
    eraseRows(from: 0, in: &frame)
  }

  /// Erases the last rows, from the bottom up, and leaves the cursor on the first of them.
  private mutating func eraseRows(from first: Int, in frame: inout String) {
    while drawn.count > first {
      move(toRow: drawn.count - 1, column: 0, in: &frame)
      frame += Self.escape + "2K"
      drawn.removeLast()
    }
    if first == 0 { return }
    move(toRow: min(cursorRow, max(0, drawn.count - 1)), column: nil, in: &frame)
  }

  /// Moves to a row, and to a column where one is given.
  private mutating func move(toRow row: Int, column: Int?, in frame: inout String) {
    if row < cursorRow {
      frame += Self.escape + "\(cursorRow - row)A"
    } else if row > cursorRow {
      frame += Self.escape + "\(row - cursorRow)B"
    }
    cursorRow = row
    guard let column, column != cursorColumn else { return }
    // Always from the first column: after a full row no other column is certain.
    frame += "\r"
    if column > 0 { frame += Self.escape + "\(min(column, columns - 1))C" }
    cursorColumn = column
  }
}
