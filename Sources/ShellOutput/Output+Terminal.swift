import Terminal

extension Output {
  /// The lines that a line takes on a terminal, if the stream is one.
  func folded(_ line: StyledText, on stream: Stream) -> [StyledText] {
    terminals.contains(stream) ? line.folded(to: width()) : [line]
  }

  /// A remark between the lines.
  func note(_ text: String) -> StyledText {
    let text = StyledText(text, style: .dim)
    return isASCII ? ASCIIText.replacing(text) : text
  }

  /// Moves the cursor of the terminal to the start of a row, after a program whose text may not have
  /// ended its line.
  package func beginRow() { _ = Self.writeFully(rowStart, to: streams.output) }

  /// What moves the cursor to the start of a row, and to the next row only if it is not at the start
  /// of one.
  ///
  /// As many blanks as a row has columns end in the next row, unless the first one is at the start
  /// of a row.
  var rowStart: String { String(repeating: " ", count: max(1, width() ?? 80)) + "\r" }
}
