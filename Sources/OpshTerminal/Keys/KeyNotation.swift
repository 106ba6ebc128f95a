/// The notation of keys in `bind` and `.editrc`: `^A`, `\e[A`, `\033`.
enum KeyNotation {
  /// Finds the key without a character that a notation of its bytes means; nil for other keys.
  static func specialKey(_ notation: String) -> SpecialKey? {
    guard let bytes = bytes(of: notation), bytes.count > 1 else { return nil }
    var decoder = KeyDecoder()
    var keys: [Key] = []
    for byte in bytes { decoder.feed(byte, into: &keys) }
    guard keys.count == 1, case .special(let key) = keys[0] else { return nil }
    return key
  }

  private static func bytes(of notation: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(notation.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "^"):
        guard let letter = rest.popFirst() else { return nil }
        bytes.append(letter == UInt8(ascii: "?") ? 0x7F : letter & 0x1F)
      case UInt8(ascii: "\\"):
        guard let letter = rest.first else { return nil }
        let digits = rest.prefix(3).prefix { (0x30...0x37).contains($0) }
        if let octal = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) {
          rest = rest.dropFirst(digits.count)
          bytes.append(octal)
        } else {
          rest.removeFirst()
          bytes.append(letter == UInt8(ascii: "e") ? 0x1B : letter)
        }
      default: bytes.append(byte)
      }
    }
    return bytes
  }
}
