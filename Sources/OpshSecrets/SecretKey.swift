/// Keys that are secret by their beginning: `sk-…` and `sk_…`, with a digit after it.
enum SecretKey: Sendable {
  /// The least number of letters after the beginning: `sk-worker-1` is a name.
  private static let minimumLength = 16

  /// Returns the length of the key that a word begins with; nil if it begins with none.
  static func length(in word: some Collection<UInt8>) -> Int? {
    guard word.starts(with: "sk-".utf8) || word.starts(with: "sk_".utf8) else { return nil }
    let key = word.prefix(while: isLetter)
    let length = key.count
    // Words without a digit, such as `sk-learn-tutorials-and-more`, are names too.
    guard length >= "sk-".utf8.count + minimumLength, key.contains(where: isDigit) else {
      return nil
    }
    return length
  }

  /// Returns the keys in a text, each at the start of a word.
  static func all(in text: String) -> [String] {
    var text = text
    return text.withUTF8 { bytes in
      var found: [String] = []
      var place = 0
      while place + 2 < bytes.count {
        guard bytes[place + 1] == UInt8(ascii: "k"), bytes[place] == UInt8(ascii: "s"),
          place == 0 || !isWordPart(bytes[place - 1]), let length = length(in: bytes[place...])
        else {
          place += 1
          continue
        }
        found.append(String(decoding: bytes[place..<place + length], as: UTF8.self))
        place += length
      }
      return found
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  private static func isWordPart(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte >= 0x80 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%")
  }
}
