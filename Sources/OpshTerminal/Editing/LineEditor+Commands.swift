import Foundation

extension LineEditor {
  /// The text being edited.
  var text: String {
    editLine.map { $0.codes.map { clusters.decode($0) }.joined() } ?? ""
  }

  /// The text before the cursor.
  var textBeforeCursor: String {
    editLine.map { $0.codes.prefix($0.cursor).map { clusters.decode($0) }.joined() } ?? ""
  }

  /// Replaces the text; without a prefix the cursor goes to the end.
  func setText(_ text: String, cursorAfter prefix: String? = nil) {
    let codes = clusters.encode(text)
    let cursor = prefix.map { min(clusters.encode($0).count, codes.count) } ?? codes.count
    editLine?.replace(with: codes, cursor: cursor)
    isStale = true
  }

  /// Runs the command bound to a key.
  func perform(code: Int32) -> EditOutcome {
    guard let editLine else { return .end }
    isStale = true
    let command = EditCommand(code: code)
    if let suggestion = suggestion(for: command) {
      editLine.insert(clusters.encode(suggestion))
      return .proceed
    }
    switch command {
    case .accept: return accept()
    case .complete: return complete()
    case .endOrDelete: return endOrDelete()
    case .clearScreen:
      send(painter.clearScreen())
      return .proceed
    case .searchBackward: return search(backward: true)
    case .searchForward: return search(backward: false)
    case .older: return recallOlder()
    case .newer: return recallNewer()
    case .up: return isOnFirstLine ? recallOlder() : moveVertically(by: -1)
    case .down: return isOnLastLine ? recallNewer() : moveVertically(by: 1)
    case .left: return moveCursor(to: editLine.cursor - 1)
    case .right: return moveCursor(to: editLine.cursor + 1)
    case .wordLeft: return moveCursor(to: wordStart())
    case .wordRight: return moveCursor(to: wordEnd())
    case .home: return moveCursor(to: lineStart(before: editLine.cursor))
    case .end: return moveCursor(to: lineEnd(after: editLine.cursor))
    case .deleteForward: return deleteForward()
    case .insertPaste:
      guard let paste = pendingPaste else { return .beep }
      pendingPaste = nil
      editLine.insert(clusters.encode(paste))
      return .proceed
    case .unavailable: return .beep
    }
  }

  /// Returns what a command takes of the grey suggestion: at the end of the text, the commands that
  /// would move on take it all or its first word.
  private func suggestion(for command: EditCommand) -> String? {
    guard let editLine, editLine.cursor == editLine.count, let suggestion = shownSuggestion else {
      return nil
    }
    switch command {
    case .right, .end: return suggestion
    case .wordRight:
      let blanks = suggestion.prefix { $0.isWhitespace }
      return String(blanks + suggestion[blanks.endIndex...].prefix { !$0.isWhitespace })
    default: return nil
    }
  }

  private func accept() -> EditOutcome {
    let text = self.text
    // Alt-Enter starts a new line whatever the text is.
    if codeBeforeLast == 0x1B || delegate?.isComplete(text) == false {
      editLine?.insert([0x0A])
      return .proceed
    }
    end(with: .line(text))
    return .end
  }

  private func endOrDelete() -> EditOutcome {
    guard editLine?.count == 0 else { return deleteForward() }
    end(with: .endOfInput)
    return .end
  }

  private func deleteForward() -> EditOutcome {
    guard let editLine, editLine.cursor < editLine.count else { return .beep }
    editLine.moveCursor(to: editLine.cursor + 1)
    editLine.deleteBackward(1)
    return .proceed
  }

  // MARK: Moving

  private func moveCursor(to position: Int) -> EditOutcome {
    guard let editLine, position >= 0, position <= editLine.count else { return .beep }
    editLine.moveCursor(to: position)
    return .proceed
  }

  private var isOnFirstLine: Bool {
    guard let editLine else { return true }
    return !editLine.codes.prefix(editLine.cursor).contains(0x0A)
  }

  private var isOnLastLine: Bool {
    guard let editLine else { return true }
    return !editLine.codes.dropFirst(editLine.cursor).contains(0x0A)
  }

  private func lineStart(before position: Int) -> Int {
    guard let codes = editLine?.codes else { return 0 }
    return codes.prefix(position).lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
  }

  private func lineEnd(after position: Int) -> Int {
    guard let codes = editLine?.codes else { return 0 }
    return codes.dropFirst(position).firstIndex(of: 0x0A) ?? codes.count
  }

  private func moveVertically(by direction: Int) -> EditOutcome {
    guard let editLine else { return .beep }
    let start = lineStart(before: editLine.cursor)
    let offset = editLine.cursor - start
    if direction < 0 {
      let previous = lineStart(before: start - 1)
      return moveCursor(to: min(previous + offset, start - 1))
    }
    let next = lineEnd(after: editLine.cursor) + 1
    return moveCursor(to: min(next + offset, lineEnd(after: next)))
  }

  private func isWordPart(_ code: Int32) -> Bool {
    clusters.decode(code).first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
  }

  private func wordStart() -> Int {
    guard let editLine else { return 0 }
    let codes = editLine.codes
    var position = editLine.cursor
    while position > 0, !isWordPart(codes[position - 1]) { position -= 1 }
    while position > 0, isWordPart(codes[position - 1]) { position -= 1 }
    return position
  }

  private func wordEnd() -> Int {
    guard let editLine else { return 0 }
    let codes = editLine.codes
    var position = editLine.cursor
    while position < codes.count, !isWordPart(codes[position]) { position += 1 }
    while position < codes.count, isWordPart(codes[position]) { position += 1 }
    return position
  }

  // MARK: History

  private func recallOlder() -> EditOutcome {
    let index = (historyIndex ?? history.entries.count) - 1
    guard history.entries.indices.contains(index) else { return .beep }
    if historyIndex == nil { draft = text }
    recall(index)
    return .proceed
  }

  private func recallNewer() -> EditOutcome {
    guard let current = historyIndex else { return .beep }
    if history.entries.indices.contains(current + 1) {
      recall(current + 1)
    } else {
      historyIndex = nil
      setText(draft)
    }
    return .proceed
  }

  func recall(_ index: Int) {
    historyIndex = index
    setText(history.entries[index])
  }
}
