import COpshSystem

/// Measures and truncates text by its terminal columns.
///
/// The unit is the grapheme cluster, what a person calls a character: a family emoji takes two
/// columns although it is seven scalars, and an accent takes none. Control characters count
/// as wide as ``VisibleText`` shows them, because they are never sent as they are; a tab goes
/// on to the next multiple of eight.
public enum TextWidth: Sendable {
  /// Returns the number of columns that a text on one line takes.
  ///
  /// - Parameter text: The text; a newline in it starts over, and the widest line counts.
  /// - Returns: The number of columns, 0 or more.
  public static func columns(of text: String) -> Int {
    if let simple = columnsOfPrintableASCII(text) { return simple }
    var widest = 0
    var current = 0
    for character in text {
      if character == "\n" || character == "\r\n" {
        widest = max(widest, current)
        current = 0
      } else if character == "\t" {
        current += 8 - current % 8
      } else {
        current += columns(of: character)
      }
    }
    return max(widest, current)
  }

  /// Returns the number of columns that one character takes.
  ///
  /// - Parameter character: The character; a tab counts as one column here.
  /// - Returns: 0, 1 or 2, or more for a control character in its visible form.
  public static func columns(of character: Character) -> Int {
    if let ascii = character.asciiValue, ascii >= 0x20, ascii < 0x7F { return 1 }
    if character == "\t" { return 1 }
    let scalars = character.unicodeScalars
    if scalars.count > 1, isEmoji(scalars) { return 2 }
    return scalars.reduce(0) { $0 + columns(of: $1) }
  }

  /// Truncates a text to at most the given number of columns.
  ///
  /// - Parameters:
  ///   - text: A text on one line.
  ///   - limit: The greatest number of columns.
  ///   - ellipsis: What stands for the part cut off; its width counts.
  /// - Returns: The text itself where it fits, else its beginning and the ellipsis.
  public static func truncate(_ text: String, to limit: Int, ellipsis: String = "…") -> String {
    guard columns(of: text) > limit else { return text }
    let ellipsisWidth = columns(of: ellipsis)
    let mark = ellipsisWidth <= limit ? ellipsis : ""
    let room = max(0, limit - (mark.isEmpty ? 0 : ellipsisWidth))
    var result = ""
    var used = 0
    for character in text {
      let width = character == "\t" ? 8 - used % 8 : columns(of: character)
      guard used + width <= room else { break }
      result.append(character)
      used += width
    }
    return result + mark
  }

  /// Truncates a text in the middle, so that its beginning and its end are seen.
  ///
  /// - Parameters:
  ///   - text: A text on one line.
  ///   - limit: The greatest number of columns.
  ///   - ellipsis: What stands for the part cut out; its width counts.
  /// - Returns: The text itself where it fits.
  public static func truncateMiddle(
    _ text: String, to limit: Int, ellipsis: String = "…"
  ) -> String {
    guard columns(of: text) > limit else { return text }
    let room = max(0, limit - columns(of: ellipsis))
    let end = truncate(String(text.reversed()), to: room / 2, ellipsis: "")
    return truncate(text, to: room - room / 2, ellipsis: "") + ellipsis + String(end.reversed())
  }

  /// Adds spaces so that a text takes at least the given number of columns.
  ///
  /// - Parameters:
  ///   - text: A text on one line.
  ///   - width: The least number of columns.
  ///   - alignment: Where the text stands among the spaces.
  /// - Returns: The text with spaces, or the text itself where it is wide enough.
  public static func pad(
    _ text: String, to width: Int, alignment: TextAlignment = .leading
  ) -> String {
    let missing = width - columns(of: text)
    guard missing > 0 else { return text }
    let blanks = String(repeating: " ", count: missing)
    return alignment == .trailing ? blanks + text : text + blanks
  }

  /// Most text is plain ASCII, where a column is a byte: this is the fast path.
  private static func columnsOfPrintableASCII(_ text: String) -> Int? {
    var text = text
    return text.withUTF8 { bytes in
      bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? bytes.count : nil
    }
  }

  /// Emoji sequences are drawn as one picture, two columns wide, whatever their parts.
  private static func isEmoji(_ scalars: Character.UnicodeScalarView) -> Bool {
    guard let first = scalars.first else { return false }
    if isRegionalIndicator(first) { return true }
    var hasPresentation = false
    for scalar in scalars.dropFirst() {
      switch scalar.value {
      case 0xFE0E: return false
      case 0xFE0F, 0x1F3FB...0x1F3FF: hasPresentation = true
      case 0x200D:
        hasPresentation = hasPresentation || first.value > 0xFF && first.properties.isEmoji
      case 0xE0020...0xE007F: hasPresentation = true
      default: break
      }
    }
    return hasPresentation
  }

  private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    if scalar.value >= 0x20, scalar.value < 0x7F { return 1 }
    if let escape = VisibleText.escape(of: scalar) { return escape.utf8.count }
    return CharacterEncoding.columns(of: scalar)
  }
}

/// The alignment of a text in its column.
public enum TextAlignment: Sendable, Equatable {
  /// At the left.
  case leading
  /// At the right, as numbers do.
  case trailing
}
