/// Decodes HTML entities in text that is otherwise plain, such as the API's titles.
public enum HTMLEntities: Sendable {
  /// Decodes every entity once: `&amp;lt;` becomes `&lt;` and not `<`.
  ///
  /// Unknown entities stay unchanged.
  ///
  /// - Parameter text: Text with entities.
  /// - Returns: The decoded text.
  public static func decode(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var output = ""
    var rest = text[...]
    // By scalars: a combining mark after `;` makes one character with it, and still ends it.
    while let start = rest.unicodeScalars.firstIndex(of: "&") {
      output += rest[..<start]
      let body = rest[rest.unicodeScalars.index(after: start)...]
      // The longest that is known has 8 characters, a number may have zeros in front.
      if let end = body.unicodeScalars.prefix(16).firstIndex(of: ";"),
        let decoded = decodeOne(body[..<end])
      {
        output += decoded
        rest = body[body.unicodeScalars.index(after: end)...]
      } else {
        output += "&"
        rest = body
      }
    }
    return output + rest
  }

  private static func decodeOne(_ body: Substring) -> String? {
    guard body.first == "#" else { return named[String(body)] }
    let digits = body.dropFirst()
    let number: UInt32?
    if let mark = digits.first, mark == "x" || mark == "X" {
      let hexadecimal = digits.dropFirst()
      number = hexadecimal.first?.isHexDigit == true ? UInt32(hexadecimal, radix: 16) : nil
    } else {
      number = digits.first?.isNumber == true ? UInt32(digits) : nil
    }
    guard let number, number != 0, let scalar = Unicode.Scalar(number) else { return nil }
    return String(scalar)
  }

  private static let named: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
    "hellip": "…", "mdash": "—", "ndash": "–", "lsquo": "‘", "rsquo": "’", "ldquo": "“",
    "rdquo": "”", "laquo": "«", "raquo": "»", "bull": "•", "middot": "·", "copy": "©",
    "reg": "®", "trade": "™", "deg": "°", "plusmn": "±", "times": "×", "divide": "÷",
    "sect": "§", "para": "¶", "euro": "€", "pound": "£", "yen": "¥", "cent": "¢", "micro": "µ",
    "auml": "ä", "ouml": "ö", "uuml": "ü", "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü", "szlig": "ß",
    "agrave": "à", "aacute": "á", "acirc": "â", "atilde": "ã", "aring": "å", "aelig": "æ",
    "ccedil": "ç", "egrave": "è", "eacute": "é", "ecirc": "ê", "euml": "ë", "igrave": "ì",
    "iacute": "í", "icirc": "î", "iuml": "ï", "ntilde": "ñ", "ograve": "ò", "oacute": "ó",
    "ocirc": "ô", "otilde": "õ", "oslash": "ø", "ugrave": "ù", "uacute": "ú", "ucirc": "û",
    "yacute": "ý", "yuml": "ÿ", "Agrave": "À", "Aacute": "Á", "Acirc": "Â", "Atilde": "Ã",
    "Aring": "Å", "AElig": "Æ", "Ccedil": "Ç", "Egrave": "È", "Eacute": "É", "Ecirc": "Ê",
    "Euml": "Ë", "Igrave": "Ì", "Iacute": "Í", "Icirc": "Î", "Iuml": "Ï", "Ntilde": "Ñ",
    "Ograve": "Ò", "Oacute": "Ó", "Ocirc": "Ô", "Otilde": "Õ", "Oslash": "Ø", "Ugrave": "Ù",
    "Uacute": "Ú", "Ucirc": "Û", "Yacute": "Ý",
  ]
}
