extension ScreenModel {
  mutating func eraseRow(_ selector: Int) {
    let range: Range<Int>
    switch selector {
    case 0: range = cursorColumn..<columns
    case 1: range = 0..<(cursorColumn + 1)
    default: range = 0..<columns
    }
    for column in range { grid[cursorRow].cells[column] = nil }
    if selector != 1 { grid[cursorRow].isWrapped = false }
  }

  mutating func eraseScreen(_ selector: Int) {
    switch selector {
    case 0:
      eraseRow(0)
      for row in (cursorRow + 1)..<max(cursorRow + 1, rows) { grid[row] = blankRow }
    case 1:
      for row in 0..<cursorRow { grid[row] = blankRow }
      eraseRow(1)
    default:
      for row in 0..<rows { grid[row] = blankRow }
    }
  }

  mutating func deleteCells(_ count: Int) {
    let count = min(count, columns - cursorColumn)
    grid[cursorRow].cells.removeSubrange(cursorColumn..<(cursorColumn + count))
    grid[cursorRow].cells += Array(repeating: nil, count: count)
  }

  mutating func insertCells(_ count: Int) {
    let count = min(count, columns - cursorColumn)
    grid[cursorRow].cells.insert(contentsOf: Array(repeating: nil, count: count), at: cursorColumn)
    grid[cursorRow].cells.removeLast(count)
  }

  mutating func insertRows(_ count: Int) {
    for _ in 0..<min(count, rows - cursorRow) {
      grid.removeLast()
      grid.insert(blankRow, at: cursorRow)
    }
  }

  mutating func deleteRows(_ count: Int) {
    for _ in 0..<min(count, rows - cursorRow) {
      grid.remove(at: cursorRow)
      grid.append(blankRow)
    }
  }

  /// Changes the size like a terminal that rewraps rows.
  ///
  /// - Parameters:
  ///   - newColumns: The new width.
  ///   - newRows: The new height.
  public mutating func resize(columns newColumns: Int, rows newRows: Int) {
    guard var other = main else { return reflow(columns: newColumns, rows: newRows) }
    // The main screen reflows; rows of the alternate one are cropped.
    swap(&other.grid, &grid)
    main = nil
    let cursor = (cursorRow, cursorColumn)
    (cursorRow, cursorColumn) = (other.cursorRow, other.cursorColumn)
    reflow(columns: newColumns, rows: newRows)
    let cropped = other.grid.prefix(newRows).map { row in
      Self.padded(Array(row.cells.prefix(newColumns)), columns: newColumns, isWrapped: false)
    }
    main = SavedScreen(grid: grid, cursorRow: cursorRow, cursorColumn: cursorColumn)
    grid = cropped + Array(repeating: blankRow, count: newRows - cropped.count)
    (cursorRow, cursorColumn) = (min(cursor.0, newRows - 1), min(cursor.1, newColumns - 1))
  }

  private mutating func reflow(columns newColumns: Int, rows newRows: Int) {
    let cursorIndex = history.count + cursorRow
    var result: [Row] = []
    var newCursor = (row: 0, column: 0)
    var pending: [String?] = []
    var pendingCursor: Int?
    for (index, row) in (history + grid).enumerated() {
      var cells = row.cells
      if !row.isWrapped {
        while let last = cells.last, last == nil { cells.removeLast() }
      }
      if index == cursorIndex { pendingCursor = pending.count + cursorColumn }
      pending += cells
      if row.isWrapped { continue }
      let broken = Self.broken(pending, columns: newColumns)
      if let place = pendingCursor {
        let offset = min(place / newColumns, broken.count - 1)
        newCursor = (result.count + offset, min(place - offset * newColumns, newColumns - 1))
      }
      result += broken
      pending = []
      pendingCursor = nil
    }
    while result.count > newCursor.row + 1, result.last?.cells.allSatisfy({ $0 == nil }) == true {
      result.removeLast()
    }
    setSize(columns: newColumns, rows: newRows)
    let hidden = max(0, result.count - newRows)
    history = Array(result.prefix(hidden))
    grid = Array(result.dropFirst(hidden))
    while grid.count < newRows { grid.append(blankRow) }
    cursorRow = max(0, newCursor.row - hidden)
    cursorColumn = newCursor.column
    wrapsNext = false
  }

  mutating func showAlternate(_ isShown: Bool) {
    if isShown, main == nil {
      main = SavedScreen(grid: grid, cursorRow: cursorRow, cursorColumn: cursorColumn)
      grid = Array(repeating: blankRow, count: rows)
    } else if !isShown, let saved = main {
      main = nil
      grid = saved.grid
      (cursorRow, cursorColumn) = (saved.cursorRow, saved.cursorColumn)
    }
    wrapsNext = false
  }

  private static func broken(_ cells: [String?], columns: Int) -> [Row] {
    var rows: [Row] = []
    var current: [String?] = []
    for (index, cell) in cells.enumerated() {
      let isWide = index + 1 < cells.count && cells[index + 1] == ""
      if current.count + (isWide ? 2 : 1) > columns, cell != "" {
        rows.append(padded(current, columns: columns, isWrapped: true))
        current = []
      }
      current.append(cell)
    }
    rows.append(padded(current, columns: columns, isWrapped: false))
    return rows
  }

  private static func padded(_ cells: [String?], columns: Int, isWrapped: Bool) -> Row {
    Row(
      cells: cells + Array(repeating: nil, count: max(0, columns - cells.count)),
      isWrapped: isWrapped)
  }
}

/// A screen that another one covers.
struct SavedScreen: Sendable {
  var grid: [ScreenModel.Row]
  var cursorRow: Int
  var cursorColumn: Int
}
