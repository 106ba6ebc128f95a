/// Writes compact JSON in the order of the calls.
///
/// The order of the keys is part of what people read and of what the practice server imitates;
/// `JSONEncoder` would choose it itself.
///
/// ```swift
/// var json = JSONWriter()
/// json.beginObject()
/// json.field("count", 2)
/// json.endObject()
/// json.bytes  // {"count":2}
/// ```
public struct JSONWriter: Sendable {
  /// Which characters of a string are escaped beside those that JSON requires.
  public enum Escaping: Sendable {
    /// No others.
    case required
    /// All control characters and line separators of Unicode, which terminals act on.
    case controls
    /// Everything beyond ASCII, as some services do.
    case nonASCII
  }

  /// The text so far, in UTF-8.
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false
  private let escaping: Escaping

  /// Creates a writer.
  ///
  /// - Parameter escaping: Which characters of strings are escaped.
  public init(escaping: Escaping = .required) {
    self.escaping = escaping
  }

  // MARK: Structure

  /// Writes the start of an object.
  public mutating func beginObject() { open("{") }
  /// Writes the end of an object.
  public mutating func endObject() { close("}") }
  /// Writes the start of an array.
  public mutating func beginArray() { open("[") }
  /// Writes the end of an array.
  public mutating func endArray() { close("]") }

  /// Writes a key, which must need no escapes.
  public mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a key that may need escapes.
  public mutating func key(text: String) {
    string(text)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a key and an integer.
  public mutating func field(_ name: StaticString, _ value: Int) {
    key(name)
    integer(value)
  }

  /// Writes a key and a Boolean.
  public mutating func field(_ name: StaticString, _ value: Bool) {
    key(name)
    boolean(value)
  }

  /// Writes a key and a string.
  public mutating func field(_ name: StaticString, _ value: String) {
    key(name)
    string(value)
  }

  /// Writes a key and an integer, or nothing if there is none.
  public mutating func field(optional name: StaticString, _ value: Int?) {
    if let value { field(name, value) }
  }

  // MARK: Values

  /// Writes any value.
  public mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .boolean(let flag): boolean(flag)
    case .integer(let number): integer(number)
    case .real(let number): literal(JSONValue.text(of: number))
    case .literal(let text): literal(text)
    case .string(let text): string(text)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(text: member.name)
        self.value(member.value)
      }
      endObject()
    }
  }

  /// Writes `null`.
  public mutating func null() { literal("null") }

  /// Writes a Boolean.
  public mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }

  /// Writes an integer.
  public mutating func integer(_ value: Int) { integer(Int64(value)) }

  private mutating func integer(_ value: Int64) {
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

  /// Writes a number of thousandths as a number with three digits after the point.
  public mutating func thousandths(_ value: Int) {
    integer(value / 1000)
    bytes.append(UInt8(ascii: "."))
    bytes.append(contentsOf: String(1000 + value % 1000).utf8.dropFirst())
  }

  /// Writes a string.
  public mutating func string(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    if escaping == .required || value.utf8.allSatisfy({ $0 < 0x7F }) {
      for byte in value.utf8 { append(byte) }
    } else {
      for scalar in value.unicodeScalars { append(scalar) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    let isEscaped =
      switch escaping {
      case .required: false
      case .controls:
        (0x7F...0x9F).contains(scalar.value) || [0x2028, 0x2029].contains(scalar.value)
      case .nonASCII: scalar.value >= 0x80
      }
    if isEscaped {
      for unit in scalar.utf16 { escape(unit) }
    } else if scalar.isASCII {
      append(UInt8(ascii: scalar))
    } else {
      bytes.append(contentsOf: scalar.utf8)
    }
  }

  /// Writes one byte of a string, escaped if JSON requires it.
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
    let digits = String(unit, radix: 16)
    bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
  }

  /// Writes a value as it is spelled.
  private mutating func literal(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
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
