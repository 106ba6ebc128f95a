import Foundation
import OpshSystemCalls

extension LineEditor {
  /// Enables or disables bracketed paste.
  static let pasteOn = "\u{1B}[?2004h"
  static let pasteOff = "\u{1B}[?2004l"

  /// Starts a line of input at the left margin.
  ///
  /// If earlier output has no line end, a screen's width of blanks leads to the next row, and
  /// otherwise to the end of this one: in both cases the cursor then returns to the first column of
  /// an empty row.
  func beginScreen() {
    let isKnown = TerminalCapabilities.windowSize(of: output) != nil
    let blanks = isKnown ? String(repeating: " ", count: painter.columns - 1) : ""
    send(Self.pasteOn + blanks + "\r\u{1B}[K")
  }

  func updateSize() {
    let size = TerminalCapabilities.windowSize(of: output)
    painter.resize(
      columns: size?.columns ?? capabilities.columns, rows: size?.rows ?? capabilities.rows)
  }

  /// Draws what has changed since the last frame.
  func paint(cursorAtEnd: Bool = false) {
    guard let editLine else { return }
    let codes = editLine.codes
    let clusters = codes.map { self.clusters.decode($0) }
    let prompt = delegate?.prompt() ?? ""
    paintedPrompt = prompt
    let layout = LineLayout(
      prompt: styled(searchPrompt ?? prompt),
      continuation: styled(StyledText("... ", style: .dim)), clusters: clusters,
      cursor: cursorAtEnd ? codes.count : editLine.cursor, columns: painter.columns)
    let lines = above.map(rendered)
    above = []
    for line in lines { bytesPerLine += (Double(line.utf8.count + 2) - bytesPerLine) / 16 }
    isStale = false
    var frame = painter.frame(layout, above: lines)
    if hasBeep { frame += "\u{07}" }
    hasBeep = false
    send(frame)
  }

  private func styled(_ text: StyledText) -> StyledText {
    usesColor ? text : StyledText(text.plain)
  }

  /// A line as it is sent: tabs become blanks, because tab stops differ.
  func rendered(_ line: StyledText) -> String {
    guard line.plain.contains("\t") else { return line.rendered(color: usesColor) }
    var column = 0
    let expanded = line.spans.map { span in
      var text = ""
      for character in span.text {
        let width = character == "\t" ? 8 - column % 8 : TextWidth.columns(of: character)
        text += character == "\t" ? String(repeating: " ", count: width) : String(character)
        column += width
      }
      return StyledText.Span(text, style: span.style)
    }
    return StyledText(spans: expanded).rendered(color: usesColor)
  }

  /// Writes to the terminal, in one write if possible.
  func send(_ text: String) {
    guard !text.isEmpty else { return }
    pace.note(written: text.utf8.count)
    var text = text
    // A terminal that has disconnected is detected by the next read.
    _ = text.withUTF8 { writeFully(UnsafeRawBufferPointer($0), to: output) }
  }
}
