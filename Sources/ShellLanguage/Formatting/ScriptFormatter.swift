/// Writes a script in its canonical layout.
///
/// One statement stands on a line, blocks are indented by two columns, words are separated by one
/// blank, and at most one empty line is kept. Comments stay, and so do quotes and the letters of
/// every word. A block that stands on one line stays there if it fits. Long commands are broken
/// between words. Formatting what was formatted changes nothing.
///
/// ```swift
/// ScriptFormatter.format(Parser.parse(source))  // "echo a\necho b\n" for "echo  a;echo b"
/// ```
public struct ScriptFormatter {
  /// How many columns a line has at most, where it can be broken at all.
  static let lineWidth = 100

  /// Formats a script that was read without errors; returns its text in the canonical layout, with
  /// a line feed at its end.
  public static func format(_ script: Script) -> String {
    var formatter = ScriptFormatter(script.source)
    formatter.write(
      script.statements, from: 0, to: formatter.bytes.count, indent: 0, isBlock: false)
    // A first word may begin with a byte order mark, which would be taken for the text's own.
    let mark = SourceText.byteOrderMark
    return formatter.output.utf8.starts(with: mark.utf8)
      ? mark + formatter.output : formatter.output
  }

  let bytes: [UInt8]
  private let lineBreaks: [Int]
  private var output = ""

  private init(_ source: SourceText) {
    let bytes = Array(source.text.utf8)
    self.bytes = bytes
    lineBreaks = bytes.indices.filter { bytes[$0] == .newline }
  }

  func text(_ lower: Int, _ upper: Int) -> String {
    String(decoding: bytes[lower..<max(lower, upper)], as: UTF8.self)
  }

  /// Whether a line break stands inside, which a block on one line has none of.
  private func hasLineBreak(_ range: SourceRange) -> Bool {
    var low = 0
    var high = lineBreaks.count
    while low < high {
      let middle = (low + high) / 2
      if lineBreaks[middle] < range.lower { low = middle + 1 } else { high = middle }
    }
    return low < lineBreaks.count && lineBreaks[low] < range.upper
  }
}

extension ScriptFormatter: Sendable {}

// MARK: Lines

extension ScriptFormatter {
  /// A comment between statements.
  private struct Comment {
    let text: String
    /// How many line breaks stand before it, since the comment or statement in front.
    let lineBreaks: Int
  }

  /// Writes statements, each on lines of its own, with the comments around them.
  private mutating func write(
    _ statements: [Statement], from lower: Int, to upper: Int, indent: Int, isBlock: Bool
  ) {
    let margin = String(repeating: "  ", count: indent)
    var end = lower
    var isFirst = true
    for statement in statements {
      let breaks = writeComments(
        from: end, to: statement.range.lower, margin, isFirst: &isFirst,
        followsCode: isBlock || end > lower)
      if !isFirst, breaks > 1 { output += "\n" }
      isFirst = false
      output += margin
      write(statement, indent: indent)
      // A backslash at the end of a line would join it with the next one.
      output += separatorBehindBackslash
      output += "\n"
      end = statement.range.upper
    }
    _ = writeComments(
      from: end, to: upper, margin, isFirst: &isFirst, followsCode: isBlock || end > lower)
  }

  /// What keeps a backslash at the end of a statement from continuing the line; with the carriage
  /// return of a line's end after it, it would take a semicolon for a letter as well.
  private var separatorBehindBackslash: String {
    var end = output.utf8[...]
    guard end.last == .carriageReturn else { return end.last == .backslash ? ";" : "" }
    end.removeLast()
    return end.last == .backslash ? " ;" : ""
  }

  /// Writes the comments between two statements; a comment after code stays on its line.
  ///
  /// - Returns: How many line breaks follow the last comment.
  private mutating func writeComments(
    from lower: Int, to upper: Int, _ margin: String, isFirst: inout Bool, followsCode: Bool
  ) -> Int {
    let (comments, breaks) = comments(from: lower, to: upper)
    for (index, comment) in comments.enumerated() {
      if index == 0, comment.lineBreaks == 0, followsCode {
        if output.hasSuffix("\n") { output.removeLast() }
        output += "  \(comment.text)\n"
        continue
      }
      if !isFirst, comment.lineBreaks > 1 { output += "\n" }
      output += margin + comment.text + "\n"
      isFirst = false
    }
    return breaks
  }

  private func comments(from lower: Int, to upper: Int) -> ([Comment], breaks: Int) {
    var found: [Comment] = []
    var breaks = 0
    var position = lower
    var behindComment = lower
    while position < upper {
      switch bytes[position] {
      case .newline:
        // That of a continued line separates nothing. A comment is never continued.
        if !isContinued(before: position, since: behindComment) { breaks += 1 }
      case .hash:
        var end = position
        while end < upper, bytes[end] != .newline { end += 1 }
        var last = end
        while last > position, bytes[last - 1].isBlank { last -= 1 }
        found.append(Comment(text: text(position, last), lineBreaks: breaks))
        breaks = 0
        position = end
        behindComment = end + 1
        continue
      default: break
      }
      position += 1
    }
    return (found, breaks)
  }

  private func isContinued(before offset: Int, since lower: Int) -> Bool {
    var previous = offset - 1
    if previous >= lower, bytes[previous] == .carriageReturn { previous -= 1 }
    return previous >= max(0, lower - 1) && bytes[previous] == .backslash
  }
}

// MARK: Statements

extension ScriptFormatter {
  /// Writes one statement, on one line where it stands on one and fits.
  private mutating func write(_ statement: Statement, indent: Int) {
    let pieces = pieces(of: statement)
    let blocks = pieces.compactMap(\.block)
    let room = Self.lineWidth - 2 * indent
    // Blocks in blocks would be laid out again for each level; what is far too long is not tried.
    if blocks.isEmpty || statement.range.upper - statement.range.lower <= 8 * Self.lineWidth,
      blocks.allSatisfy({ !hasLineBreak($0.range) })
    {
      let line = inline(pieces)
      if line.count <= room || (blocks.isEmpty && line.contains("\n")) {
        output += line
        return
      }
    }
    guard blocks.isEmpty else {
      for (index, piece) in pieces.enumerated() {
        if index > 0, !piece.isAttached { output += " " }
        switch piece.content {
        case .text(let text): output += text
        case .block(let block): write(block, indent: indent)
        }
      }
      return
    }
    writeBroken(pieces, indent: indent, room: room)
  }

  /// Writes the words of a long command on several lines.
  private mutating func writeBroken(_ pieces: [Piece], indent: Int, room: Int) {
    let margin = String(repeating: "  ", count: indent + 2)
    var used = 0
    for (index, piece) in pieces.enumerated() {
      guard case .text(let text) = piece.content else { continue }
      // Two columns are for the backslash at the end of the line.
      if index > 0, piece.isBreakable, used + text.count + 1 > room - 2 {
        output += " \\\n" + margin
        used = 4
      } else if index > 0, !piece.isAttached {
        output += " "
        used += 1
      }
      output += text
      used += text.count
    }
  }

  private mutating func write(_ block: Block, indent: Int) {
    output += "{\n"
    let start = output.utf8.count
    write(
      block.statements, from: block.range.lower + 1, to: block.range.upper - 1,
      indent: indent + 1, isBlock: true)
    if output.utf8.count == start {
      // Nothing in it, not even a comment.
      output.removeLast()
      output += " }"
      return
    }
    output += String(repeating: "  ", count: indent) + "}"
  }

  /// The statement on one line.
  private func inline(_ pieces: [Piece]) -> String {
    var line = ""
    for (index, piece) in pieces.enumerated() {
      if index > 0, !piece.isAttached { line += " " }
      switch piece.content {
      case .text(let text): line += text
      case .block(let block):
        let statements = block.statements.map { inline(self.pieces(of: $0)) }
        line += statements.isEmpty ? "{ }" : "{ " + statements.joined(separator: "; ") + " }"
      }
    }
    return line
  }
}
