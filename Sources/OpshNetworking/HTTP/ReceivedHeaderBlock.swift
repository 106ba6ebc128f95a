import Foundation
import OpshSupport

/// The fields of a response as received bytes, converted to text on access.
///
/// Ten fields are twenty strings, created on the thread that all requests share, of which mostly
/// only one or two are read.
final class ReceivedHeaderBlock: Sendable {
  /// The lines, each with a line feed at its end and a colon somewhere.
  private let lines: [UInt8]

  init(lines: [UInt8]) { self.lines = lines }

  /// How many bytes it takes.
  var size: Int { lines.count }

  /// All fields in their order.
  var fields: [HTTPHeaders.Field] {
    var fields: [HTTPHeaders.Field] = []
    forEach { name, value in
      fields.append(HTTPHeaders.Field(name: Self.text(name), value: Self.text(value)))
      return true
    }
    return fields
  }

  /// The value of the first field of that name.
  func firstValue(of name: String) -> String? {
    var found: String?
    forEach(of: name) { value in
      found = Self.text(value)
      return false
    }
    return found
  }

  /// The value of the first field of that name, which is an address; bytes that are not UTF-8
  /// are percent-encoded one by one, as in browsers.
  func firstAddress(of name: String) -> String? {
    var found: String?
    forEach(of: name) { value in
      found =
        String(validating: value, as: UTF8.self)
        ?? String(
          decoding: value.flatMap { $0 < 0x80 ? [$0] : PercentEncoding.escape($0) }, as: UTF8.self)
      return false
    }
    return found
  }

  /// The values of all fields of that name, in their order.
  func values(of name: String) -> [String] {
    var values: [String] = []
    forEach(of: name) { value in
      values.append(Self.text(value))
      return true
    }
    return values
  }

  /// The number in the only field of that name; nil if there are several or the value is not a
  /// number that fits.
  func soleNumber(of name: String) -> Int? {
    var number: Int?
    var count = 0
    forEach(of: name) { value in
      count += 1
      number = Self.number(in: value)
      return count == 1
    }
    return count == 1 ? number : nil
  }

  /// The value of a sequence of digits; nil for other bytes or a number that does not fit.
  static func number(in bytes: some Collection<UInt8>) -> Int? {
    guard !bytes.isEmpty, bytes.count <= 18 else { return nil }
    var number = 0
    for byte in bytes {
      guard (0x30...0x39).contains(byte) else { return nil }
      number = number * 10 + Int(byte - 0x30)
    }
    return number
  }

  /// Compares names as HTTP does: ASCII letters without regard to case, all else exactly.
  static func isSame(
    _ first: some Collection<UInt8>, _ second: some Collection<UInt8>
  ) -> Bool {
    // Lengths first: they distinguish nearly all names at no cost.
    guard first.count == second.count else { return false }
    var others = second.makeIterator()
    for byte in first {
      guard let other = others.next(), byte == other || lowercased(byte) == lowercased(other)
      else { return false }
    }
    return true
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }

  /// The bytes without white space at both ends.
  static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    var start = 0
    var end = bytes.count
    while start < end, isBlank(bytes[start]) { start += 1 }
    while start < end, isBlank(bytes[end - 1]) { end -= 1 }
    return UnsafeBufferPointer(rebasing: bytes[start..<end])
  }

  /// Whether a byte is white space within a line.
  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// The index of the first occurrence of a byte.
  static func index(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = bytes.baseAddress, let found = memchr(base, Int32(byte), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// The bytes as text in UTF-8; any others as ISO 8859-1, which HTTP used before (RFC 9110, 5.5).
  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
  }

  private func forEach(
    of name: String, _ body: (_ value: UnsafeBufferPointer<UInt8>) -> Bool
  ) {
    forEach { other, value in !Self.isSame(other, name.utf8) || body(value) }
  }

  /// Calls `body` with each field, until it returns false.
  private func forEach(
    _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool
  ) {
    lines.withUnsafeBufferPointer { lines in
      var rest = lines
      while let end = Self.index(of: UInt8(ascii: "\n"), in: rest) {
        let line = UnsafeBufferPointer(rebasing: rest[..<end])
        rest = UnsafeBufferPointer(rebasing: rest[(end + 1)...])
        guard let colon = Self.index(of: UInt8(ascii: ":"), in: line) else { continue }
        let name = Self.trimmed(UnsafeBufferPointer(rebasing: line[..<colon]))
        let value = Self.trimmed(UnsafeBufferPointer(rebasing: line[(colon + 1)...]))
        guard body(name, value) else { return }
      }
    }
  }
}
