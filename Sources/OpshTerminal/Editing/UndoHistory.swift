/// The changes of a line, to be undone and made again.
///
/// A change is what differs after a function has run, so that it does not matter whose function
/// that was.
struct UndoHistory {
  /// A text and the place of the cursor.
  struct State: Equatable {
    var codes: [Int32] = []
    var cursor = 0
  }

  private struct Change {
    /// Where the text differs.
    let place: Int
    let removed: [Int32]
    var inserted: [Int32]
    /// The cursor before the change.
    let cursor: Int
    /// Whether characters were typed one by one: the next one joins them.
    let isTyping: Bool

    var end: Int { place + inserted.count }
  }

  /// The text as it is now.
  private(set) var current = State()
  private var done: [Change] = []
  private var undone: [Change] = []
  /// The number of changes so far.
  private(set) var changeCount = 0

  /// Begins with a text.
  init(_ state: State = State()) { current = state }

  /// Notes the text after a function.
  mutating func note(_ state: State) {
    defer { current = state }
    guard state.codes != current.codes else { return }
    changeCount += 1
    undone = []
    let change = change(to: state)
    guard let last = done.last, last.isTyping, last.end == current.cursor else {
      done.append(change)
      return
    }
    if change.isTyping, !Self.beginsWord(change.inserted[0], after: last.inserted.last) {
      done[done.count - 1].inserted += change.inserted
    } else if change.removed.count == 1, change.inserted.count == 1, change.end == last.end,
      state.cursor == change.end
    {
      // An accent that joins the letter before it.
      done[done.count - 1].inserted[last.inserted.count - 1] = change.inserted[0]
    } else {
      done.append(change)
    }
  }

  /// Undoes the last change; nil if there is none.
  mutating func undo() -> State? {
    guard let change = done.popLast() else { return nil }
    undone.append(change)
    current.codes.replaceSubrange(change.place..<change.end, with: change.removed)
    current.cursor = change.cursor
    changeCount += 1
    return current
  }

  /// Makes the change again that was undone last; nil if there is none.
  mutating func redo() -> State? {
    guard let change = undone.popLast() else { return nil }
    done.append(change)
    let end = change.place + change.removed.count
    current.codes.replaceSubrange(change.place..<end, with: change.inserted)
    current.cursor = change.end
    changeCount += 1
    return current
  }

  /// Undoes all changes; nil if there are none.
  mutating func revert() -> State? {
    var state: State?
    while let earlier = undo() { state = earlier }
    return state
  }

  private func change(to state: State) -> Change {
    let (old, new) = (current.codes, state.codes)
    // What is equal on both sides of a cursor does not tell where the change was: the cursor does.
    let most = min(old.count, new.count, current.cursor, state.cursor)
    var place = 0
    while place < most, old[place] == new[place] { place += 1 }
    var tail = 0
    while tail < min(old.count, new.count) - place,
      old[old.count - 1 - tail] == new[new.count - 1 - tail]
    { tail += 1 }
    let removed = Array(old[place..<(old.count - tail)])
    let inserted = Array(new[place..<(new.count - tail)])
    return Change(
      place: place, removed: removed, inserted: inserted, cursor: current.cursor,
      isTyping: removed.isEmpty && inserted.count == 1 && place == current.cursor
        && state.cursor == place + 1)
  }

  private static func beginsWord(_ code: Int32, after last: Int32?) -> Bool {
    let isBlank = code == 0x20 || code == 0x0A
    return !isBlank && (last == 0x20 || last == 0x0A)
  }
}
