/// Writes compact JSON in exactly the order of the calls.
///
/// An encoder of the standard kind would choose the order of the keys itself; here it is a part
/// of what is imitated.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false
  /// Whether everything beyond ASCII is written as escapes, as some services do.
  var escapesNonASCII = false

  mutating func beginObject() { open("{") }
  mutating func endObject() { close("}") }
  mutating func beginArray() { open("[") }
  mutating func endArray() { close("]") }

  /// Goes on after a value of an object whose beginning is written elsewhere.
  mutating func continueObject() { needsComma = true }

  /// Writes a key, which must need no escapes.
  mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a key that may need escapes.
  mutating func key(text: String) {
    string(text)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  mutating func boolean(_ value: Bool) {
    separate()
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Writes a number that is finite, without a fraction where there is none.
  mutating func number(_ value: Double) {
    guard value.isFinite else { return null() }
    if let whole = Int(exactly: value), whole.magnitude < 1 << 53 { return integer(whole) }
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  /// Writes any value.
  mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .boolean(let value): boolean(value)
    case .integer(let value): integer(value)
    case .fraction(let value): number(value)
    case .string(let value): string(value)
    case .array(let items):
      beginArray()
      for item in items { self.value(item) }
      endArray()
    case .object(let object):
      beginObject()
      for (key, value) in object {
        self.key(text: key)
        self.value(value)
      }
      endObject()
    }
  }

  mutating func field(_ name: StaticString, _ value: Int) {
    key(name)
    integer(value)
  }

  mutating func field(_ name: StaticString, _ value: Bool) {
    key(name)
    boolean(value)
  }

  mutating func field(_ name: StaticString, _ value: String) {
    key(name)
    string(value)
  }

  /// Writes a field that is left out when it has no value.
  mutating func field(optional name: StaticString, _ value: Int?) {
    if let value { field(name, value) }
  }

  mutating func integer(_ value: Int) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var magnitude = value.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(magnitude % 10))
      magnitude /= 10
    } while magnitude > 0
    bytes[start...].reverse()
  }

  /// Writes a fraction that ends after three digits.
  mutating func thousandths(_ value: Int) {
    integer(value / 1000)
    bytes.append(UInt8(ascii: "."))
    bytes.append(contentsOf: String(1000 + value % 1000).utf8.dropFirst())
  }

  mutating func string(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    if escapesNonASCII, value.utf8.contains(where: { $0 >= 0x80 }) {
      for unit in value.utf16 {
        if unit < 0x80 { append(UInt8(unit)) } else { escape(unit) }
      }
    } else {
      for byte in value.utf8 { append(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes one byte of a string, escaped if it has to be.
  private mutating func append(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
    case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
    case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
    case 0..<0x20: escape(UInt16(byte))
    default: bytes.append(byte)
    }
  }

  private mutating func escape(_ unit: UInt16) {
    bytes.append(contentsOf: #"\u"#.utf8)
    for shift in [12, 8, 4, 0] {
      bytes.append(hexadecimalDigits[Int(unit >> UInt16(shift)) & 15])
    }
  }

  private mutating func open(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(ascii: bracket))
    needsComma = false
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }
}

/// The digits that escapes are written with.
let hexadecimalDigits: [UInt8] = Array("0123456789abcdef".utf8)
