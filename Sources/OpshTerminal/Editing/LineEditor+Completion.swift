extension LineEditor {
  /// Inserts the common prefix of all candidates, or shows them below the line if there is nothing
  /// to insert.
  func complete() -> EditOutcome {
    let found = candidates()
    guard let first = found.result.candidates.first else { return .beep }
    if found.result.candidates.count == 1 {
      found.insert(first, isLast: true, into: self)
      return .proceed
    }
    let common = Self.commonPrefix(of: found.result.candidates.map(\.text))
    if common.count > found.replaced.count, common.hasPrefix(found.replaced) {
      setText(found.before + common + found.after, cursorAfter: found.before + common)
      return .proceed
    }
    guard isPlain else { return choose(from: found) }
    let menu = CompletionMenu(found.result, asks: false)
    printAbove(
      menu.lines(columns: painter.columns, room: painter.screenRows, isUTF8: capabilities.isUTF8))
    return .proceed
  }

  /// Candidates, and the text around what they replace.
  private struct Candidates {
    let result: CompletionResult
    let before: String
    let replaced: String
    let after: String

    /// Puts a candidate into the line; a space follows the last one, with which the word is complete.
    func insert(_ candidate: CompletionCandidate, isLast: Bool, into editor: LineEditor) {
      let needsSpace = isLast && candidate.appendsSpace && after.first?.isWhitespace != true
      let inserted = before + candidate.text + (needsSpace ? " " : "")
      editor.setText(inserted + after, cursorAfter: inserted)
    }
  }

  private func candidates() -> Candidates {
    let text = self.text
    let result = delegate?.completions(for: text, cursor: textBeforeCursor.count) ?? .none
    let characters = Array(text)
    let range = result.range.clamped(to: 0..<characters.count)
    return Candidates(
      result: result, before: String(characters[..<range.lowerBound]),
      replaced: String(characters[range]), after: String(characters[range.upperBound...]))
  }

  private static func commonPrefix(of texts: [String]) -> String {
    guard var prefix = texts.first.map({ Array($0) }) else { return "" }
    for text in texts.dropFirst() {
      let same = zip(prefix, text).prefix { $0 == $1 }.count
      prefix.removeLast(prefix.count - same)
    }
    return String(prefix)
  }

  // MARK: The menu

  /// The answer of the menu to a key.
  private enum MenuAnswer {
    case stays
    case closes
    /// The key has its usual effect.
    case passes
  }

  /// Shows candidates below the line until a key selects one or has another meaning.
  ///
  /// The selected one is in the line already, so that any key can go on from there.
  private func choose(from found: Candidates) -> EditOutcome {
    var found = found
    let shortest = textBeforeCursor.count
    menu = CompletionMenu(
      found.result, asks: found.result.count > CompletionMenu.greatestUnasked)
    defer {
      menu = nil
      isStale = true
    }
    while true {
      isStale = true
      guard let key = nextKey() else { return .end }
      switch answer(to: key, &found, shortest: shortest) {
      case .stays: break
      case .closes: return .proceed
      case .passes:
        keys.insert(key, at: 0)
        return .proceed
      }
    }
  }

  private func answer(
    to key: Key, _ found: inout Candidates, shortest: Int
  ) -> MenuAnswer {
    guard let menu else { return .passes }
    let perRow = menu.perRow(columns: painter.columns)
    switch key {
    case .scalar("\t") where menu.asks: self.menu?.show()
    case .scalar("\t") where menu.result.count == 1:
      found.insert(menu.result.candidates[0], isLast: true, into: self)
      return .closes
    case .scalar("\t"), .special(.down): select(by: key == .scalar("\t") ? 1 : perRow, found)
    case .special(.backTab): select(by: -1, found)
    case .special(.up): select(by: -perRow, found)
    case .special(.right) where perRow > 1: select(by: 1, found)
    case .special(.left) where perRow > 1: select(by: -1, found)
    case .special(.newer): select(by: 10 * perRow, found)
    case .special(.older): select(by: -10 * perRow, found)
    case .scalar("\n"), .scalar("\r"):
      guard let candidate = menu.candidate else { return .passes }
      found.insert(candidate, isLast: true, into: self)
      return .closes
    case .escape:
      // Alt and a key have the meaning of that key.
      guard keys.isEmpty else { return .passes }
      giveUp(found)
      return .closes
    case .scalar("\u{07}"):
      giveUp(found)
      return .closes
    case .scalar(let scalar):
      guard menu.selected == nil, narrow(by: scalar, shortest: shortest) else { return .passes }
      found = candidates()
      guard !found.result.candidates.isEmpty else { return .closes }
      self.menu = CompletionMenu(
        found.result, asks: menu.asks && found.result.count > CompletionMenu.greatestUnasked)
    default: return .passes
    }
    return .stays
  }

  private func select(by count: Int, _ found: Candidates) {
    menu?.move(by: count)
    guard let candidate = menu?.candidate else { return }
    found.insert(candidate, isLast: false, into: self)
  }

  private func giveUp(_ found: Candidates) {
    setText(
      found.before + found.replaced + found.after, cursorAfter: found.before + found.replaced)
  }

  /// Changes the word by a typed character; false if the key has another meaning.
  private func narrow(by scalar: Unicode.Scalar, shortest: Int) -> Bool {
    switch scalar.value {
    case 0x7F, 0x08:
      guard textBeforeCursor.count > shortest else { return false }
      editLine?.deleteBackward(1)
    // An accent joins what is before it, which is left to the line.
    case 0x21...0x7E, 0xA1...0x2FF: editLine?.insert(clusters.encode(String(Character(scalar))))
    default: return false
    }
    return true
  }
}
