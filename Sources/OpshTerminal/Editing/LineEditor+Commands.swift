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

  /// Runs a function that a key is bound to.
  func perform(_ command: EditCommand) -> EditOutcome {
    guard editLine != nil else { return .end }
    isStale = true
    noteEdit()
    // A function of libedit that ran since the last of these has changed the text or the cursor.
    let isNext = lastCommand?.state == editState
    let previous = isNext ? lastCommand?.command : nil
    let outcome = perform(command, after: previous)
    argument.end()
    noteEdit()
    lastCommand = (command, editState)
    return outcome
  }

  private func perform(_ command: EditCommand, after previous: EditCommand?) -> EditOutcome {
    guard let editLine else { return .end }
    if let suggestion = suggestion(for: command) {
      editLine.insert(clusters.encode(suggestion))
      return .proceed
    }
    let cursor = editLine.cursor
    switch command {
    case .accept: return accept()
    case .insertNewline: return insert([0x0A])
    case .complete: return expandHistoryWord() ?? complete()
    case .magicSpace: return magicSpace()
    case .endOrDelete: return endOrDelete()
    case .clearScreen:
      send(painter.clearScreen())
      return .proceed
    case .insertPaste:
      guard let paste = pendingPaste else { return .beep }
      pendingPaste = nil
      return insert(paste: paste)

    case .up: return isOnFirstLine ? recallOlderMatch() : moveVertically(by: -1)
    case .down: return isOnLastLine ? recallNewerMatch() : moveVertically(by: 1)
    case .rowUp: return isOnFirstLine ? recallOlder() : moveVertically(by: -1)
    case .rowDown: return isOnLastLine ? recallNewer() : moveVertically(by: 1)
    case .left: return moveCursor(to: max(cursor - argument.count, cursor > 0 ? 0 : -1))
    case .right:
      let end = editLine.count
      return moveCursor(to: cursor < end ? min(cursor + argument.count, end) : end + 1)
    case .wordLeft: return moveCursor(to: wordStart(argument.count))
    case .wordRight: return moveCursor(to: wordEnd(argument.count))
    case .home: return moveCursor(to: lineStart(before: cursor))
    case .end: return moveCursor(to: lineEnd(after: cursor))
    case .findForward: return find(isForward: true)
    case .findBackward: return find(isForward: false)

    case .deleteForward: return deleteForward()
    case .deleteBlanks: return deleteBlanks()
    case .killWordLeft, .killWordRight, .killToEnd, .killToStart, .killRow, .killRegion:
      return kill(command, after: previous)
    case .copyRegion: return copyRegion()
    case .setMark:
      mark = cursor
      return .proceed
    case .exchangeMark: return exchangeMark()
    case .yank: return yank()
    case .yankPop: return previous == .yank || previous == .yankPop ? yankPop() : .beep

    case .undo: return restore(undo.undo())
    case .redo: return restore(undo.redo())
    case .revert: return restore(undo.revert())

    case .transposeCharacters: return transposeCharacters()
    case .transposeWords: return transposeWords()
    case .uppercase: return changeCase { $0.uppercased() }
    case .lowercase: return changeCase { $0.lowercased() }
    case .capitalize: return changeCase(first: { $0.uppercased() }, rest: { $0.lowercased() })
    case .comment:
      editLine.moveCursor(to: 0)
      editLine.insert([0x23])
      return end(withLine: text)
    case .editExternally: return editExternally()

    case .older: return recallOlder()
    case .newer: return recallNewer()
    case .olderMatch: return recallOlderMatch()
    case .newerMatch: return recallNewerMatch()
    case .oldest: return recallOldest()
    case .newest: return recallNewest()
    case .lastArgument: return insertLastArgument(isRepeated: previous == .lastArgument)
    case .searchBackward: return search(backward: true)
    case .searchForward: return search(backward: false)
    case .searchOlder: return repeatSearch(backward: true)
    case .searchNewer: return repeatSearch(backward: false)
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
    if delegate?.isComplete(text) == false { return insert([0x0A]) }
    return end(withLine: text)
  }

  private func end(withLine text: String) -> EditOutcome {
    end(with: .line(text))
    return .end
  }

  func insert(_ codes: [Int32]) -> EditOutcome {
    editLine?.insert(codes)
    return .proceed
  }

  /// Inserts a paste; what takes its place at the beginning of a line is a change of its own, so that
  /// undo leads to what was pasted.
  private func insert(paste: String) -> EditOutcome {
    guard let editLine else { return .end }
    let start = editLine.cursor
    let isAtStart = start == 0 || editLine.codes[start - 1] == 0x0A
    let codes = clusters.encode(paste)
    editLine.insert(codes)
    guard isAtStart,
      let text = delegate?.replacement(forPaste: paste, columns: painter.columns)
    else { return .proceed }
    noteEdit()
    editLine.replace(start..<(start + codes.count), with: clusters.encode(text))
    return .proceed
  }

  private func endOrDelete() -> EditOutcome {
    guard editLine?.count == 0 else { return deleteForward() }
    end(with: .endOfInput)
    return .end
  }

  private func deleteForward() -> EditOutcome {
    guard let editLine, editLine.cursor < editLine.count else { return .beep }
    let end = min(editLine.cursor + argument.count, editLine.count)
    editLine.replace(editLine.cursor..<end, with: [])
    return .proceed
  }

  // MARK: Moving

  func moveCursor(to position: Int) -> EditOutcome {
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

  func lineStart(before position: Int) -> Int {
    guard let codes = editLine?.codes else { return 0 }
    return codes.prefix(position).lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
  }

  func lineEnd(after position: Int) -> Int {
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

  /// Moves to a character that is typed next.
  private func find(isForward: Bool) -> EditOutcome {
    guard let editLine else { return .beep }
    let (codes, cursor) = (editLine.codes, editLine.cursor)
    guard let key = nextKey() else { return .end }
    guard case .scalar(let scalar) = key, let code = clusters.code(for: String(scalar)) else {
      return .beep
    }
    let place =
      isForward
      ? codes.dropFirst(cursor + 1).firstIndex(of: code) : codes.prefix(cursor).lastIndex(of: code)
    return moveCursor(to: place ?? -1)
  }
}
