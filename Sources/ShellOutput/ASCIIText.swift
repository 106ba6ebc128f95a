package import OpshTerminal

/// Replaces the few symbols that opsh itself prints beyond ASCII if the locale is not UTF-8.
///
/// Data, such as the text of `echo` and `result`, only a terminal gets changed; a file and a program
/// get the same bytes in every locale.
package enum ASCIIText {
  private static let replacements: [Character: String] = [
    "→": "->", "←": "<-", "✓": "ok", "✗": "failed:", "⊘": "cancelled", "↷": "skipped", "…": "...",
    "─": "-", "│": "|", "├": "|", "└": "`", "·": "-", "µ": "u", "–": "-", "×": "x", "’": "'",
    "░": "=", "█": "#", "┄": "~", "●": "*", "○": "o", "┤": "|", "┴": "+", "┬": "+", "┼": "+",
    "╯": "'", "╰": "`", "╮": ".", "╭": ".",
    "—": "-", "±": "+-", "▲": "^", "▓": "@", "▒": "%", "▁": "_", "▂": ".", "▃": ":", "▄": "-",
    "▅": "=", "▆": "+", "▇": "%", "╌": "~",
  ]

  /// Replaces the symbols in a line.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - escapesOthers: Whether characters that are not symbols of opsh are escaped, for a terminal.
  /// - Returns: The line without them.
  package static func replacing(
    _ line: StyledText, escapesOthers: Bool = true
  ) -> StyledText {
    guard !line.plain.utf8.allSatisfy({ $0 < 0x80 }) else { return line }
    return StyledText(
      spans: line.spans.map {
        StyledText.Span(replacing($0.text, escapesOthers: escapesOthers), style: $0.style)
      })
  }

  package static func replacing(_ text: String, escapesOthers: Bool = true) -> String {
    var result = ""
    for character in text {
      if character.isASCII {
        result.append(character)
      } else if let replacement = replacements[character] {
        result += replacement
      } else if !escapesOthers {
        result.append(character)
      } else {
        // Other characters are data: they are escaped, so that they stay identifiable.
        for scalar in character.unicodeScalars {
          result += scalar.isASCII ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
      }
    }
    return result
  }
}
