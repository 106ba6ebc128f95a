/// Makes text safe to send to a terminal.
///
/// A terminal obeys control characters: text from a network could move the cursor, change the
/// window's title, or send replies as if the user had typed. Here they are escaped: `^[` for
/// escape, `\u{202E}` for a reversed writing direction.
public enum VisibleText: Sendable {
  /// Escapes every character with an effect on a terminal, and invisible ones.
  ///
  /// - Parameters:
  ///   - text: Text from anywhere.
  ///   - keepNewlines: Whether newlines and tabs stay as they are.
  /// - Returns: Text without control characters.
  public static func escape(_ text: String, keepNewlines: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: { escape(of: $0) != nil }) else { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      if keepNewlines, scalar == "\n" || scalar == "\t" {
        result.unicodeScalars.append(scalar)
      } else if let escape = escape(of: scalar) {
        result += escape
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The escaped form of a scalar that must not be sent, or nil for all others.
  static func escape(of scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0x20...0x7E: nil
    case 0x00...0x1F: "^" + String(UnicodeScalar(UInt8(scalar.value + 0x40)))
    case 0x7F: "^?"
    // C1 controls, among them an eight-bit escape sequence's beginning.
    case 0x80...0x9F: hexadecimal(scalar)
    // Marks, overrides and isolates that change the direction of all that follows.
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: hexadecimal(scalar)
    // Line separators, and characters that show nothing. The joiners U+200C and U+200D stay:
    // scripts and emoji need them.
    case 0x200B, 0x2028, 0x2029, 0x2060...0x2064, 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB:
      hexadecimal(scalar)
    // Bytes of file names and arguments that are not UTF-8.
    case 0x10FF80...0x10FFFF: "\\x" + String(scalar.value & 0xFF, radix: 16, uppercase: true)
    default: nil
    }
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  }
}
