/// Parses JSON strictly (RFC 8259) and keeps the order of members.
///
/// Foundation's parsers lose that order, and a result shown in another order than the service
/// sent it is hard to compare with its documentation.
struct JSONParser {
  private let bytes: [UInt8]
  private let maximumDepth: Int
  private var position = 0
  private var depth = 0

  init(bytes: [UInt8], maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
  }

  /// Parses the whole text as one value.
  mutating func parse() throws(JSONError) -> JSONValue {
    // A byte order mark is not JSON, but servers send it.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    skipSpace()
    let value = try parseValue()
    skipSpace()
    guard position == bytes.count else { throw failure("text follows the end of the value") }
    return value
  }

  private mutating func parseValue() throws(JSONError) -> JSONValue {
    guard let byte = current else { throw failure("unexpected end of the text") }
    switch byte {
    case UInt8(ascii: "{"):
      return try nested { (parser) throws(JSONError) in try parser.parseObject() }
    case UInt8(ascii: "["):
      return try nested { (parser) throws(JSONError) in try parser.parseArray() }
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "t"): return try parseLiteral("true", .boolean(true))
    case UInt8(ascii: "f"): return try parseLiteral("false", .boolean(false))
    case UInt8(ascii: "n"): return try parseLiteral("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    default: throw failure("no value begins like this")
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONError) -> JSONValue
  ) throws(JSONError) -> JSONValue {
    guard depth < maximumDepth else { throw failure("it is nested too deeply") }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  private mutating func parseObject() throws(JSONError) -> JSONValue {
    position += 1
    var members: [JSONValue.Member] = []
    skipSpace()
    if take("}") { return .object(members) }
    while true {
      skipSpace()
      guard current == UInt8(ascii: "\"") else { throw failure("the name of a member is missing") }
      let name = try parseString()
      skipSpace()
      guard take(":") else { throw failure("a colon is missing") }
      skipSpace()
      members.append(JSONValue.Member(name: name, value: try parseValue()))
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { throw failure("a comma or the end of an object is missing") }
    }
  }

  private mutating func parseArray() throws(JSONError) -> JSONValue {
    position += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take("]") { return .array(elements) }
    while true {
      skipSpace()
      elements.append(try parseValue())
      skipSpace()
      if take("]") { return .array(elements) }
      guard take(",") else { throw failure("a comma or the end of an array is missing") }
    }
  }

  private mutating func parseLiteral(
    _ literal: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    let count = literal.utf8CodeUnitCount
    let matches = literal.withUTF8Buffer { bytes[position...].starts(with: $0) }
    guard matches else { throw failure("no value begins like this") }
    position += count
    return value
  }

  private mutating func parseNumber() throws(JSONError) -> JSONValue {
    let start = position
    var isInteger = true
    _ = take("-")
    if take("0") {
      guard !isDigit(current) else { throw failure("a number begins with a zero") }
    } else {
      try skipDigits()
    }
    if take(".") {
      isInteger = false
      try skipDigits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      isInteger = false
      position += 1
      if !take("+") { _ = take("-") }
      try skipDigits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    // A number that would be written in another way keeps its text: digits beyond 64 bits, `1.10`.
    if isInteger {
      guard let value = Int64(text), text != "-0" else { return .literal(text) }
      return .integer(value)
    }
    guard let value = Double(text), JSONValue.text(of: value) == text else { return .literal(text) }
    return .real(value)
  }

  private mutating func skipDigits() throws(JSONError) {
    guard isDigit(current) else { throw failure("a digit is missing") }
    while isDigit(current) { position += 1 }
  }

  private mutating func parseString() throws(JSONError) -> String {
    position += 1
    let start = position
    // Most strings have no escapes and are copied in one piece.
    while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    if take("\"") { return try text(bytes[start..<(position - 1)]) }
    var buffer = Array(bytes[start..<position])
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return try text(buffer[...])
      case UInt8(ascii: "\\"):
        position += 1
        try parseEscape(into: &buffer)
      case ..<0x20: throw failure("a string holds a control character")
      default:
        buffer.append(byte)
        position += 1
      }
    }
    throw failure("a string is not closed")
  }

  private mutating func parseEscape(into buffer: inout [UInt8]) throws(JSONError) {
    guard let byte = current else { throw failure("a string is not closed") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
    case UInt8(ascii: "b"): buffer.append(0x08)
    case UInt8(ascii: "f"): buffer.append(0x0C)
    case UInt8(ascii: "n"): buffer.append(0x0A)
    case UInt8(ascii: "r"): buffer.append(0x0D)
    case UInt8(ascii: "t"): buffer.append(0x09)
    case UInt8(ascii: "u"): buffer += String(try parseScalar()).utf8
    default: throw failure("a string holds an unknown escape")
    }
  }

  /// Parses the digits after `\u` and the second half of a pair; a half alone becomes U+FFFD.
  private mutating func parseScalar() throws(JSONError) -> Character {
    let first = try parseHexadecimal()
    if let scalar = Unicode.Scalar(first) { return Character(scalar) }
    if (0xD800...0xDBFF).contains(first), bytes[position...].starts(with: [0x5C, 0x75]) {
      let beforeSecond = position
      position += 2
      let second = try parseHexadecimal()
      if (0xDC00...0xDFFF).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return Character(scalar)
      }
      position = beforeSecond
    }
    return "\u{FFFD}"
  }

  private mutating func parseHexadecimal() throws(JSONError) -> UInt32 {
    guard position + 4 <= bytes.count else { throw failure("a string is not closed") }
    var value: UInt32 = 0
    for byte in bytes[position..<(position + 4)] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("an escape needs four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
    }
    position += 4
    return value
  }

  private func text(_ slice: ArraySlice<UInt8>) throws(JSONError) -> String {
    guard let text = String(validating: slice, as: UTF8.self) else {
      throw failure("a string is not valid UTF-8")
    }
    return text
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func isDigit(_ byte: UInt8?) -> Bool {
    byte.map { (0x30...0x39).contains($0) } ?? false
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private func failure(_ what: String) -> JSONError {
    JSONError("\(what) (byte \(position) of \(bytes.count))")
  }
}
