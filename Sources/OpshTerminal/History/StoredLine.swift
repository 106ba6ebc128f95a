/// A line of the history's file: an entry and its time.
struct StoredLine: Hashable {
  /// Seconds since 1970; nil if it was stored without a time.
  var time: Int?
  var text: String

  init(time: Int?, text: String) {
    self.time = time
    self.text = text
  }

  /// Reads a line, without its line feed.
  init(_ line: ArraySlice<UInt8>) {
    let digits = line.dropFirst(2).prefix { (0x30...0x39).contains($0) }
    let rest = line[digits.endIndex...]
    if line.starts(with: Self.timeMark), rest.first == 0x20,
      let time = Int(String(decoding: digits, as: UTF8.self))
    {
      self.init(time: time, text: Self.withoutFinalNewlines(Self.unescape(rest.dropFirst())))
    } else {
      self.init(time: nil, text: Self.withoutFinalNewlines(Self.unescape(line)))
    }
  }

  /// No text begins so: a backslash of its own is doubled.
  private static let timeMark = Array("\\@".utf8)

  /// The line as it is stored, without its line feed.
  var stored: String { (time.map { "\\@\($0) " } ?? "") + Self.escape(text) }

  static func withoutFinalNewlines(_ line: String) -> String {
    guard line.last?.isNewline == true else { return line }
    return String(line.reversed().drop(while: \.isNewline).reversed())
  }

  private static func escape(_ entry: String) -> String {
    var result = ""
    for scalar in entry.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\0": result += "\\0"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Undoes ``escape(_:)``; a backslash that begins no escape stands for itself.
  private static func unescape(_ line: some Collection<UInt8>) -> String {
    guard line.contains(UInt8(ascii: "\\")) else { return String(decoding: line, as: UTF8.self) }
    var bytes: [UInt8] = []
    var isEscaped = false
    for byte in line {
      if isEscaped {
        isEscaped = false
        switch byte {
        case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): bytes.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "0"): bytes.append(0)
        case UInt8(ascii: "\\"): bytes.append(byte)
        default: bytes += [UInt8(ascii: "\\"), byte]
        }
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        bytes.append(byte)
      }
    }
    if isEscaped { bytes.append(UInt8(ascii: "\\")) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
