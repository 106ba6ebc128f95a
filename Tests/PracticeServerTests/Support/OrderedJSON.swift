/// JSON that remembers the order of keys, and tells whole numbers from fractions.
indirect enum OrderedJSON: Equatable {
  struct Member: Equatable {
    var key: String
    var value: OrderedJSON
  }

  struct Failure: Error {
    let offset: Int
  }

  case object([Member])
  case array([OrderedJSON])
  case string(String)
  case integer(Int)
  case fraction(Double)
  case boolean(Bool)
  case null

  init(parsing text: String) throws {
    var parser = Parser(bytes: Array(text.utf8))
    self = try parser.value()
    guard parser.offset == parser.bytes.count else { throw Failure(offset: parser.offset) }
  }

  var keys: [String] {
    guard case .object(let members) = self else { return [] }
    return members.map(\.key)
  }

  var items: [OrderedJSON] {
    if case .array(let items) = self { return items }
    return self["items"]?.items ?? []
  }

  subscript(key: String) -> OrderedJSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  func integer(_ key: String) -> Int? {
    if case .integer(let value)? = self[key] { return value }
    return nil
  }

  func string(_ key: String) -> String? {
    if case .string(let value)? = self[key] { return value }
    return nil
  }

  func boolean(_ key: String) -> Bool? {
    if case .boolean(let value)? = self[key] { return value }
    return nil
  }

  /// Parses compact JSON: white space between tokens is an error here.
  private struct Parser {
    let bytes: [UInt8]
    var offset = 0

    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func accept(_ character: Unicode.Scalar) -> Bool {
      guard next == UInt8(ascii: character) else { return false }
      offset += 1
      return true
    }

    mutating func expect(_ text: String) throws {
      guard bytes[offset...].starts(with: text.utf8) else { throw Failure(offset: offset) }
      offset += text.utf8.count
    }

    mutating func value() throws -> OrderedJSON {
      switch next {
      case UInt8(ascii: "{"): return try object()
      case UInt8(ascii: "["): return try array()
      case UInt8(ascii: "\""): return .string(try string())
      case UInt8(ascii: "t"):
        try expect("true")
        return .boolean(true)
      case UInt8(ascii: "f"):
        try expect("false")
        return .boolean(false)
      case UInt8(ascii: "n"):
        try expect("null")
        return .null
      default: return try number()
      }
    }

    mutating func object() throws -> OrderedJSON {
      try expect("{")
      var members: [Member] = []
      if accept("}") { return .object(members) }
      repeat {
        let key = try string()
        try expect(":")
        members.append(Member(key: key, value: try value()))
      } while accept(",")
      try expect("}")
      return .object(members)
    }

    mutating func array() throws -> OrderedJSON {
      try expect("[")
      var items: [OrderedJSON] = []
      if accept("]") { return .array(items) }
      repeat { items.append(try value()) } while accept(",")
      try expect("]")
      return .array(items)
    }

    mutating func string() throws -> String {
      try expect("\"")
      var text: [UInt8] = []
      while let byte = next, byte != UInt8(ascii: "\"") {
        guard byte >= 0x20 else { throw Failure(offset: offset) }
        offset += 1
        guard byte == UInt8(ascii: "\\") else {
          text.append(byte)
          continue
        }
        switch next {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(bytes[offset])
        case UInt8(ascii: "u"): text += try escape()
        default: throw Failure(offset: offset)
        }
        offset += 1
      }
      try expect("\"")
      return String(decoding: text, as: UTF8.self)
    }

    /// Reads the digits after `u`, and a second half where the first asks for one.
    mutating func escape() throws -> [UInt8] {
      var units = [try unit()]
      if UTF16.isLeadSurrogate(units[0]) {
        offset += 1
        try expect("\\")
        guard next == UInt8(ascii: "u") else { throw Failure(offset: offset) }
        units.append(try unit())
      }
      let text = String(decoding: units, as: UTF16.self)
      guard !text.contains("\u{FFFD}") else { throw Failure(offset: offset) }
      return Array(text.utf8)
    }

    /// Reads the four digits after the present byte, and stops at the last.
    mutating func unit() throws -> UInt16 {
      guard offset + 4 < bytes.count,
        let code = UInt16(
          String(decoding: bytes[offset + 1...offset + 4], as: UTF8.self), radix: 16)
      else { throw Failure(offset: offset) }
      offset += 4
      return code
    }

    mutating func number() throws -> OrderedJSON {
      let start = offset
      while let byte = next, "+-.eE0123456789".utf8.contains(byte) { offset += 1 }
      let text = String(decoding: bytes[start..<offset], as: UTF8.self)
      if let value = Int(text) { return .integer(value) }
      guard let value = Double(text) else { throw Failure(offset: start) }
      return .fraction(value)
    }
  }
}
