import OpshSupport

/// Splits credentials into parts that are secret on their own.
public enum Credentials: Sendable {
  /// The authentication schemes, in lower case, that are followed by a secret.
  static let schemes: Set<String> = [
    "basic", "bearer", "token", "digest", "negotiate", "ntlm", "apikey", "hmac", "oauth",
    "aws4-hmac-sha256",
  ]

  /// Whether the value of a header is `Bearer X` or `Basic X`, whatever the name of the header.
  ///
  /// `Basic realm="…"`, with which a server asks for credentials, is not.
  ///
  /// - Parameter value: The value.
  /// - Returns: Whether it is secret by its shape.
  public static func hasScheme(_ value: String) -> Bool {
    let words = value.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, ["bearer", "basic"].contains(words[0].lowercased())
    else { return false }
    let padding = words[1].drop { $0 != "=" }
    return padding.allSatisfy { $0 == "=" }
  }

  /// Returns the secret texts in the value of a header.
  ///
  /// Of `Bearer X` it is `X`, of `Basic X` also the password in it, or the name if the password is
  /// empty; of cookies each value. Of a value without a known scheme it is the whole value and, if
  /// there are two words, the second.
  ///
  /// - Parameters:
  ///   - value: The value of a header.
  ///   - isCookie: Whether the header is `Cookie`.
  /// - Returns: The texts.
  public static func texts(inHeader value: String, isCookie: Bool) -> [String] {
    if isCookie {
      return value.split(separator: ";").flatMap { part in
        let sides = part.split(separator: "=", maxSplits: 1)
        return sides.count == 2 ? written(trimmed(sides[1])) : []
      }
    }
    let words = value.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, let scheme = words.first?.lowercased(), let rest = words.last else {
      return written(value)
    }
    let secret = written(String(rest))
    guard schemes.contains(scheme) else { return written(value) + secret }
    guard scheme == "basic", let bytes = base64(rest) else { return secret }
    return [String(rest)] + texts(inUser: String(decoding: bytes, as: UTF8.self))
  }

  /// Returns the secret texts in `user:password`: all of it, and the password alone.
  ///
  /// With an empty password the secret is the name, as in `-u KEY:`.
  ///
  /// - Parameter user: A name and a password.
  /// - Returns: The texts.
  static func texts(inUser user: String) -> [String] {
    guard let colon = user.firstIndex(of: ":") else { return [user] }
    let password = user[user.index(after: colon)...]
    return [user] + written(String(password.isEmpty ? user[..<colon] : password))
  }

  /// Returns a text in the forms in which it may appear: unchanged, percent-decoded,
  /// percent-encoded, as in a form, and as in a text of JSON.
  ///
  /// - Parameter text: The credential.
  /// - Returns: The forms, each once.
  public static func written(_ text: String) -> [String] {
    let decoded = percentDecoded(text)
    let encoded = PercentEncoding.encode(decoded)
    var forms = [text]
    for form in [
      decoded, encoded, encoded.replacing("%20", with: "+"),
      text.replacing(scalars: ["\"": "\\\"", "\\": "\\\\"]),
    ] where !forms.contains(form) { forms.append(form) }
    return forms
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " || $0 == "\"" }.prefix { $0 != "\"" && $0 != " " })
  }

  private static func percentDecoded(_ text: String) -> String {
    String(validating: percentDecodedBytes(text), as: UTF8.self) ?? text
  }

  /// Returns the bytes of a percent-encoded text.
  static func percentDecodedBytes(_ text: String) -> [UInt8] {
    PercentEncoding.decodedBytes(Array(text.utf8)[...])
  }

  /// Returns the decoded form of a value that holds a percent-encoded address with fields, at most
  /// encoded twice; nil for others.
  static func decodedAddress(_ value: String) -> String? {
    var text = value
    for _ in 0..<2 where text.contains("%3D") || text.contains("%3d") || text.contains("%253") {
      text = percentDecoded(text)
    }
    return text == value ? nil : text
  }

  private static func base64(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count) = (UInt32(0), 0)
    for byte in text.utf8 where byte != UInt8(ascii: "=") {
      let digit: UInt8
      switch byte {
      case 0x41...0x5A: digit = byte - 0x41
      case 0x61...0x7A: digit = byte - 0x61 + 26
      case 0x30...0x39: digit = byte - 0x30 + 52
      case UInt8(ascii: "+"), UInt8(ascii: "-"): digit = 62
      case UInt8(ascii: "/"), UInt8(ascii: "_"): digit = 63
      default: return nil
      }
      bits = bits << 6 | UInt32(digit)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }
}
