/// Finds secrets in typed text and in messages of programs, by name and by shape.
///
/// By name: `Authorization: …` and other headers, `?token=…` and `password=…`, `"secret": "…"`,
/// `--api-key …`, `let password = "…"`; also in an address that is percent-encoded inside another. By
/// shape: `Bearer …`, `Basic …`, `user:password@host`, `-u user:password`, `sk-…`. A value that only
/// names a variable, as in `"Bearer $env.TOKEN"`, is not secret. Below a secret name in JSON every
/// text and number is a secret.
public enum SecretText: Sendable {
  /// Returns a text with a star for each character of a secret, so that columns stay the same.
  public static func mask(_ text: String) -> String {
    var masked = ""
    var place = text.startIndex
    for range in ranges(in: text) {
      masked += text[place..<range.lowerBound]
      masked += String(repeating: "*", count: text[range].count)
      place = range.upperBound
    }
    return place == text.startIndex ? text : masked + text[place...]
  }

  /// Returns whether a text contains a secret.
  public static func holdsSecret(_ text: String) -> Bool { !ranges(in: text).isEmpty }

  /// Returns the secrets in a text for ``KnownSecrets``: of `Bearer X` it is `X`, of
  /// `user:password` also the password.
  ///
  /// - Parameter text: For example, a command line of a program.
  /// - Returns: The texts.
  public static func credentials(in text: String) -> [String] {
    ranges(in: text).flatMap { range -> [String] in
      let secret = String(text[range])
      guard !secret.contains(" ") else {
        return Credentials.texts(inHeader: secret, isCookie: false)
      }
      // Of an encoded address the secret in it too, which others may write without the address.
      return Credentials.written(secret)
        + (secret.contains(":") ? Credentials.texts(inUser: secret).dropFirst() : [])
        + (Credentials.decodedAddress(secret).map(credentials) ?? [])
    }
  }

  /// Returns the ranges of the secrets in a text.
  ///
  /// - Parameter text: Any text.
  /// - Returns: The ranges, in order, without overlaps.
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
      // Overlapping ranges are merged.
      separate[separate.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
    }
    return separate
  }

  /// Returns false for most texts without a secret, much faster than a scan.
  private static func mayHoldSecret(_ text: String) -> Bool {
    var (previous, beforePrevious): (UInt8, UInt8) = (0x20, 0x20)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "@"): return true
      // `-u X` and `--key X`, whatever stands before; not the hyphen in `read-only`, but in `sk-X`.
      case UInt8(ascii: "-"), UInt8(ascii: "_"):
        let isInWord = (0x30...0x39).contains(previous) || (0x61...0x7A).contains(previous | 0x20)
        if !isInWord && byte == UInt8(ascii: "-") { return true }
        if previous == UInt8(ascii: "k"), beforePrevious == UInt8(ascii: "s") { return true }
      case UInt8(ascii: "r"), UInt8(ascii: "R"), UInt8(ascii: "c"), UInt8(ascii: "C"):
        // The last letters of `Bearer` and `Basic`.
        if "eEiI".utf8.contains(previous) { return true }
      default: break
      }
      beforePrevious = previous
      previous = byte
    }
    return false
  }
}
