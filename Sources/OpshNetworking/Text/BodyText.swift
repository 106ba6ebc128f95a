extension HTTPResponse {
  /// The body decoded by the charset of its `Content-Type`; nil if it is not text.
  ///
  /// Supported are UTF-8, which is the default, US-ASCII, ISO-8859-1, windows-1252 and UTF-16. As
  /// in browsers, US-ASCII and ISO-8859-1 are decoded as windows-1252.
  public var text: String? {
    let bytes = body
    switch charset {
    case "iso-8859-1", "latin1", "iso8859-1", "windows-1252", "cp1252", "us-ascii", "ascii":
      return Self.westernText(bytes)
    case "utf-16", "utf-16le", "utf-16be", "utf16":
      return Self.utf16Text(bytes, isBigEndian: charset == "utf-16be" ? true : nil)
    default:
      return String(validating: bytes, as: UTF8.self)
    }
  }

  /// The `charset` of the `Content-Type`, in lower case.
  private var charset: String? {
    for part in head.headers["Content-Type"]?.split(separator: ";").dropFirst() ?? [] {
      let sides = part.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, sides[0].trimmed.lowercased() == "charset" else { continue }
      return sides[1].trimmed.lowercased()
    }
    return nil
  }

  /// Every byte is a character of windows-1252, except five that are undefined.
  private static func westernText(_ bytes: [UInt8]) -> String {
    var text = ""
    text.unicodeScalars.reserveCapacity(bytes.count)
    for byte in bytes {
      let scalar =
        (0x80...0x9F).contains(byte)
        ? Unicode.Scalar(windows1252[Int(byte) - 0x80]) : Unicode.Scalar(byte)
      text.unicodeScalars.append(scalar ?? "\u{FFFD}")
    }
    return text
  }

  /// The characters 0x80 to 0x9F, which are control characters in ISO-8859-1.
  private static let windows1252: [UInt16] = [
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
  ]

  /// Without a byte order in the name, the byte order mark decides; without a mark, little endian.
  private static func utf16Text(_ bytes: [UInt8], isBigEndian: Bool?) -> String? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    var bytes = bytes[...]
    var isBigEndian = isBigEndian ?? false
    if bytes.starts(with: [0xFE, 0xFF]) {
      isBigEndian = true
      bytes = bytes.dropFirst(2)
    } else if bytes.starts(with: [0xFF, 0xFE]) {
      isBigEndian = false
      bytes = bytes.dropFirst(2)
    }
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    for index in stride(from: bytes.startIndex, to: bytes.endIndex, by: 2) {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
    }
    return String(validating: units, as: UTF16.self)
  }
}

extension Substring {
  /// Without white space and quotes at both ends.
  fileprivate var trimmed: Substring {
    let isOuter = { (letter: Character) in letter.isWhitespace || letter == "\"" }
    var rest = drop(while: isOuter)
    while let last = rest.last, isOuter(last) { rest.removeLast() }
    return rest
  }
}
