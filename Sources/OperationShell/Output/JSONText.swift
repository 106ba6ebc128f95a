import Foundation
import Networking

/// The members of one JSON object, in the order in which they are written.
///
/// `JSONEncoder` would sort or shuffle them; the order of the keys is part of what people read.
struct JSONFields: ExpressibleByDictionaryLiteral, Sendable {
  var members: [JSONValue.Member]

  init(dictionaryLiteral elements: (String, JSONValue)...) {
    members = elements.map { JSONValue.Member(name: $0.0, value: $0.1) }
  }

  init(_ members: [JSONValue.Member] = []) {
    self.members = members
  }

  mutating func append(_ name: String, _ value: JSONValue) {
    members.append(JSONValue.Member(name: name, value: value))
  }

  var value: JSONValue { .object(members) }
}

/// Writes JSON values as text on one line (RFC 8259).
enum JSONText {
  static func encode(_ value: JSONValue) -> String {
    var text = ""
    append(value, to: &text)
    return text
  }

  private static func append(_ value: JSONValue, to text: inout String) {
    switch value {
    case .null: text += "null"
    case .boolean(let flag): text += flag ? "true" : "false"
    case .integer(let number): text += String(number)
    case .real(let number): text += real(number)
    case .string(let string): appendString(string, to: &text)
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        append(element, to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        appendString(member.name, to: &text)
        text += ":"
        append(member.value, to: &text)
      }
      text += "}"
    }
  }

  /// JSON has no infinity and no NaN.
  private static func real(_ number: Double) -> String {
    guard number.isFinite else { return "null" }
    if number == number.rounded(), abs(number) < 1e15 { return String(Int64(number)) }
    return String(number)
  }

  private static func appendString(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      // C0 must be escaped; DEL, C1 and the line separators may, and then no terminal acts on them.
      case _
      where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        || scalar.value == 0x2028 || scalar.value == 0x2029:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

extension JSONValue {
  /// Seconds with the millisecond as the smallest step, the way all times are shown.
  static func seconds(_ seconds: Double) -> JSONValue {
    .real((seconds * 1000).rounded() / 1000)
  }

  static func optional(_ string: String?) -> JSONValue {
    string.map(JSONValue.string) ?? .null
  }

  static func optional(_ number: Int?) -> JSONValue {
    number.map { .integer(Int64($0)) } ?? .null
  }

  static func number(_ number: Int) -> JSONValue { .integer(Int64(number)) }
}
