/// Finds secrets in text that people type or that programs say, by name and by shape.
///
/// By name: `Authorization: …` and other headers, `?token=…` and `password=…`, `"secret": "…"`,
/// `--api-key …`. By shape: `Bearer …`, `Basic …`, `user:password@host`, `-u user:password`. A
/// value that only names a variable, as in `"Bearer $env.TOKEN"`, is none.
public enum SecretText: Sendable {
  /// Returns the text with a star in place of each character of a secret, so that columns stay.
  ///
  /// - Parameter text: Any text.
  /// - Returns: The same without secrets.
  public static func mask(_ text: String) -> String {
    var masked = text
    // From the end on, so that the indices before it stay those of the text.
    for range in ranges(in: text).reversed() {
      masked.replaceSubrange(range, with: String(repeating: "*", count: text[range].count))
    }
    return masked
  }

  /// Returns whether a text holds a secret.
  ///
  /// - Parameter text: Any text.
  /// - Returns: Whether `mask(_:)` would change it.
  public static func holdsSecret(_ text: String) -> Bool { !ranges(in: text).isEmpty }

  /// Returns the secrets in a text.
  ///
  /// - Parameter text: Any text.
  /// - Returns: Where they are, in order, without overlaps.
  public static func ranges(in text: String) -> [Range<String.Index>] {
    guard mayHoldSecret(text) else { return [] }
    var scanner = SecretScanner(text)
    let found = scanner.scan()
    var separate: [Range<String.Index>] = []
    for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard let last = separate.last, range.lowerBound < last.upperBound else {
        separate.append(range)
        continue
      }
      // Of two that overlap, all is secret.
      separate[separate.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
    }
    return separate
  }

  /// Most texts hold none of these signs, and need no closer look.
  private static func mayHoldSecret(_ text: String) -> Bool {
    var previous: UInt8 = 0x20
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "@"): return true
      // `-u X`, `--key X`, `Bearer X`.
      case UInt8(ascii: "-") where previous == 0x20: return true
      case UInt8(ascii: "r"), UInt8(ascii: "R"), UInt8(ascii: "c"), UInt8(ascii: "C"):
        // The last letters of both words.
        if "eEiI".utf8.contains(previous) { return true }
      default: break
      }
      previous = byte
    }
    return false
  }
}
