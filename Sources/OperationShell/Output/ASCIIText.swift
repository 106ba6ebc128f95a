import Terminal

/// Replaces the few signs that opsh itself prints beyond ASCII, where the locale is not UTF-8.
enum ASCIIText {
  private static let replacements: [Character: String] = [
    "→": "->", "←": "<-", "✓": "ok", "✗": "failed:", "⊘": "cancelled", "↷": "skipped", "…": "...",
    "─": "-", "│": "|", "·": "-", "µ": "u", "–": "-", "×": "x", "’": "'",
  ]

  static func replacing(_ line: StyledText) -> StyledText {
    var line = line
    for index in line.spans.indices where !line.spans[index].text.utf8.allSatisfy({ $0 < 0x80 }) {
      line.spans[index].text = replacing(line.spans[index].text)
    }
    return line
  }

  static func replacing(_ text: String) -> String {
    var result = ""
    for character in text {
      if character.isASCII {
        result.append(character)
      } else {
        result += replacements[character] ?? "?"
      }
    }
    return result
  }
}
