import Foundation
import OpshTerminal

/// Measures text as widely as the usual sans-serif fonts draw it, without having the font.
///
/// The widths are those of DejaVu Sans, which is wider than Arial, Helvetica and their relatives, so
/// that a text takes at most the room that it is given.
enum SVGText {
  /// The height of a line, as a multiple of the size of the font.
  static let lineHeight = 1.25
  private static let boldFactor = 1.12

  private static let narrowest = Set("ijlI'")
  private static let narrow = Set("frt.,:;|!()[]{}-/\\` \"·")
  private static let wide = Set("mwMWOQG@%—…✓✗⊘→&+<>=~#")

  /// Returns the width of a text on one line.
  static func width(of text: String, size: Double, isBold: Bool = false) -> Double {
    text.reduce(0) { $0 + width(of: $1) } * size * (isBold ? boldFactor : 1)
  }

  /// The width of a character, as a multiple of the size of the font.
  private static func width(of character: Character) -> Double {
    if narrowest.contains(character) { return 0.3 }
    if narrow.contains(character) { return 0.43 }
    if wide.contains(character) { return 1 }
    if character.isASCII { return character.isUppercase ? 0.78 : 0.64 }
    let columns = TextWidth.columns(of: character)
    // An emoji is wider than the characters of Chinese, which are as wide as they are high.
    let isEmoji = character.unicodeScalars.contains { $0.value >= 0x1F000 }
    return columns < 2 ? 0.9 * Double(columns) : isEmoji ? 1.35 : Double(columns) / 2
  }

  /// Returns the beginning of a text that fits a width.
  static func truncated(_ text: String, to room: Double, size: Double, isBold: Bool = false)
    -> String
  {
    guard width(of: text, size: size, isBold: isBold) > room else { return text }
    var left = room - width(of: "…", size: size, isBold: isBold)
    var kept = ""
    for character in text {
      left -= width(of: String(character), size: size, isBold: isBold)
      guard left >= 0 else { break }
      kept.append(character)
    }
    return kept + "…"
  }

  /// Returns the lines of a text that is broken between words; of one with more lines than may be,
  /// the last ends with an ellipsis.
  static func lines(
    _ text: String, room: Double, size: Double, isBold: Bool = false, most: Int
  ) -> [String] {
    var lines: [String] = []
    var line = ""
    let words = text.split(separator: " ").map(String.init)
    for (index, word) in words.enumerated() {
      let next = line.isEmpty ? word : line + " " + word
      if line.isEmpty || width(of: next, size: size, isBold: isBold) <= room {
        line = next
        continue
      }
      if lines.count == most - 1 {
        line = ([line] + words[index...]).joined(separator: " ")
        break
      }
      lines.append(line)
      line = word
    }
    return (lines + [line]).map { truncated($0, to: room, size: size, isBold: isBold) }
  }
}

/// The colours of a picture on a light or a dark ground.
enum SVGTheme {
  case light
  case dark

  var ground: String { self == .light ? "#ffffff" : "#14181f" }
  /// Of text, and of the critical path.
  var ink: String { self == .light ? "#1a1a1a" : "#f1f4f8" }
  /// Of text that says less.
  var soft: String { self == .light ? "#555555" : "#aab4c0" }
  /// Of lines of a grid.
  var faint: String { self == .light ? "#dcdcdc" : "#333b47" }
  /// Of areas behind what belongs together.
  var tint: String { self == .light ? "#f5f6f8" : "#1c222c" }
  /// Of lines between boxes.
  var line: String { self == .light ? "#666666" : "#9aa6b4" }
}
