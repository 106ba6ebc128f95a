/// The line below the output of a terminal that shows progress.
///
/// It is erased before each line of output, and drawn again below; its own line never ends, so that
/// the cursor stays in it.
struct StatusLine {
  /// The sequence that erases the line: for each row that it takes, `ESC [ 2 K` and `ESC [ A`, which goes up, then
  /// carriage return and `ESC [ K`, which erases to the end of the row.
  ///
  /// A terminal that has become narrow has broken the line into several rows.
  private func erasing(columns: Int) -> String {
    let rows = max(0, width - 1) / max(1, columns)
    return String(repeating: "\u{1B}[2K\u{1B}[A", count: rows) + "\r\u{1B}[K"
  }

  private var text: String?
  /// The columns of the text.
  private var width = 0
  private var isShown = false

  /// Changes the text, nil for none.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - width: Its columns.
  ///   - columns: The width of the terminal now.
  /// - Returns: What to write now.
  mutating func set(_ text: String?, width: Int, columns: Int) -> String {
    guard text != self.text || (text != nil && !isShown) else { return "" }
    let before = isShown ? erasing(columns: columns) : ""
    (self.text, self.width) = (text, width)
    isShown = text != nil
    return before + (text ?? "")
  }

  /// Makes room for output; returns what to write before it.
  mutating func hide(columns: Int) -> String {
    guard isShown else { return "" }
    isShown = false
    return erasing(columns: columns)
  }

  /// Draws it again below output that ended its line; returns what to write after it.
  mutating func show() -> String {
    guard let text, !isShown else { return "" }
    isShown = true
    return text
  }
}
