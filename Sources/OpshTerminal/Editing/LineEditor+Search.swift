import Foundation

extension LineEditor {
  /// Searches the history incrementally, until a key with another meaning.
  ///
  /// libedit's own search takes the low byte of a wide character for a key, and reports
  /// Ctrl-C as the end of the input; this one reads the same decoded keys as everything else.
  func search(backward startsBackward: Bool) -> EditOutcome {
    let original = (text: text, prefix: textBeforeCursor, index: historyIndex)
    if historyIndex == nil { draft = original.text }
    var pattern = ""
    var isBackward = startsBackward
    var match = historyIndex
    var hasFailed = false
    defer { searchPrompt = nil }

    while true {
      showSearch(pattern, isBackward: isBackward, hasFailed: hasFailed)
      guard let key = nextKey() else { return .end }
      switch key {
      case .scalar("\u{12}"), .scalar("\u{13}"):
        isBackward = key == .scalar("\u{12}")
        let found =
          isBackward
          ? history.lastIndex(containing: pattern, before: match)
          : match.flatMap { history.firstIndex(containing: pattern, from: $0 + 1) }
        hasFailed = found == nil
        match = found ?? match
      case .scalar("\u{7F}"), .scalar("\u{08}"):
        if pattern.isEmpty { beep() } else { pattern.removeLast() }
        match = history.lastIndex(containing: pattern)
        hasFailed = match == nil
      case .scalar("\u{07}"):
        historyIndex = original.index
        setText(original.text, cursorAfter: original.prefix)
        return .proceed
      case .scalar(let scalar) where scalar.value >= 0x20:
        pattern.unicodeScalars.append(scalar)
        (match, hasFailed) = narrow(pattern, from: match, isBackward: isBackward)
      case .paste(let pasted):
        pattern += pasted
        (match, hasFailed) = narrow(pattern, from: match, isBackward: isBackward)
      default:
        // Any other key accepts the found line and then has its usual effect.
        keys.insert(key, at: 0)
        return .proceed
      }
      if hasFailed { beep() }
      if let match, !hasFailed { show(match, pattern: pattern) }
    }
  }

  /// A longer pattern may still match the same entry; it never matches a later one first.
  private func narrow(
    _ pattern: String, from match: Int?, isBackward: Bool
  ) -> (match: Int?, hasFailed: Bool) {
    let found =
      isBackward
      ? history.lastIndex(containing: pattern, before: match.map { $0 + 1 })
      : history.firstIndex(containing: pattern, from: match ?? 0)
    return (found ?? match, found == nil)
  }

  private func show(_ match: Int, pattern: String) {
    recall(match)
    let entry = history.entries[match]
    if let range = entry.range(of: pattern) {
      setText(entry, cursorAfter: String(entry[..<range.lowerBound]))
    }
  }

  private func showSearch(_ pattern: String, isBackward: Bool, hasFailed: Bool) {
    let direction = isBackward ? "search" : "search forward"
    let name = hasFailed ? "no match for" : direction
    searchPrompt = StyledText("(\(name)) '\(VisibleText.escape(pattern))': ")
    isStale = true
  }
}
