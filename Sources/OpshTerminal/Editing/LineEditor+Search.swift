import Foundation

extension LineEditor {
  /// Searches the history incrementally, until a key with another meaning; begins with what is
  /// typed.
  ///
  /// libedit's own search takes the low byte of a wide character for a key, and reports
  /// Ctrl-C as the end of the input; this one reads the same decoded keys as everything else.
  func search(backward startsBackward: Bool) -> EditOutcome {
    let original = (text: text, prefix: textBeforeCursor, index: historyIndex)
    var isBackward = startsBackward
    historySearch = HistorySearch(history.entries)
    defer {
      lastPattern = historySearch.map(\.pattern).flatMap { $0.isEmpty ? nil : $0 } ?? lastPattern
      historySearch = nil
      searchPrompt = nil
      isStale = true
    }
    find(historyIndex == nil ? original.text : "", isBackward: isBackward)

    while true {
      showSearch(isBackward: isBackward)
      guard let key = nextKey(), let found = historySearch else { return .end }
      switch key {
      case .scalar("\u{12}"), .scalar("\u{13}"):
        isBackward = key == .scalar("\u{12}")
        if found.pattern.isEmpty, let lastPattern {
          find(lastPattern, isBackward: isBackward)
        } else {
          moveSearch(isBackward: isBackward)
        }
      case .special(.down): moveSearch(isBackward: true)
      case .special(.up): moveSearch(isBackward: false)
      case .scalar("\u{7F}"), .scalar("\u{08}"):
        if found.pattern.isEmpty { beep() }
        find(String(found.pattern.dropLast()), isBackward: true, fromNewest: true)
      case .scalar("\u{07}"):
        recall(original.index ?? history.entries.count)
        setText(original.text, cursorAfter: original.prefix)
        return .proceed
      case .scalar(let scalar) where scalar.value >= 0x20:
        find(found.pattern + String(scalar), isBackward: isBackward)
      case .paste(let pasted): find(found.pattern + pasted, isBackward: isBackward)
      case .escape where keys.isEmpty: return .proceed
      default:
        // Any other key accepts the found line and then has its usual effect.
        keys.insert(key, at: 0)
        return .proceed
      }
    }
  }

  /// Shows the next line with the text that was searched for last.
  func repeatSearch(backward isBackward: Bool) -> EditOutcome {
    guard let lastPattern else { return .beep }
    var found = HistorySearch(history.entries)
    let start = historyIndex.map { isBackward ? $0 - 1 : $0 + 1 }
    guard isBackward || start != nil else { return .beep }
    found.find(lastPattern, from: start, isBackward: isBackward)
    guard let match = found.match else { return .beep }
    recall(match)
    return .proceed
  }

  /// A longer pattern may still match the same entry; it never matches a later one first.
  private func find(_ pattern: String, isBackward: Bool, fromNewest: Bool = false) {
    let start = fromNewest ? nil : historySearch?.match ?? historyIndex
    historySearch?.find(pattern, from: start, isBackward: isBackward)
    if historySearch?.hasFailed == true { beep() }
    showMatch()
  }

  private func moveSearch(isBackward: Bool) {
    if historySearch?.move(isBackward: isBackward) != true { beep() }
    showMatch()
  }

  private func showMatch() {
    guard let match = historySearch?.match else { return }
    recall(match)
    let shown = text
    guard let range = historySearch?.range(in: shown) else { return }
    setText(shown, cursorAfter: String(shown[..<range.lowerBound]))
  }

  private func showSearch(isBackward: Bool) {
    guard let search = historySearch else { return }
    let direction = isBackward ? "search" : "search forward"
    let name = search.hasFailed ? "no match for" : direction
    searchPrompt = StyledText("(\(name)) '\(VisibleText.escape(search.pattern))': ")
    isStale = true
  }
}
