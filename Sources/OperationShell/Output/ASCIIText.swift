import Terminal

/// Replaces the few signs that opsh itself prints beyond ASCII, where the locale is not UTF-8.
enum ASCIIText {
  private static let replacements: [Character: String] = [
    "→": "->", "←": "<-", "✓": "ok", "✗": "failed:", "⊘": "cancelled", "↷": "skipped", "…": "...",
    "─": "-", "│": "|", "├": "|", "└": "`", "·": "-", "µ": "u", "–": "-", "×": "x", "’": "'",
    "░": "=", "█": "#", "┄": "~",
  ]

  static func replacing(_ line: StyledText) -> StyledText {
    guard !line.plain.utf8.allSatisfy({ $0 < 0x80 }) else { return line }
    return StyledText(
      spans: line.spans.map { StyledText.Span(replacing($0.text), style: $0.style) })
  }

  static func replacing(_ text: String) -> String {
    var result = ""
    for character in text {
      if character.isASCII {
        result.append(character)
      } else if let replacement = replacements[character] {
        result += replacement
      } else {
        // What is not ours is data: it must still say what it was.
        for scalar in character.unicodeScalars {
          result += scalar.isASCII ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
      }
    }
    return result
  }
}
