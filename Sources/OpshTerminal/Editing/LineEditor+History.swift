import Foundation

extension LineEditor {
  /// The displayed entry, or the place after the last one for the line being typed.
  private var position: Int { historyIndex ?? history.entries.count }

  /// The text at a place in the history, with what was changed in it.
  private func text(at position: Int) -> String {
    if let edited = edits[position] {
      return edited.current.codes.map { clusters.decode($0) }.joined()
    }
    return history.entries.indices.contains(position) ? history.entries[position] : ""
  }

  /// Shows an entry, or the line being typed; what was changed in the one before is kept until Enter.
  func recall(_ position: Int) {
    noteEdit()
    edits[self.position] = undo
    historyIndex = history.entries.indices.contains(position) ? position : nil
    if let edited = edits[position] {
      undo = edited
    } else {
      undo = UndoHistory(UndoHistory.State(codes: clusters.encode(text(at: position)), cursor: 0))
    }
    let codes = undo.current.codes
    editLine?.replace(with: codes, cursor: codes.count)
    isStale = true
  }

  func recallOlder() -> EditOutcome {
    guard position > 0 else { return .beep }
    recall(position - 1)
    return .proceed
  }

  func recallNewer() -> EditOutcome {
    guard historyIndex != nil else { return .beep }
    recall(position + 1)
    return .proceed
  }

  func recallOldest() -> EditOutcome {
    guard !history.entries.isEmpty else { return .beep }
    recall(0)
    return .proceed
  }

  func recallNewest() -> EditOutcome {
    if historyIndex != nil { recall(history.entries.count) }
    return .proceed
  }

  /// Shows the older entry that begins with what is typed before the cursor.
  func recallOlderMatch() -> EditOutcome {
    if historyIndex == nil { recalledPrefix = textBeforeCursor }
    let shown = text
    let found = history.entries[..<position].indices.last { isMatch($0, after: shown) }
    guard let found else { return .beep }
    recall(found)
    return .proceed
  }

  /// Shows the newer such entry, and after the last one the line being typed.
  func recallNewerMatch() -> EditOutcome {
    guard historyIndex != nil else { return .beep }
    let shown = text
    let newer = history.entries.indices.dropFirst(position + 1)
    recall(newer.first { isMatch($0, after: shown) } ?? history.entries.count)
    return .proceed
  }

  private func isMatch(_ index: Int, after shown: String) -> Bool {
    let text = text(at: index)
    return recalledPrefix.isEmpty || text.hasPrefix(recalledPrefix) && text != shown
  }

  // MARK: Parts of entries

  /// Inserts the last word of the entry before, or with a number that word of it; repeated, replaces
  /// it by that of the entry before that one.
  func insertLastArgument(isRepeated: Bool) -> EditOutcome {
    guard let editLine else { return .beep }
    var source = argumentSource ?? (index: position, word: nil)
    if !isRepeated { source = (position, argument.value) }
    while source.index > 0 {
      source.index -= 1
      let words = HistoryReference.words(of: history.entries[source.index])
      let word = source.word.map { words.dropFirst($0).first } ?? words.last
      guard let word else { continue }
      argumentSource = source
      let cursor = editLine.cursor
      let range = isRepeated ? inserted ?? cursor..<cursor : cursor..<cursor
      let codes = clusters.encode(String(word))
      editLine.replace(range, with: codes)
      inserted = range.lowerBound..<(range.lowerBound + codes.count)
      return .proceed
    }
    return .beep
  }

  /// Replaces a word such as `!!` before the cursor by what it stands for; nil if there is none.
  func expandHistoryWord() -> EditOutcome? {
    guard let editLine else { return nil }
    let codes = editLine.codes
    let cursor = editLine.cursor
    let start =
      codes[..<cursor].lastIndex { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 }.map { $0 + 1 } ?? 0
    guard start < cursor, codes[start] == 0x21 else { return nil }
    func text(_ codes: ArraySlice<Int32>) -> String {
      codes.map { clusters.decode($0) }.joined()
    }
    guard let reference = HistoryReference(text(codes[start..<cursor])),
      !HistoryReference.isInsideText(text(codes[..<start]))
    else { return nil }
    guard let found = reference.text(in: history.entries) else { return .beep }
    editLine.replace(start..<cursor, with: clusters.encode(found))
    return .proceed
  }

  /// Inserts a space after what a word such as `!!` stands for.
  func magicSpace() -> EditOutcome {
    let outcome = expandHistoryWord() ?? .proceed
    editLine?.insert(Array(repeating: 0x20, count: argument.count))
    return outcome
  }

  // MARK: An editor

  /// Lets the user edit the text in a program of their choice.
  func editExternally() -> EditOutcome {
    paint(cursorAtEnd: true)
    send(painter.finish() + Self.pasteOff)
    editLine?.prepareTerminal(false)
    let edited = delegate?.edit(text)
    resume()
    guard result == nil else { return .end }
    guard let edited else { return .beep }
    setText(edited)
    return .proceed
  }
}
