import Foundation

extension LineEditor {
  /// Deletes a part of the text, and keeps it on the kill ring.
  func kill(_ command: EditCommand, after previous: EditCommand?) -> EditOutcome {
    guard let editLine, let range = killedRange(command) else { return .beep }
    killRing.add(
      Array(editLine.codes[range]), isBefore: range.lowerBound < editLine.cursor,
      joins: previous?.kills == true)
    editLine.replace(range, with: [])
    return .proceed
  }

  private func killedRange(_ command: EditCommand) -> Range<Int>? {
    guard let editLine else { return nil }
    let cursor = editLine.cursor
    let start = lineStart(before: cursor)
    let end = lineEnd(after: cursor)
    switch command {
    case .killWordLeft: return wordStart(argument.count)..<cursor
    case .killWordRight: return cursor..<wordEnd(argument.count)
    // At its edge, a row is joined with the next one.
    case .killToEnd: return cursor..<(cursor == end ? min(end + 1, editLine.count) : end)
    case .killToStart: return (cursor == start ? max(0, start - 1) : start)..<cursor
    case .killRow: return start..<end
    case .killRegion: return region
    default: return nil
    }
  }

  private var region: Range<Int>? {
    guard let editLine, let mark else { return nil }
    let place = min(mark, editLine.count)
    return min(place, editLine.cursor)..<max(place, editLine.cursor)
  }

  func copyRegion() -> EditOutcome {
    guard let editLine, let region else { return .beep }
    killRing.add(Array(editLine.codes[region]), isBefore: false, joins: false)
    return .proceed
  }

  func exchangeMark() -> EditOutcome {
    guard let editLine, let mark else { return .beep }
    self.mark = editLine.cursor
    return moveCursor(to: min(mark, editLine.count))
  }

  func yank() -> EditOutcome {
    guard let editLine, let text = killRing.current else { return .beep }
    inserted = editLine.cursor..<(editLine.cursor + text.count)
    return insert(text)
  }

  /// Replaces the text that was inserted last by the one that was killed before it.
  func yankPop() -> EditOutcome {
    guard let editLine, let range = inserted else { return .beep }
    killRing.rotate()
    editLine.replace(range, with: [])
    return yank()
  }

  /// Deletes the blanks around the cursor.
  func deleteBlanks() -> EditOutcome {
    guard let editLine else { return .beep }
    let codes = editLine.codes
    var (start, end) = (editLine.cursor, editLine.cursor)
    while start > 0, codes[start - 1] == 0x20 || codes[start - 1] == 0x09 { start -= 1 }
    while end < codes.count, codes[end] == 0x20 || codes[end] == 0x09 { end += 1 }
    editLine.replace(start..<end, with: [])
    return .proceed
  }

  // MARK: Undo

  /// What tells whether a function of libedit has run.
  struct EditState: Equatable {
    let changeCount: Int
    let cursor: Int
  }

  var editState: EditState {
    EditState(changeCount: undo.changeCount, cursor: undo.current.cursor)
  }

  /// Notes what the last function has changed.
  func noteEdit() {
    guard let editLine else { return }
    undo.note(UndoHistory.State(codes: editLine.codes, cursor: editLine.cursor))
  }

  func restore(_ state: UndoHistory.State?) -> EditOutcome {
    guard let editLine, let state else { return .beep }
    editLine.replace(with: state.codes, cursor: state.cursor)
    return .proceed
  }
}
