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
