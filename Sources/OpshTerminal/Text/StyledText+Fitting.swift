extension StyledText {
  /// The lines of the text, cut at its newlines; at least one.
  public var lines: [StyledText] {
    var lines = [StyledText()]
    for span in spans {
      let parts = span.text.split(
        omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" })
      for (index, part) in parts.enumerated() {
        if index > 0 { lines.append(StyledText()) }
        lines[lines.count - 1].append(Span(String(part), style: span.style))
      }
    }
    return lines
  }

  /// Returns the text cut to the given number of columns.
  ///
  /// - Parameters:
  ///   - limit: The greatest number of columns.
  ///   - ellipsis: What stands for the part cut off, in the style of what it replaces.
  /// - Returns: The text itself where it fits.
  public func truncated(to limit: Int, ellipsis: String = "…") -> StyledText {
    guard columns > limit else { return self }
    let mark = TextWidth.columns(of: ellipsis) <= limit ? ellipsis : ""
    var room = max(0, limit - TextWidth.columns(of: mark))
    var result = StyledText()
    for span in spans {
      let width = TextWidth.columns(of: span.text)
      if width <= room {
        result.append(span)
        room -= width
      } else {
        let kept = TextWidth.truncate(span.text, to: room, ellipsis: "")
        result.append(Span(kept + mark, style: span.style))
        break
      }
    }
    return result
  }

  /// Returns the end of the text that fits the given number of columns.
  ///
  /// - Parameters:
  ///   - limit: The greatest number of columns.
  ///   - ellipsis: What stands for the part cut off, in the style of the first of the rest.
  /// - Returns: The text itself where it fits.
  func truncatedAtStart(to limit: Int, ellipsis: String) -> StyledText {
    guard columns > limit else { return self }
    let mark = TextWidth.columns(of: ellipsis) <= limit ? ellipsis : ""
    var room = max(0, limit - TextWidth.columns(of: mark))
    var kept: [Span] = []
    for span in spans.reversed() {
      var start = span.text.endIndex
      while start > span.text.startIndex {
        let before = span.text.index(before: start)
        let width = TextWidth.columns(of: span.text[before])
        guard width <= room else { break }
        room -= width
        start = before
      }
      kept.append(Span(String(span.text[start...]), style: span.style))
      guard start == span.text.startIndex else { break }
    }
    guard let first = kept.last else { return StyledText() }
    return StyledText(spans: [Span(mark, style: first.style)] + kept.reversed())
  }

  /// Returns the text with spaces added up to the given number of columns.
  ///
  /// - Parameters:
  ///   - width: The least number of columns.
  ///   - alignment: Where the text stands among the spaces.
  /// - Returns: The text itself where it is wide enough.
  public func padded(to width: Int, alignment: TextAlignment = .leading) -> StyledText {
    let missing = width - columns
    guard missing > 0 else { return self }
    let blanks = StyledText(String(repeating: " ", count: missing))
    return alignment == .trailing ? blanks + self : self + blanks
  }

  /// The text without spaces at its end.
  public var withoutTrailingBlanks: StyledText {
    var spans = self.spans
    while var last = spans.popLast() {
      while last.text.last == " " { last.text.removeLast() }
      guard last.text.isEmpty else {
        spans.append(last)
        break
      }
    }
    return StyledText(spans: spans)
  }

  /// Returns the text with every span's style changed.
  ///
  /// - Parameter change: Gets each style and may alter it.
  /// - Returns: The same characters in the new styles.
  public func restyled(_ change: (inout TextStyle) -> Void) -> StyledText {
    StyledText(
      spans: spans.map { span in
        var style = span.style
        change(&style)
        return Span(span.text, style: style)
      })
  }

  /// Returns the text on one line: newlines and other control characters made visible.
  public var onOneLine: StyledText {
    StyledText(spans: spans.map { Span(VisibleText.escape($0.text), style: $0.style) })
  }
}
