import OpshTerminal

/// Text that is read as sentences, broken into lines.
package enum Prose {
  /// Prose is broken at this many columns, or at the width of a narrower terminal: longer lines are
  /// hard to read.
  package static let width = 80

  /// Breaks a text between words into lines of `columns`, or of a terminal's if that has fewer.
  package static func wrap(
    _ text: String, columns: Int = width, terminal: Int? = nil
  ) -> [String] {
    let columns = min(columns, terminal ?? columns)
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, TextWidth.columns(of: last + " " + word) <= columns {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
