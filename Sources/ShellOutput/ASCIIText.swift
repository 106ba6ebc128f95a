package import Terminal

/// Replaces the few symbols that opsh itself prints beyond ASCII if the locale is not UTF-8.
package enum ASCIIText {
  private static let replacements: [Character: String] = [
    "→": "->", "←": "<-", "✓": "ok", "✗": "failed:", "⊘": "cancelled", "↷": "skipped", "…": "...",
    "─": "-", "│": "|", "├": "|", "└": "`", "·": "-", "µ": "u", "–": "-", "×": "x", "’": "'",
    "░": "=", "█": "#", "┄": "~", "●": "*", "○": "o", "┤": "|", "┴": "+", "┬": "+", "┼": "+",
    "╯": "'", "╰": "`", "╮": ".", "╭": ".",
    "▒": "%", "▁": "_", "▂": ".", "▃": ":", "▄": "-", "▅": "=", "▆": "+", "▇": "%", "╌": "~",
  ]

  package static func replacing(_ line: StyledText) -> StyledText {
    guard !line.plain.utf8.allSatisfy({ $0 < 0x80 }) else { return line }
    return StyledText(
      spans: line.spans.map { StyledText.Span(replacing($0.text), style: $0.style) })
  }

  package static func replacing(_ text: String) -> String {
    var result = ""
    for character in text {
      if character.isASCII {
        result.append(character)
      } else if let replacement = replacements[character] {
        result += replacement
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
