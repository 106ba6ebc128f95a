import OpshSystemCalls
import OpshTerminal

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
  package func beginRow() {
    _ = writeFully(rowStart(on: .standardOutput), to: streams.output)
  }

  /// What moves the cursor of a terminal to the start of a row, and to the next row only if it is not
  /// at the start of one; nothing if the size of the terminal is unknown.
  ///
  /// As many blanks as a row has columns end in the next row, unless the first one is at the start
  /// of a row.
  func rowStart(on stream: Stream) -> String {
    guard let size = TerminalCapabilities.windowSize(of: streams[stream]) else { return "" }
    return String(repeating: " ", count: size.columns) + "\r"
  }
}
