import OpshTerminal

/// A line of a panel, whose words go on in the next row where it is too long.
struct WatchPanelLine: Sendable, Equatable {
  var text: StyledText

  init(_ text: StyledText) { self.text = text }

  /// The rows for a width: broken between words, further rows indented.
  func rows(width: Int) -> [StyledText] {
    guard text.columns > width else { return [text] }
    let indent = text.plain.prefix { $0 == " " }.count
    let lead = StyledText(String(repeating: " ", count: min(indent, max(0, width - 20))))
    let rest = text.wrapped(to: max(1, width - lead.columns - 2))
    return rest.enumerated().map { index, row in
      index == 0 ? lead + row : lead + "  " + row
    }
  }
}
