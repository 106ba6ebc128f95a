import Foundation

/// Decodes `Decodable` types from a parsed value, so that a text is parsed only once for its raw
/// and its typed form.
///
/// Dates are seconds since 1970. Errors become `NetworkError.serialization` with the path. An optional
/// property is nil where its number does not fit the type, such as `1e400`.
enum JSONValueDecoder {
  /// Decodes a value of the type.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from value: JSONValue
  ) throws(NetworkError) -> Value {
    do {
      return try ValueDecoder(value: value, codingPath: []).decode(type)
    } catch let error as DecodingError {
      throw .serialization(describe(error))
    } catch let error as NetworkError {
      throw error
    } catch {
      throw .serialization(printable("\(error)"))
    }
  }

  private static func describe(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      "\(path(context.codingPath + [key])) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      "\(path(context.codingPath)) \(context.debugDescription)"
    @unknown default: "it has another shape than expected"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    let text = keys.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : "." + key.stringValue
      }
    }
    return text.isEmpty ? "the value" : "'\(text)'"
  }
}

private struct IndexKey: CodingKey {
  let intValue: Int?
  var stringValue: String { intValue.map(String.init) ?? "" }
  init(_ index: Int) { intValue = index }
  init?(intValue: Int) { self.init(intValue) }
  init?(stringValue: String) { nil }
}

/// One value on its way to a type; also its own container for a single value.
private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch("an object") }
    return KeyedDecodingContainer(
      ObjectContainer(
        members: Dictionary(members.map { ($0.name, $0.value) }) { _, last in last },
        codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch("an array") }
    return ArrayContainer(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value == .null }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .boolean(let content) = value else { throw mismatch("a boolean") }
    return content
  }

  func decode(_ type: String.Type) throws -> String {
    guard case .string(let content) = value else { throw mismatch("a string") }
    return content
  }

  func decode(_ type: Double.Type) throws -> Double {
    guard let content = value.double else { throw mismatch("a number") }
    guard content.isFinite else { throw outOfRange(bits: 64) }
    return content
  }

  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
  func decode(_ type: Int.Type) throws -> Int { try integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type == JSONValue.self, let value = value as? Value { return value }
    if type == Date.self,
      let date = Date(timeIntervalSince1970: try decode(Double.self)) as? Value
    {
      return date
    }
    return try Value(from: self)
  }

  private func integer<Value: FixedWidthInteger>() throws -> Value {
    if let exact: Value = value.exactInteger() { return exact }
    // What is too long for a `Double` is infinite, and whole.
    if let number = value.double, number == number.rounded() {
      throw outOfRange(bits: Value.bitWidth)
    }
    throw mismatch("an integer")
  }

  private func mismatch(_ expected: String) -> DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "is \(value.kind) instead of \(expected)"))
  }

  private func outOfRange(bits: Int) -> DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "is \(value.kind) that does not fit \(bits) bits",
        underlyingError: NumberOutOfRange()))
  }
}

private struct NumberOutOfRange: Error {}

extension DecodingError {
  /// Whether the only fault is a number that the type can't hold.
  var isNumberOutOfRange: Bool {
    guard case .dataCorrupted(let context) = self else { return false }
    return context.underlyingError is NumberOutOfRange
  }
}

private struct ObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [String: JSONValue]
  let codingPath: [any CodingKey]

  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(key).decode(type)
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try decodeFitting(type, forKey: key)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try decodeFitting(type, forKey: key)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try decodeFitting(type, forKey: key)
  }

  /// Returns nil for a number that the type can't hold, as for one that is missing.
  private func decodeFitting<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value?
  {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    do {
      return try decode(type, forKey: key)
    } catch let error as DecodingError where error.isNumberOutOfRange {
      return nil
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    ValueDecoder(value: members["super"] ?? .null, codingPath: codingPath)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws -> ValueDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: "is missing"))
    }
    return ValueDecoder(value: value, codingPath: codingPath + [key])
  }
}

private struct ArrayContainer: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let codingPath: [any CodingKey]
  var currentIndex = 0

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try peek().decodeNil() else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let result = try peek().decode(type)
    currentIndex += 1
    return result
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let result = try peek().container(keyedBy: type)
    currentIndex += 1
    return result
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let result = try peek().unkeyedContainer()
    currentIndex += 1
    return result
  }

  mutating func superDecoder() throws -> any Decoder {
    let result = try peek()
    currentIndex += 1
    return result
  }

  private func peek() throws -> ValueDecoder {
    guard currentIndex < elements.count else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: codingPath, debugDescription: "has too few elements"))
    }
    return ValueDecoder(
      value: elements[currentIndex], codingPath: codingPath + [IndexKey(currentIndex)])
  }
}
