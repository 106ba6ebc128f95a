import COpshSystem
import Foundation

/// The visible result of a stream of bytes: a small terminal emulator.
///
/// It supports printing with automatic margins and wide characters, the cursor and erase sequences
/// of a VT100, and the scrollback; on a resize it wraps and joins rows as most terminals do.
/// Sequences that only change colours or modes are ignored.
public struct ScreenModel: Sendable {
  struct Row: Sendable, Equatable {
    /// One entry per column: a character, nil for a blank, "" for the second half of a wide one.
    var cells: [String?]
    /// Whether the next row continues this one.
    var isWrapped = false
  }

  /// The width.
  public private(set) var columns: Int
  /// The height.
  public private(set) var rows: Int
  /// Whether sequences of several scalars are drawn as one picture.
  public var joinsClusters: Bool
  /// The cursor's row, from 0 at the top.
  public internal(set) var cursorRow: Int = 0
  /// The cursor's column, from 0 at the left.
  public internal(set) var cursorColumn: Int = 0
  /// Whether the program enabled bracketed paste.
  public internal(set) var marksPastes: Bool = false
  /// How often the bell rang.
  public internal(set) var bells: Int = 0

  /// Whether the program shows the alternate screen.
  public var isAlternate: Bool { main != nil }

  var grid: [Row]
  var history: [Row] = []
  /// The main screen and its cursor, while the alternate one is shown.
  var main: SavedScreen?
  private var wrapsAutomatically = true
  /// The last column is filled, and the next character goes to the next row.
  var wrapsNext = false
  private var parser = SequenceParser()

  /// Creates a blank screen.
  public init(columns: Int = 80, rows: Int = 24, joinsClusters: Bool = true) {
    self.columns = columns
    self.rows = rows
    self.joinsClusters = joinsClusters
    grid = Array(repeating: Row(cells: Array(repeating: nil, count: columns)), count: rows)
    _ = Self.locale
  }

  /// `wcwidth` supports only ASCII before this.
  private static let locale: Bool = setlocale(LC_CTYPE, "C.UTF-8") != nil

  // MARK: What is seen

  /// The rows on the screen, without blanks at their ends.
  public var lines: [String] { grid.map(Self.text) }

  /// The rows in the scrollback, oldest first.
  public var scrollback: [String] { history.map(Self.text) }

  /// All rows, starting with the scrollback.
  public var allLines: [String] { scrollback + lines }

  /// All of the text, with wrapped rows joined to lines.
  public var logicalLines: [String] {
    var result: [String] = []
    var current = ""
    for row in history + grid {
      current += row.isWrapped ? Self.fullText(row) : Self.text(row)
      if row.isWrapped { continue }
      result.append(current)
      current = ""
    }
    if !current.isEmpty { result.append(current) }
    return result
  }

  /// The screen as one text, without blank rows at its end.
  public var text: String {
    var lines = self.lines
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  /// The row with the cursor.
  public var cursorLine: String { lines[cursorRow] }

  private static func text(_ row: Row) -> String {
    var cells = row.cells
    while let last = cells.last, last == nil || last == " " { cells.removeLast() }
    return cells.map { $0 ?? " " }.joined()
  }

  private static func fullText(_ row: Row) -> String {
    row.cells.map { $0 ?? " " }.joined()
  }

  // MARK: What is sent

  /// Processes bytes that a program has written.
  public mutating func feed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      guard let action = parser.feed(byte) else { continue }
      for action in action { perform(action) }
    }
  }

  private mutating func perform(_ action: SequenceParser.Action) {
    switch action {
    case .print(let scalar): print(scalar)
    case .control(let byte): control(byte)
    case .sequence(let final, let parameters, let isPrivate):
      if isPrivate {
        if parameters.first == 2004 { marksPastes = final == "h" }
        if parameters.first == 7 { wrapsAutomatically = final == "h" }
        if parameters.first == 1049 { showAlternate(final == "h") }
      } else {
        sequence(final, parameters)
      }
    }
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x07: bells += 1
    case 0x08:
      cursorColumn = max(0, cursorColumn - 1)
      wrapsNext = false
    case 0x09:
      cursorColumn = min(columns - 1, cursorColumn + 8 - cursorColumn % 8)
    case 0x0A: lineFeed()
    case 0x0D:
      cursorColumn = 0
      wrapsNext = false
    default: break
    }
  }

  private mutating func sequence(_ final: Character, _ parameters: [Int]) {
    let count = max(1, parameters.first ?? 1)
    let selector = parameters.first ?? 0
    wrapsNext = wrapsNext && "mKJ".contains(final)
    switch final {
    case "A": cursorRow = max(0, cursorRow - count)
    case "B": cursorRow = min(rows - 1, cursorRow + count)
    case "C": cursorColumn = min(columns - 1, cursorColumn + count)
    case "D": cursorColumn = max(0, cursorColumn - count)
    case "G": cursorColumn = min(columns - 1, count - 1)
    case "H", "f":
      cursorRow = min(rows - 1, count - 1)
      cursorColumn = min(columns - 1, max(1, parameters.dropFirst().first ?? 1) - 1)
    case "J": eraseScreen(selector)
    case "K": eraseRow(selector)
    case "P": deleteCells(count)
    case "@": insertCells(count)
    case "L": insertRows(count)
    case "M": deleteRows(count)
    default: break
    }
  }

  // MARK: Printing

  private mutating func print(_ scalar: Unicode.Scalar) {
    if joinsClusters, joinToPrevious(scalar) { return }
    let width = Int(wcwidth(wchar_t(scalar.value)))
    guard width > 0 else {
      // Zero columns: an accent is combined with the character before it, if there is one.
      if let column = previousCell { grid[cursorRow].cells[column]?.unicodeScalars.append(scalar) }
      return
    }
    if !wrapsAutomatically {
      wrapsNext = false
      cursorColumn = min(cursorColumn, max(0, columns - width))
    } else if wrapsNext || cursorColumn + width > columns {
      grid[cursorRow].isWrapped = true
      cursorColumn = 0
      wrapsNext = false
      lineFeed()
    }
    put(String(Character(scalar)), width: width)
  }

  private mutating func put(_ text: String, width: Int) {
    for offset in 0..<width {
      breakWide(at: cursorColumn + offset)
      grid[cursorRow].cells[cursorColumn + offset] = offset == 0 ? text : ""
    }
    cursorColumn += width
    if cursorColumn >= columns {
      cursorColumn = columns - 1
      // As in tmux: without margins the cursor does not move.
      wrapsNext = wrapsAutomatically
    }
  }

  /// If one half of a wide character is overwritten, the other half is erased.
  private mutating func breakWide(at column: Int) {
    guard column < columns else { return }
    if grid[cursorRow].cells[column] == "", column > 0 { grid[cursorRow].cells[column - 1] = nil }
    if column + 1 < columns, grid[cursorRow].cells[column + 1] == "" {
      grid[cursorRow].cells[column + 1] = nil
    }
  }

  private var previousCell: Int? {
    var column = wrapsNext ? cursorColumn : cursorColumn - 1
    guard column >= 0 else { return nil }
    if grid[cursorRow].cells[column] == "" { column -= 1 }
    return column >= 0 && grid[cursorRow].cells[column] != nil ? column : nil
  }

  private mutating func joinToPrevious(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x300, let column = previousCell,
      var joined = grid[cursorRow].cells[column]
    else { return false }
    joined.unicodeScalars.append(scalar)
    guard joined.count == 1 else { return false }
    grid[cursorRow].cells[column] = joined
    let isEmoji = scalar.value == 0xFE0F || (0x1F1E6...0x1F1FF).contains(scalar.value)
    if isEmoji, cursorColumn == column + 1, !wrapsNext {
      breakWide(at: cursorColumn)
      grid[cursorRow].cells[cursorColumn] = ""
      cursorColumn += 1
      if cursorColumn >= columns {
        cursorColumn = columns - 1
        wrapsNext = true
      }
    }
    return true
  }

  private mutating func lineFeed() {
    guard cursorRow == rows - 1 else {
      cursorRow += 1
      return
    }
    let first = grid.removeFirst()
    // The alternate screen has no scrollback.
    if main == nil { history.append(first) }
    grid.append(blankRow)
  }

  var blankRow: Row { Row(cells: Array(repeating: nil, count: columns)) }

  mutating func setSize(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}
