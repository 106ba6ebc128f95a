import CommandParts
import ShellCommands
import OpshTerminal

/// Breaks the lines of code of a manual page, which keep their layout, so that they fit.
enum CodeLines {
  /// How a command is used, over lines.
  static func fittedUsage(_ lines: [String]) -> [String] {
    Prose.wrap(lines.joined(separator: " "), columns: RoffPage.codeColumns)
  }

  /// A line of statements as several that mean the same: broken after ';' where there is one, else at
  /// a blank after which a backslash continues the line.
  static func fitted(_ line: String) -> [String] {
    var lines: [String] = []
    var rest = line
    // A line of a list of changes has a label, and its text begins in column 10.
    let label = line.prefix { $0 != " " }
    let indent = ["old:", "new:", "--check:", ""].contains(label) ? 9 : 0
    while TextWidth.columns(of: rest) > RoffPage.codeColumns,
      let place = place(in: rest, after: indent)
    {
      let isStatement = rest[..<place].hasSuffix(";")
      let end = isStatement || label == "--check:" ? "" : " \\"
      lines.append(rest[..<place].dropLast(isStatement ? 1 : 0) + end)
      let margin = String(repeating: " ", count: indent + (isStatement ? 0 : 2))
      rest = margin + rest[place...].drop { $0 == " " }
    }
    return lines + [rest]
  }

  /// Where to break a line: at the last blank that fits outside of quotes, between statements if
  /// there is one.
  private static func place(in line: String, after indent: Int) -> String.Index? {
    var quote: Character?
    var statement: String.Index?
    var blank: String.Index?
    var last: Character = " "
    var columns = 0
    for index in line.indices {
      let character = line[index]
      columns += TextWidth.columns(of: String(character))
      // Two columns are for the blank and the backslash.
      if columns > RoffPage.codeColumns - 1 { break }
      switch (quote, character) {
      case (let open?, _): if character == open, last != "\\" || open == "'" { quote = nil }
      // A backslash in a comment continues nothing.
      case (nil, "#") where last == " ": return statement ?? blank
      case (nil, "'"), (nil, "\""): quote = character
      case (nil, " ") where last != " " && columns > indent + 3:
        if last == ";" { statement = index } else { blank = index }
      default: break
      }
      last = character
    }
    return statement ?? blank
  }
}
