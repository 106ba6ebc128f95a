/// Encodes and decodes the percent escapes of URLs (RFC 3986).
public enum PercentEncoding: Sendable {
  /// Decodes a text; anything that is not an escape stays as it is.
  ///
  /// - Parameters:
  ///   - text: The bytes of the text.
  ///   - plusIsSpace: Whether `+` means a space, as in queries.
  /// - Returns: The text; bytes that are not UTF-8 are replaced.
  public static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) -> String {
    String(decoding: decodedBytes(text, plusIsSpace: plusIsSpace), as: UTF8.self)
  }

  /// Decodes a text into bytes, which may be no UTF-8.
  ///
  /// - Parameters:
  ///   - text: The bytes of the text.
  ///   - plusIsSpace: Whether `+` means a space, as in queries.
  /// - Returns: The decoded bytes.
  public static func decodedBytes(
    _ text: ArraySlice<UInt8>, plusIsSpace: Bool = false
  ) -> [UInt8] {
    guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return Array(text)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if byte == UInt8(ascii: "%"), index + 2 < text.endIndex,
        let high = hexadecimalValue(text[index + 1]), let low = hexadecimalValue(text[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        index += 1
      }
    }
    return bytes
  }

  /// Escapes everything but letters, digits and four signs.
  ///
  /// - Parameters:
  ///   - text: The plain text.
  ///   - space: What a space becomes.
  /// - Returns: ASCII.
  public static func encode(_ text: String, space: String = "%20") -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.append(byte)
      case UInt8(ascii: " "): encoded += space.utf8
      default: encoded += escape(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Escapes one byte; returns the three bytes `%XX`.
  public static func escape(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  private static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
