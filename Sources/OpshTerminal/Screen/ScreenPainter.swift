/// Draws the full screen, line by line, and sends only what has changed.
///
/// The sequences it sends:
///
/// | sequence | effect |
/// |---|---|
/// | `ESC [ r ; c H` | to a row and a column |
/// | `ESC [ n G` | to column n |
/// | `ESC [ K`, `ESC [ 2 K` | erase to the end of the row; the whole row |
/// | `ESC [ … m` | style |
/// | `ESC [ ? 7 l`, `ESC [ ? 7 h` | no automatic margins; automatic margins |
struct ScreenPainter: Sendable {
  private static let escape = "\u{1B}["

  private(set) var columns: Int
  private(set) var rows: Int
  /// What is on the screen; nil for a row with unknown content.
  private var shown: [StyledText?] = []
  private var cells: [[Cell]] = []

  init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    forget()
  }

  /// Handles a new size: terminals crop, move or break what was drawn.
  mutating func resize(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    forget()
  }

  /// Handles that the content of the screen is unknown.
  mutating func forget() {
    shown = Array(repeating: nil, count: rows)
    cells = Array(repeating: [], count: rows)
  }

  /// Returns the output that changes the screen to the given lines.
  ///
  /// - Parameter lines: The rows from the top; what is wider or further down than the screen is cut.
  /// - Returns: The frame; empty if nothing changes.
  mutating func frame(_ lines: [StyledText]) -> String {
    var frame = ""
    for row in 0..<rows {
      let line = row < lines.count ? lines[row] : StyledText()
      guard shown[row] != line else { continue }
      update(row, to: cells(of: line), in: &frame)
      shown[row] = line
    }
    return frame
  }

  private func cells(of line: StyledText) -> [Cell] {
    LineLayout(prompt: line.onOneLine, clusters: [], cursor: 0, columns: columns).rows[0]
  }

  private mutating func update(_ row: Int, to new: [Cell], in frame: inout String) {
    var old = cells[row]
    cells[row] = new
    if shown[row] == nil {
      frame += Self.escape + "\(row + 1);1H" + Self.escape + "2K"
      old = []
    }
    var same = 0
    while same < old.count, same < new.count, old[same] == new[same] { same += 1 }
    guard same < old.count || same < new.count else { return }
    var end = new.count
    let (oldColumns, newColumns) = (old.columns, new.columns)
    if oldColumns == newColumns {
      var place = old.count
      while end > same, place > same, old[place - 1] == new[end - 1] {
        end -= 1
        place -= 1
      }
    }
    let start = new[..<same].reduce(0) { $0 + $1.width }
    frame += Self.escape + "\(row + 1);\(start + 1)H"
    draw(new[same..<end], from: start, in: &frame)
    // After the last column the cursor hangs over the row's end, where erasing would take the last
    // character.
    if oldColumns > newColumns, newColumns < columns { frame += Self.escape + "K" }
  }

  private func draw(_ cells: ArraySlice<Cell>, from start: Int, in frame: inout String) {
    var column = start
    var style = TextStyle.plain
    for cell in cells {
      if cell.style != style {
        if style != .plain { frame += TextStyle.reset }
        frame += cell.style.sequence
        style = cell.style
      }
      // Without margins the cursor stays on the last column, and tmux puts an accent on the letter
      // before that.
      let needsMargin = cell.isAccentedLetter && column + cell.width == columns
      if needsMargin { frame += Self.escape + "?7h" }
      frame += cell.text
      if needsMargin { frame += Self.escape + "?7l" }
      column += cell.width
      // The terminal may use another width: position the next character explicitly.
      if cell.hasUncertainWidth, column < columns { frame += Self.escape + "\(column + 1)G" }
    }
    if style != .plain { frame += TextStyle.reset }
  }
}
