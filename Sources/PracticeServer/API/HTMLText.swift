/// Text as the service encodes it.
enum HTMLText {
  /// Encodes what would be markup, and the letters of Latin-1 beyond ASCII, as the service does.
  static func encode(_ text: String) -> String {
    var encoded = ""
    encoded.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": encoded += "&amp;"
      case "<": encoded += "&lt;"
      case ">": encoded += "&gt;"
      case "\"": encoded += "&quot;"
      case "'": encoded += "&#39;"
      case "\u{A0}"..."\u{FF}": encoded += "&#\(scalar.value);"
      default: encoded.unicodeScalars.append(scalar)
      }
    }
    return encoded
  }

  /// Makes the last part of a link from a title or a name.
  ///
  /// Apostrophes vanish, other punctuation becomes a hyphen, and letters beyond ASCII become
  /// percent escapes in lower case.
  static func slug(_ text: String) -> String {
    var bytes: [UInt8] = []
    var needsHyphen = false
    for scalar in text.unicodeScalars where bytes.count < 80 {
      let letters: [UInt8]
      switch scalar {
      case "a"..."z", "0"..."9": letters = [UInt8(ascii: scalar)]
      case "A"..."Z": letters = [UInt8(ascii: scalar) + 32]
      case "'": continue
      case "\u{80}"...:
        letters = String(scalar).lowercased().utf8.flatMap { byte in
          Array("%\(String(byte, radix: 16))".utf8)
        }
      default:
        needsHyphen = !bytes.isEmpty
        continue
      }
      if needsHyphen { bytes.append(UInt8(ascii: "-")) }
      needsHyphen = false
      bytes += letters
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
