/// Parses JSON strictly, as RFC 8259 has it, without trusting who wrote it.
struct JSONParser {
  /// Why a text is no JSON, and where.
  struct Failure: Error, Equatable {
    let offset: Int
  }

  /// How deep arrays and objects may be nested: the parser calls itself for each.
  private static let maximumDepth = 100

  private let bytes: [UInt8]
  private var offset = 0
  private var depth = 0

  /// Parses a whole text.
  ///
  /// - Parameter bytes: The text in UTF-8.
  /// - Returns: Its value.
  /// - Throws: Where it stops being JSON.
  static func parse(_ bytes: [UInt8]) throws(Failure) -> JSONValue {
    var parser = JSONParser(bytes: bytes)
    let value = try parser.value()
    parser.skipSpace()
    guard parser.offset == bytes.count else { throw Failure(offset: parser.offset) }
    return value
  }

  static func parse(_ text: String) throws(Failure) -> JSONValue {
    try parse(Array(text.utf8))
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
    }
  }

  private mutating func accept(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Failure) {
    guard accept(character) else { throw Failure(offset: offset) }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Failure) -> JSONValue
  {
    let length = word.utf8CodeUnitCount
    let matches = word.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    guard matches else { throw Failure(offset: offset) }
    offset += length
    return value
  }

  private mutating func value() throws(Failure) -> JSONValue {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try nested { (parser) throws(Failure) in try parser.object() }
    case UInt8(ascii: "["): return try nested { (parser) throws(Failure) in try parser.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(Failure) -> JSONValue
  ) throws(Failure) -> JSONValue {
    guard depth < Self.maximumDepth else { throw Failure(offset: offset) }
    depth += 1
    defer { depth -= 1 }
    offset += 1
    return try body(&self)
  }

  private mutating func object() throws(Failure) -> JSONValue {
    var object = JSONObject()
    if accept("}") { return .object(object) }
    repeat {
      skipSpace()
      let key = try string()
      try expect(":")
      object[key] = try value()
    } while accept(",")
    try expect("}")
    return .object(object)
  }

  private mutating func array() throws(Failure) -> JSONValue {
    var items: [JSONValue] = []
    if accept("]") { return .array(items) }
    repeat { items.append(try value()) } while accept(",")
    try expect("]")
    return .array(items)
  }

  private mutating func string() throws(Failure) -> String {
    guard next == UInt8(ascii: "\"") else { throw Failure(offset: offset) }
    offset += 1
    var text: [UInt8] = []
    while let byte = next {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<0x20: throw Failure(offset: offset - 1)
      default: text.append(byte)
      }
    }
    throw Failure(offset: offset)
  }

  private mutating func escape(into text: inout [UInt8]) throws(Failure) {
    guard let byte = next else { throw Failure(offset: offset) }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      // Two halves of one character; a half alone is replaced, as elsewhere in UTF-8.
      if (0xD800..<0xDC00).contains(code), bytes[offset...].starts(with: [0x5C, 0x75]) {
        let before = offset
        offset += 2
        let low = try hexadecimal()
        if (0xDC00..<0xE000).contains(low) {
          code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        } else {
          offset = before
        }
      }
      let scalar = Unicode.Scalar(code) ?? "\u{FFFD}"
      text += String(Character(scalar)).utf8
    default: throw Failure(offset: offset - 1)
    }
  }

  private mutating func hexadecimal() throws(Failure) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw Failure(offset: offset)
      }
      code = code << 4 | UInt32(digit)
      offset += 1
    }
    return code
  }

  private mutating func number() throws(Failure) -> JSONValue {
    let start = offset
    var isWhole = true
    if next == UInt8(ascii: "-") { offset += 1 }
    let first = offset
    try digits()
    // No zero may stand before other digits.
    guard offset - first == 1 || bytes[first] != UInt8(ascii: "0") else {
      throw Failure(offset: first)
    }
    if next == UInt8(ascii: ".") {
      isWhole = false
      offset += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      isWhole = false
      offset += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
      try digits()
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if isWhole, let value = Int(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { throw Failure(offset: start) }
    return .fraction(value)
  }

  private mutating func digits() throws(Failure) {
    let start = offset
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    guard offset > start else { throw Failure(offset: start) }
  }
}
