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
    let cursor = cursorAtEnd ? codes.count : editLine.cursor
    // What has been entered has no word that is still being typed, and nothing after it.
    let look = look(of: codes, clusters, cursor: result == nil ? cursor : nil)
    var layout = LineLayout(
      prompt: styled(searchPrompt ?? prompt),
      continuations: (look.continuations.isEmpty ? [LineLook.continuation] : look.continuations)
        .map(styled),
      clusters: clusters, styles: usesColor ? look.styles(of: clusters) : [], cursor: cursor,
      ghost: cursorAtEnd || cursor < codes.count ? "" : ghost(of: look),
      marks: searchPrompt == nil ? promptMarks : Cell.Marks(), columns: painter.columns)
    if !cursorAtEnd, let menu {
      let lines = menu.lines(
        columns: painter.columns, room: painter.screenRows - layout.rows.count,
        isUTF8: capabilities.isUTF8)
      layout.append(below: lines.map(styled))
    } else if !cursorAtEnd, let historySearch {
      let lines = historySearch.lines(
        columns: painter.columns, room: painter.screenRows - layout.rows.count)
      layout.append(below: lines.map(styled))
    }
    let lines = above.map(rendered)
    above = []
    for line in lines { bytesPerLine += (Double(line.utf8.count + 2) - bytesPerLine) / 16 }
    isStale = false
    var frame = painter.frame(layout, above: lines)
    if hasBeep { frame += "\u{07}" }
    hasBeep = false
    send(frame)
    if let title = delegate?.title() { setTitle(title) }
  }

  /// Returns the look of the text, which is asked for once per text and place of the cursor.
  private func look(of codes: [Int32], _ clusters: [String], cursor: Int?) -> LineLook {
    let key = LookKey(codes: codes, cursor: cursor)
    if let known = knownLook, known.key == key { return known.look }
    let offset = cursor.map { clusters.prefix($0).reduce(0) { $0 + $1.utf8.count } }
    let look =
      searchPrompt == nil
      ? delegate?.look(of: clusters.joined(), cursor: offset) ?? .plain : .plain
    knownLook = (key, look)
    return look
  }

  /// What the look depends on.
  struct LookKey: Equatable {
    let codes: [Int32]
    let cursor: Int?
  }

  /// The suggestion on the screen; nil if there is none, or if the text has changed since.
  var shownSuggestion: String? {
    guard usesColor, let known = knownLook, known.look.suggestionStyle != nil,
      !known.look.suggestion.isEmpty, known.key.codes == editLine?.codes
    else { return nil }
    return known.look.suggestion
  }

  private func ghost(of look: LineLook) -> StyledText {
    guard usesColor, menu == nil, let style = look.suggestionStyle else { return "" }
    // Of several lines the first one is shown.
    let line = look.suggestion.prefix { !$0.isNewline }
    let mark = capabilities.isUTF8 ? " …" : " ..."
    let more = line.count < look.suggestion.count ? mark : ""
    return StyledText(look.suggestion.isEmpty ? look.hint : line + more, style: style)
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
