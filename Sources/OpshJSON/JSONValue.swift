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
  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - maximumDepth: How deep arrays and objects may be nested, so that no text can exhaust the
  ///     stack.
  /// - Throws: What is wrong, and at which byte.
  public init(parsing bytes: [UInt8], maximumDepth: Int = 512) throws(JSONError) {
    var parser = JSONParser(bytes: bytes, maximumDepth: maximumDepth)
    self = try parser.parse()
  }

  /// The value of a member of an object, the last of that name, or nil.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  /// An element of an array, or nil.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The nearest number, infinite beyond the range of a `Double`; nil for what is not a number.
  public var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    case .literal(let text): Double(text)
    default: nil
    }
  }

  /// Returns the number as an integer; nil if it has a fraction, does not fit, or is not a number.
  ///
  /// `30.0` and `3e1` are the integer 30.
  ///
  /// - Parameter type: The type of the integer.
  /// - Returns: The integer.
  public func exactInteger<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self)
    -> Integer?
  {
    switch self {
    case .integer(let number): Integer(exactly: number)
    case .real(let number): Integer(exactly: number)
    case .literal(let text): Integer(text) ?? Double(text).flatMap { Integer(exactly: $0) }
    default: nil
    }
  }

  /// Returns the value with every text in it replaced, but no name of a member.
  public func mapStrings(_ transform: (String) -> String) -> JSONValue {
    switch self {
    case .string(let text): .string(transform(text))
    case .array(let elements): .array(elements.map { $0.mapStrings(transform) })
    case .object(let members):
      .object(members.map { .init(name: $0.name, value: $0.value.mapStrings(transform)) })
    case .null, .boolean, .integer, .real, .literal: self
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
  /// All control characters are escaped, also those beyond ASCII, so that no terminal acts on them.
  public var text: String {
    var writer = JSONWriter(escaping: .controls)
    writer.value(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The shortest text of a number: null if it is not finite, no fraction if it is whole.
  static func text(of number: Double) -> String {
    guard number.isFinite else { return "null" }
    if number == number.rounded(), abs(number) < 1e15 { return String(Int64(number)) }
    return String(number)
  }
}

extension [JSONValue.Member] {
  /// The value of the last member of a name, or nil.
  ///
  /// Setting a value replaces the one that is there, or appends a member; setting nil removes it.
  public subscript(name: String) -> JSONValue? {
    get { last { $0.name == name }?.value }
    set {
      let index = lastIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): self[index].value = value
      case (nil, let value?): append(JSONValue.Member(name: name, value: value))
      case (_, nil): removeAll { $0.name == name }
      }
    }
  }
}
