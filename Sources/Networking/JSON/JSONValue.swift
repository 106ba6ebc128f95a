/// Holds a JSON text as values, the members of objects in the order of the text.
///
/// ```swift
/// let value = try JSONValue(parsing: Array(#"{"items": [1, 2]}"#.utf8))
/// value["items"]?[1]  // .integer(2)
/// ```
public enum JSONValue: Sendable, Equatable {
  /// A name and its value in an object.
  public struct Member: Sendable, Equatable {
    /// The name; the parser keeps every member of a repeated one.
    public var name: String
    /// The value.
    public var value: JSONValue

    /// Creates a member.
    public init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The literal `null`.
  case null
  /// The literals `true` and `false`.
  case boolean(Bool)
  /// A number without fraction and exponent that fits 64 bits.
  case integer(Int64)
  /// A number that is written as Swift writes a `Double`.
  case real(Double)
  /// Any other number as it is spelled: more digits than 64 bits hold, `1e400`, `1.10`.
  case literal(String)
  /// Text.
  case string(String)
  /// Values in their order.
  case array([JSONValue])
  /// Members in their order.
  case object([Member])

  /// Parses a JSON text in UTF-8.
  ///
  /// - Parameter bytes: The whole text.
  /// - Throws: `NetworkError.serialization`, which says what is wrong and at which byte.
  public init(parsing bytes: [UInt8]) throws(NetworkError) {
    var parser = JSONParser(bytes: bytes)
    self = try parser.parse()
  }

  /// The value of a member of an object, the last of that name, or nil.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  /// An element of an array, or nil.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The nearest number, infinite beyond the range of a `Double`; nil for what is no number.
  public var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    case .literal(let text): Double(text)
    default: nil
    }
  }

  /// Returns the number as an integer; nil where it has a fraction, does not fit, or is no number.
  ///
  /// `30.0` and `3e1` are the integer 30.
  func exactInteger<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    switch self {
    case .integer(let number): Integer(exactly: number)
    case .real(let number): Integer(exactly: number)
    case .literal(let text): Integer(text) ?? Double(text).flatMap { Integer(exactly: $0) }
    default: nil
    }
  }

  private static func isInteger(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
  }

  /// What kind of value this is, in words for an error message.
  public var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .integer: "an integer"
    case .real: "a number"
    case .literal(let text): Self.isInteger(text) ? "an integer" : "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The value as JSON text (RFC 8259) on one line.
  ///
  /// Every control character is written as an escape, those beyond ASCII too, so that no terminal
  /// acts on any.
  public var text: String {
    var output = ""
    write(to: &output)
    return output
  }

  private func write(to output: inout String) {
    switch self {
    case .null: output += "null"
    case .boolean(let value): output += value ? "true" : "false"
    case .integer(let value): output += String(value)
    case .real(let value): output += Self.text(of: value)
    case .literal(let text): output += text
    case .string(let value): Self.write(value, to: &output)
    case .array(let elements):
      output += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { output += "," }
        element.write(to: &output)
      }
      output += "]"
    case .object(let members):
      output += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { output += "," }
        Self.write(member.name, to: &output)
        output += ":"
        member.value.write(to: &output)
      }
      output += "}"
    }
  }

  private static func write(_ text: String, to output: inout String) {
    output += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      default:
        if Self.mustBeEscaped(scalar) {
          let digits = String(scalar.value, radix: 16)
          output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          output.unicodeScalars.append(scalar)
        }
      }
    }
    output += "\""
  }

  private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      || scalar.value == 0x2028 || scalar.value == 0x2029
  }

  /// JSON has no words for what is no number, and needs no fraction for what is whole.
  static func text(of number: Double) -> String {
    guard number.isFinite else { return "null" }
    if number == number.rounded(), abs(number) < 1e15 { return String(Int64(number)) }
    return String(number)
  }
}
