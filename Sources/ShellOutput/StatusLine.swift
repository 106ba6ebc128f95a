/// The line below the output of a terminal that shows progress.
///
/// It is erased before each line of output, and drawn again below; its own line never ends, so that
/// the cursor stays in it.
struct StatusLine {
  /// Carriage return, and `ESC [ K`, which erases to the end of the line.
  private static let erasing = "\r\u{1B}[K"

  private var text: String?
  private var isShown = false

  /// Changes the text, nil for none; returns what to write now.
  mutating func set(_ text: String?) -> String {
    guard text != self.text || (text != nil && !isShown) else { return "" }
    let before = isShown ? Self.erasing : ""
    self.text = text
    isShown = text != nil
    return before + (text ?? "")
  }

  /// Makes room for output; returns what to write before it.
  mutating func hide() -> String {
    guard isShown else { return "" }
    isShown = false
    return Self.erasing
  }

  /// Draws it again below output that ended its line; returns what to write after it.
  mutating func show() -> String {
    guard let text, !isShown else { return "" }
    isShown = true
    return text
  }
}
